package workflow

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"carina/geometry"
	"carina/geometry/mend"
	"carina/internal/quantity"
	"carina/internal/terminal"
)

// GridReport is what `carina voxelize` says of a grid and the surface it was
// made from, in SI units. Fields of the surface are missing where the grid
// was read from a grid file.
type GridReport struct {
	Triangles     int           `json:"triangles,omitempty"`
	Closed        *bool         `json:"closed,omitempty"`
	BoundaryLoops *int          `json:"boundary_loops,omitempty"`
	Components    int           `json:"components,omitempty"`
	VolumeM3      float64       `json:"volume_m3,omitempty"`
	AreaM2        float64       `json:"area_m2,omitempty"`
	Unit          string        `json:"unit,omitempty"`
	Mended        *mend.Changes `json:"mended,omitempty"`
	Method        string        `json:"method,omitempty"`

	Openings        []geometry.OpeningReport `json:"openings"`
	SpacingM        float64                  `json:"spacing_m"`
	Size            [3]int32                 `json:"size"`
	FluidCells      int64                    `json:"fluid_cells"`
	FluidVolumeM3   float64                  `json:"fluid_volume_m3"`
	VolumeExcess    *float64                 `json:"volume_excess,omitempty"`
	DroppedCells    int64                    `json:"dropped_cells"`
	JoinedPairs     int64                    `json:"joined_pairs"`
	LostOpenings    []int                    `json:"lost_openings,omitempty"`
	ClosedOpenings  []geometry.LostOpening   `json:"closed_openings,omitempty"`
	WallLinks       int64                    `json:"wall_links"`
	Seconds         float64                  `json:"seconds"`
	PeakMemoryBytes int64                    `json:"peak_memory_bytes"`

	// Notes say what was mended, dropped or doubtful.
	Notes []string `json:"notes,omitempty"`

	dropped int // openings, by the user
}

func (r *GridReport) describeSurface(s *geometry.Surface, p *geometry.Prepared) {
	r.Triangles, r.Unit = len(s.Triangles), s.Unit.String()
	r.Closed, r.BoundaryLoops, r.Components = &p.Closed, &p.Loops, p.Components
	r.VolumeM3, r.AreaM2, r.Mended = p.Volume, p.Area, &p.Mended
	if guess := geometry.WeighUnit(s, p); guess.Certainty != geometry.Given {
		r.Notes = append(r.Notes, fmt.Sprintf("unit: %s, %s: %s", guess.Unit, guess.Certainty, guess.Reason))
	} else if guess.Doubt != "" {
		r.Notes = append(r.Notes, guess.Doubt)
	}
	r.dropped = p.Dropped
	r.Notes = append(append(r.Notes, s.Notes...), p.Warnings...)
	r.Notes = append(r.Notes, p.Remarks()...)
	if mended := p.Mended.String(); mended != "nothing" {
		r.Notes = append(r.Notes, "mended: "+mended)
	}
}

func (r *GridReport) describeFilling(f geometry.Filled) {
	r.Method, r.DroppedCells, r.ClosedOpenings, r.JoinedPairs = string(f.Method), f.DroppedCells, f.LostOpenings, f.JoinedPairs
	if f.DroppedCells > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s in %s without contact to the inlet %s dropped",
			quantity.Count(f.DroppedCells, "cell"), quantity.Count(f.DroppedParts, "island"), quantity.Was(f.DroppedCells)))
	}
	for i, lost := range f.LostOpenings {
		r.LostOpenings = append(r.LostOpenings, lost.Number)
		if i < mostSentences {
			r.Notes = append(r.Notes, lost.String())
		}
	}
	if n := len(f.LostOpenings); n > mostSentences {
		r.Notes = append(r.Notes, fmt.Sprintf("%s more %s closed: %s", quantity.Count(n-mostSentences, "opening"), quantity.Was(n-mostSentences), listed(r.LostOpenings[mostSentences:])))
	}
}

// mostSentences openings get a sentence of their own.
const mostSentences = 8

