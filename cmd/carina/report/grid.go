package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"carina"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"
)

// GridWords says what a grid and the surface that it was made from are.
func GridWords(r *carina.GridReport) string {
	var w strings.Builder
	if r.Triangles > 0 {
		fmt.Fprintf(&w, "surface: %d triangles in %s, encloses %s, area %s\n", r.Triangles, r.Unit,
			quantity.FormatVolume(r.VolumeM3), quantity.FormatArea(r.AreaM2))
	}
	w.WriteString(CellsWords(r))
	for _, note := range r.Notes {
		fmt.Fprintf(&w, "note: %s\n", terminal.Line(note))
	}
	w.WriteString(openingsTable(r.Openings, r.DroppedOpenings))
	return w.String()
}

// CellsWords is a line on the cells of a grid.
func CellsWords(r *carina.GridReport) string {
	return fmt.Sprintf("grid: %d fluid cells of %s (%s%s) in a box of %d×%d×%d, %d links to the wall; %.2f s, %s at most\n",
		r.FluidCells, quantity.FormatLength(r.SpacingM), quantity.FormatVolume(r.FluidVolumeM3), excessWords(r.VolumeExcess), r.Size[0], r.Size[1], r.Size[2], r.WallLinks,
		r.Seconds, quantity.FormatBytes(r.PeakMemoryBytes))
}

// VolumeWords compares the volume of the cells of a grid with that which its surface
// encloses; empty where that is not known.
func VolumeWords(g *geometry.Grid) (excess *float64, words string) {
	excess, doubt := carina.CompareVolumes(g.Enclosed, g.Volume())
	if excess == nil {
		return nil, ""
	}
	words = volumeWords(g.Volume(), excess)
	if doubt != "" {
		words += "note: " + doubt + "\n"
	}
	return excess, words
}

// volumeWords is a line on the volume of cells.
func volumeWords(cells float64, excess *float64) string {
	return fmt.Sprintf("volume of the cells %s%s\n", quantity.FormatVolume(cells), excessWords(excess))
}

// excessWords compares the volume of cells with the surface's, after the former.
func excessWords(excess *float64) string {
	if excess == nil {
		return ""
	}
	return fmt.Sprintf(", %+.1f %% against the surface", shown(100**excess, 1))
}

// leastShown is the area in mm² below which two decimals show nothing.
const leastShown = 0.1

// openingsTable lists openings and how sure it is that they are ends.
func openingsTable(openings []geometry.OpeningReport, dropped int) string {
	if len(openings) == 0 && dropped > 0 {
		return "no openings are left, as all were dropped: drop fewer\n"
	}
	if len(openings) == 0 {
		return "no openings were found: name them with --opening x,y,z,radius,name\n"
	}
	unit, symbol := 1e-3, "mm"
	if !slices.ContainsFunc(openings, func(o geometry.OpeningReport) bool { return o.Area >= leastShown*unit*unit }) {
		unit, symbol = 1e-6, "µm"
	}
	var w strings.Builder
	fmt.Fprintf(&w, "%3s  %-16s %-7s %26s  %22s  %10s   sure\n", "no.", "name", "role", "centre ("+symbol+")", "normal", "area ("+symbol+"²)")
	for _, o := range openings {
		fmt.Fprintf(&w, "%3d  %-16s %-7s %8.2f %8.2f %8.2f  %6.3f  %6.3f  %6.3f  %10.2f  %3.0f %%\n", o.Number, o.Name, o.Role,
			shown(o.Center[0]/unit, 2), shown(o.Center[1]/unit, 2), shown(o.Center[2]/unit, 2),
			shown(o.Normal[0], 3), shown(o.Normal[1], 3), shown(o.Normal[2], 3), o.Area/(unit*unit), 100*o.Sure)
	}
	return w.String()
}

// shown is a number to be written with so many decimals, without a minus before
// a zero.
func shown(x float64, decimals int) float64 {
	if math.Abs(x) < 0.5*math.Pow10(-decimals) {
		return 0
	}
	return x
}
