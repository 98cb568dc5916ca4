package carina

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"syscall"
	"time"

	"carina/geometry"
	"carina/geometry/mend"
	"carina/internal/quantity"
)

// GridReport is what is known of a grid and the surface it was made from, in SI units.
// Fields of the surface are missing where the grid was read from a grid file.
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

	// DroppedOpenings is how many the user has dropped.
	DroppedOpenings int `json:"-"`
}

func (r *GridReport) describeSurface(s *geometry.Surface, p *geometry.Prepared) {
	r.Triangles, r.Unit = len(s.Triangles), s.Unit.String()
	closed, loops, mended := p.Closed, p.Loops, p.Mended // without the surface that they lie in
	r.Closed, r.BoundaryLoops, r.Components = &closed, &loops, p.Components
	r.VolumeM3, r.AreaM2, r.Mended = p.Volume, p.Area, &mended
	if guess := geometry.WeighUnit(s, p); guess.Certainty != geometry.Given {
		r.Notes = append(r.Notes, fmt.Sprintf("unit: %s, %s: %s", guess.Unit, guess.Certainty, guess.Reason))
	} else if guess.Doubt != "" {
		r.Notes = append(r.Notes, guess.Doubt)
	}
	r.DroppedOpenings = p.Dropped
	r.Notes = append(append(r.Notes, s.Notes...), p.Warnings...)
	r.Notes = append(r.Notes, p.Remarks()...)
	if changes := mended.String(); changes != "nothing" {
		r.Notes = append(r.Notes, "mended: "+changes)
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
	var doubt string
	if r.VolumeExcess, doubt = CompareVolumes(g.Enclosed, r.FluidVolumeM3); doubt != "" {
		r.Notes = append(r.Notes, doubt)
	}
	r.WallLinks = int64(len(g.Links.Distance) - len(g.Links.Openings))
	if coarse, spacing := g.CoarseOpenings(); len(coarse) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("few cells lie across %s %s, so the flow there is not to be relied on: choose a spacing below %s to resolve all",
			quantity.Plural(len(coarse), "opening"), listed(coarse), quantity.FormatLength(spacing)))
	}
	r.Seconds, r.PeakMemoryBytes = elapsed.Seconds(), peakMemory()
}

// doubtClosed tells where most ends of the lumen stay closed. Larger grids are not looked at.
func (r *GridReport) doubtClosed(g *geometry.Grid) {
	const mostCells, leastOpen = 1_000_000, 2. / 3
	if g.Cells() > mostCells {
		return
	}
	ends := len(g.Lumen().Ends())
	if open := len(g.Openings); float64(open) < leastOpen*float64(ends) {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of some %d ends of the lumen are open: what stays closed changes the flow everywhere, so cut all, as carina init --cut-ends does", open, ends))
	}
}

// peakMemory is the largest amount of memory that this process has held.
func peakMemory() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Maxrss * 1024
}

// CompareVolumes is by which part cells hold more than the surface encloses, in m³ both,
// nil where that is not known, and, where it is much, what it does to the flow.
func CompareVolumes(enclosed, cells float64) (excess *float64, doubt string) {
	if enclosed <= 0 {
		return nil, ""
	}
	part := cells/enclosed - 1
	return &part, doubtVolume(enclosed, cells)
}

// doubtedExcess is the part by which volumes may differ without a word.
const doubtedExcess = 0.02

// doubtVolume says what it does to the flow that the cells do not hold what the
// surface encloses, if much.
func doubtVolume(enclosed, cells float64) string {
	excess := cells/enclosed - 1
	if math.Abs(excess) < doubtedExcess {
		return ""
	}
	more, high := "more", "low"
	if excess < 0 {
		more, high = "less", "high"
	}
	// Along a tube the volume goes with the square of the diameter.
	drop := 1/((1+excess)*(1+excess)) - 1
	return fmt.Sprintf("the cells hold %s, %.1f %% %s than the %s that the surface encloses: as the pressure drop goes with the fourth power of the diameter, "+
		"it will be about %.0f %% too %s with bounce-back walls, and less wrong with interpolated ones, which lie where the surface does: choose a smaller spacing",
		quantity.FormatVolume(cells), math.Abs(100*excess), more, quantity.FormatVolume(enclosed), math.Abs(100*drop), high)
}