// listed writes numbers, the first twenty of many.
func listed(numbers []int) string {
	const most = 20
	var words []string
	for i, n := range numbers {
		if i == most {
			return strings.Join(words, ", ") + fmt.Sprintf(" and %d more", len(numbers)-most)
		}
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}

func (r *GridReport) describeGrid(g *geometry.Grid, elapsed time.Duration) {
	r.Openings = geometry.ReportOpenings(g.Openings)
	r.SpacingM, r.Size, r.FluidCells = g.Spacing, g.Size, g.Cells()
	r.FluidVolumeM3 = g.Volume()
	if r.VolumeExcess = volumeExcess(g.Enclosed, r.FluidVolumeM3); r.VolumeExcess != nil {
		r.Notes = append(r.Notes, doubtVolume(g.Enclosed, r.FluidVolumeM3)...)
	}
	r.WallLinks = int64(len(g.Links.Distance) - len(g.Links.Openings))
	if coarse, spacing := g.CoarseOpenings(); len(coarse) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("few cells lie across %s %s, so the flow there is not to be relied on: choose a spacing below %s to resolve all",
			quantity.Plural(len(coarse), "opening"), listed(coarse), quantity.FormatLength(spacing)))
	}
	r.Seconds, r.PeakMemoryBytes = elapsed.Seconds(), peakMemory()
}

// Words says the same for people.
func (r *GridReport) Words() string {
	var w strings.Builder
	if r.Triangles > 0 {
		fmt.Fprintf(&w, "surface: %d triangles in %s, encloses %s, area %s\n", r.Triangles, r.Unit,
			quantity.FormatVolume(r.VolumeM3), quantity.FormatArea(r.AreaM2))
	}
	fmt.Fprintf(&w, "grid: %d fluid cells of %s (%s%s) in a box of %d×%d×%d, %d links to the wall; %.2f s, %s at most\n",
		r.FluidCells, quantity.FormatLength(r.SpacingM), quantity.FormatVolume(r.FluidVolumeM3), excessWords(r.VolumeExcess), r.Size[0], r.Size[1], r.Size[2], r.WallLinks,
		r.Seconds, quantity.FormatBytes(r.PeakMemoryBytes))
	for _, note := range r.Notes {
		fmt.Fprintf(&w, "note: %s\n", terminal.Line(note))
	}
	w.WriteString(openingsTable(r.Openings, r.dropped))
	return w.String()
}

// volumeExcess is by which part the cells hold more than the surface encloses, nil
// where that is not known.
func volumeExcess(enclosed, cells float64) *float64 {
	if enclosed <= 0 {
		return nil
	}
	excess := cells/enclosed - 1
	return &excess
}

// CompareVolumes is by which part the cells of a grid hold more than its surface
// encloses, nil where that is not known, and what is to be said of it.
func CompareVolumes(g *geometry.Grid) (excess *float64, words string) {
	if excess = volumeExcess(g.Enclosed, g.Volume()); excess == nil {
		return nil, ""
	}
	words = volumeWords(g.Volume(), excess)
	for _, doubt := range doubtVolume(g.Enclosed, g.Volume()) {
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

// doubtedExcess is the part by which volumes may differ without a word.
const doubtedExcess = 0.02

// doubtVolume says what it does to the flow that the cells do not hold what the
// surface encloses, if much.
func doubtVolume(enclosed, cells float64) []string {
	excess := cells/enclosed - 1
	if math.Abs(excess) < doubtedExcess {
		return nil
	}
	more, high := "more", "low"
	if excess < 0 {
		more, high = "less", "high"
	}
	// Along a tube the volume goes with the square of the diameter.
	drop := 1/((1+excess)*(1+excess)) - 1
	return []string{fmt.Sprintf("the cells hold %s, %.1f %% %s than the %s that the surface encloses: as the pressure drop goes with the fourth power of the diameter, "+
		"it will be about %.0f %% too %s with bounce-back walls, and less wrong with interpolated ones, which lie where the surface does: choose a smaller spacing",
		quantity.FormatVolume(cells), math.Abs(100*excess), more, quantity.FormatVolume(enclosed), math.Abs(100*drop), high)}
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
