package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"carina"
	"carina/geometry"
	"carina/geometry/tree"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/output/vtk"
)

// branchCells is the number of cells in which the branches of a surface are found.
const branchCells = 2_000_000

// BranchesReport is what is said of the branches of a lumen.
type BranchesReport struct {
	Branches []BranchReport `json:"branches"`
	File     string         `json:"file,omitempty"`
	// Missing are the openings that no cell reaches.
	Missing []int `json:"openings_without_branch,omitempty"`
	tree    *tree.Tree
}

// BranchReport is a branch as scripts see it.
type BranchReport struct {
	Number      int     `json:"number"`
	Parent      int     `json:"parent"`
	Generation  int     `json:"generation"`
	Opening     int     `json:"opening"`
	Length      float64 `json:"length_m"`
	Diameter    float64 `json:"diameter_m"`
	Angle       float64 `json:"angle_deg"`
	Volume      float64 `json:"volume_m3"`
	CellsAcross float64 `json:"cells_across"`
}

// BranchesOf finds the branches of the surface of a case, cut at the places that are
// suggested where it has no openings, and writes them to a file.
func BranchesOf(ctx context.Context, c carina.Case, path string) (*BranchesReport, error) {
	surface, err := c.ReadSurface()
	if err != nil {
		return nil, err
	}
	prepared, options, err := c.Prepare(surface, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	if len(prepared.Openings) == 0 && len(c.DropOpenings) == 0 {
		if options.Openings, err = geometry.SuggestOpenings(ctx, prepared); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Surface, err)
		}
		if prepared, err = geometry.Prepare(surface, options); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Surface, err)
		}
	}
	options.Spacing, options.FluidCells, options.Directions = 0, branchCells, 18
	grid, _, err := geometry.VoxelizePrepared(ctx, prepared, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	return BranchesIn(grid, c.Surface, path)
}

// BranchesIn finds the branches of a grid and writes them to a file.
func BranchesIn(grid *geometry.Grid, name, path string) (*BranchesReport, error) {
	t, err := tree.Find(grid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &BranchesReport{File: path, Missing: t.Missing, tree: t}
	for _, b := range t.Branches {
		r.Branches = append(r.Branches, BranchReport{b.Number, b.Parent, b.Generation, b.Opening, b.Length, b.Diameter, b.Angle * 180 / math.Pi, b.Volume, b.CellsAcross})
	}
	if strings.EqualFold(filepath.Ext(path), ".vtp") {
		return r, vtk.WriteBranches(path, t)
	}
	return r, atomicfile.Write(path, func(w io.Writer) error { return t.WriteCSV(w) })
}

// Words is a table of the branches, or of generations where there are many; empty where
// none were asked for.
func (r *BranchesReport) Words() string {
	if r == nil {
		return ""
	}
	var w strings.Builder
	openings := 0
	for _, b := range r.Branches {
		if b.Opening > 0 {
			openings++
		}
	}
	fmt.Fprintf(&w, "%s in %s, %s with an opening\n", quantity.GroupedCount(len(r.Branches), "branch"), quantity.Count(r.tree.Generations(), "generation"), quantity.Grouped(openings))
	const most = 40
	if len(r.Branches) <= most {
		fmt.Fprintf(&w, "%6s %6s %10s %8s %12s %12s %8s %12s\n", "branch", "parent", "generation", "opening", "length", "diameter", "angle", "volume")
		for _, b := range r.Branches {
			opening := "-"
			if b.Opening > 0 {
				opening = fmt.Sprint(b.Opening)
			}
			fmt.Fprintf(&w, "%6d %6d %10d %8s %12s %12s %7.0f° %12s\n", b.Number, b.Parent, b.Generation, opening,
				quantity.FormatLength(b.Length), quantity.FormatLength(b.Diameter), b.Angle, quantity.FormatVolume(b.Volume))
		}
	} else {
		fmt.Fprintf(&w, "%10s %8s %12s %12s %8s\n", "generation", "branches", "mean length", "diameter", "angle")
		for g := range r.tree.Generations() {
			var n, length, diameter, angle float64
			for _, b := range r.Branches {
				if b.Generation == g {
					n, length, diameter, angle = n+1, length+b.Length, diameter+b.Diameter, angle+b.Angle
				}
			}
			fmt.Fprintf(&w, "%10d %8.0f %12s %12s %7.0f°\n", g, n, quantity.FormatLength(length/n), quantity.FormatLength(diameter/n), angle/n)
		}
	}
	for _, n := range r.Missing {
		fmt.Fprintf(&w, "note: no cell of these reaches opening %d, which so has no branch\n", n)
	}
	if r.File != "" {
		fmt.Fprintf(&w, "wrote %s\n", terminal.Line(r.File))
	}
	return w.String()
}
