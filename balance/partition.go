package balance

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/quantity"
	"gonum.org/v1/gonum/spatial/r3"
)

// Source says which surface or grid file something was made from. All fields may
// be empty.
type Source struct {
	// File is the name of the file, without its folder.
	File string `json:"file,omitempty"`
	// SHA256 is the hash of the file, in hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
	// Unit is the unit of length of the file, such as "mm".
	Unit string `json:"unit,omitempty"`
	// Axes say where the file's axes point in the patient, where that is known.
	Axes geometry.Axes `json:"axes,omitempty"`
	// Surface is what a grid file was made from, where that is known.
	Surface *Source `json:"surface,omitempty"`
}

// sourceFile is a Source in a partition file. JSON holds no text but UTF-8, while
// a file's name may be any bytes: one that is no UTF-8 stands in base64 as well.
type sourceFile struct {
	plainSource
	FileBytes []byte `json:"file_base64,omitempty"`
}

// plainSource is a Source without its own way into JSON.
type plainSource Source

// MarshalJSON writes the source with the exact name of the file.
func (s Source) MarshalJSON() ([]byte, error) {
	out := sourceFile{plainSource: plainSource(s)}
	if !utf8.ValidString(s.File) {
		out.FileBytes = []byte(s.File)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Source) UnmarshalJSON(text []byte) error {
	var in sourceFile
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*s = Source(in.plainSource)
	if len(in.FileBytes) > 0 {
		s.File = string(in.FileBytes)
	}
	return nil
}

// GridReference says which grid a partition belongs to.
type GridReference struct {
	// Origin is the lowest corner of cell (0, 0, 0), in metres.
	Origin [3]float64 `json:"origin_m"`
	// Spacing is the side of a cell, in metres.
	Spacing float64 `json:"spacing_m"`
	// Size is the number of cells of the bounding box.
	Size [3]int32 `json:"size"`
	// FluidCells is the number of fluid cells.
	FluidCells int64 `json:"fluid_cells"`
	// Fingerprint is that of geometry.Grid.Fingerprint.
	Fingerprint string `json:"fingerprint"`
}

// Method says how a partition was made; with the same grid, cost model and
// ranks the same method gives the same partition.
type Method struct {
	Decompose      string  `json:"decompose"`
	Balance        string  `json:"balance"`
	CuboidsPerRank int     `json:"cuboids_per_rank,omitempty"`
	MinSide        int32   `json:"min_side,omitempty"`
	MaxSide        int32   `json:"max_side,omitempty"`
	KeepHeavy      bool    `json:"keep_heavy,omitempty"`
	Imbalance      float64 `json:"imbalance"`
	Preset         string  `json:"preset,omitempty"`
	Seed           uint64  `json:"seed"`
	TimeLimit      float64 `json:"time_limit_s,omitempty"`
	Improve        bool    `json:"improve,omitempty"`
	// Unused says why devices that could have had a rank have none, or what has the cells
	// that the GPUs' memory does not hold.
	Unused string `json:"unused,omitempty"`
}

// Partition says which rank owns which cuboid of a grid. It is what a
// partition file holds.
type Partition struct {
	Source  Source
	Grid    GridReference
	Cost    Cost
	Ranks   []Rank
	Method  Method
	Quality Quality
	// Cuboids are disjoint and hold every fluid cell; Counts[i] and Owners[i]
	// belong to Cuboids[i]. Lanes and Passed of the counts are left out, as in files;
	// the quality counts the work for them.
	Cuboids []cuboid.Cuboid
	Counts  []cuboid.Counts
	Owners  []int32
}

// Reference describes a grid.
func Reference(g *geometry.Grid) GridReference {
	return GridReference{
		Origin: [3]float64{g.Origin.X, g.Origin.Y, g.Origin.Z}, Spacing: g.Spacing, Size: g.Size,
		FluidCells: g.Cells(), Fingerprint: g.Fingerprint(),
	}
}

// Fits returns an error that says what differs if the partition was made for
// another grid.
func (p *Partition) Fits(g *geometry.Grid) error {
	r := &p.Grid
	origin := r3.Vec{X: r.Origin[0], Y: r.Origin[1], Z: r.Origin[2]}
	advice := "voxelize with the spacing of the partition file or partition this grid anew"
	switch cells := g.Cells(); {
	case math.Abs(r.Spacing-g.Spacing) > 1e-9*g.Spacing:
		return fmt.Errorf("the partition was made for a spacing of %.12g mm, the grid has %.12g mm: %s", 1e3*r.Spacing, 1e3*g.Spacing, advice)
	case r.Size != g.Size:
		return fmt.Errorf("the partition was made for a grid of %d×%d×%d cells, this one has %d×%d×%d: %s", r.Size[0], r.Size[1], r.Size[2], g.Size[0], g.Size[1], g.Size[2], advice)
	case r.FluidCells != cells:
		return fmt.Errorf("the partition was made for %s, the grid has %d: %s", quantity.Count(r.FluidCells, "fluid cell"), cells, advice)
	case r3.Norm(r3.Sub(origin, g.Origin)) > 1e-6*g.Spacing+1e-12*r3.Norm(origin):
		return fmt.Errorf("the partition was made for a grid with its origin at %v, this one has it at %v: %s", origin, g.Origin, advice)
	case r.Fingerprint != g.Fingerprint():
		return fmt.Errorf("the partition was made for another geometry of the same size (the fingerprints differ): %s", advice)
	}
	return nil
}

// Segments returns the fluid cells of the grid as pieces of runs, each with
// the cuboid it lies in; Owners says which rank owns a cuboid. It fails if the
// partition was made for another grid, if a fluid cell is owned twice or by
// nobody, or if the counts of cells are wrong.
func (p *Partition) Segments(g *geometry.Grid) ([]cuboid.Segment, error) {
	if err := p.Fits(g); err != nil {
		return nil, err
	}
	segments, err := cuboid.Label(g, p.Cuboids)
	if err != nil {
		return nil, err
	}
	fluid := make([]int64, len(p.Cuboids))
	for i := range segments {
		fluid[segments[i].Cuboid] += int64(segments[i].X1 - segments[i].X0)
	}
	for i, n := range p.Counts {
		if n.Fluid != fluid[i] {
			return nil, fmt.Errorf("cuboid %d has %s by the partition file, but %d in the grid: partition this grid anew", i, quantity.Count(n.Fluid, "fluid cell"), fluid[i])
		}
	}
	return segments, nil
}

// String sums the partition up in a line.
func (p *Partition) String() string {
	return fmt.Sprintf("%s in %s on %s, %s + %s, work max/mean %.3f, %s per step",
		quantity.Count(p.Quality.FluidCells, "fluid cell"), quantity.Count(len(p.Cuboids), "cuboid"), quantity.Count(len(p.Ranks), "rank"), p.Method.Decompose, p.Method.Balance, p.Quality.WorkMaxOverMean, quantity.Count(p.Quality.BytesTotal, "byte"))
}
