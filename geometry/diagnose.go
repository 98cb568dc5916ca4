package geometry

import (
	"context"
	"fmt"
	"strings"

	"carina/geometry/mend"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Diagnosis says what state a surface is in and what will be done about it.
// Lengths, areas and volumes are in metres.
type Diagnosis struct {
	Triangles  int        `json:"triangles"`
	Vertices   int        `json:"vertices"`
	Low        [3]float64 `json:"low_m"`
	High       [3]float64 `json:"high_m"`
	Unit       string     `json:"unit"`
	UnitReason string     `json:"unit_reason"`
	// UnitAlternatives are units in which the size is plausible as well.
	UnitCertainty    Certainty `json:"unit_certainty"`
	UnitAlternatives []string  `json:"unit_alternatives"`
	Solids           []string  `json:"solids"`
	Notes            []string  `json:"notes"`
	// Closed: after welding, every edge is walked as often in one direction as
	// in the other.
	Closed        bool `json:"closed"`
	BoundaryLoops int  `json:"boundary_loops"`
	Components    int  `json:"components"`
	// DoubleWalled: the air is inside the inner wall, which alone was kept.
	DoubleWalled bool `json:"double_walled"`
	// PartlyDoubleWalled: that holds in a part, the rest has one wall.
	PartlyDoubleWalled bool `json:"partly_double_walled,omitempty"`
	// SelfIntersections counts triangles that an edge of another one pierces.
	SelfIntersections int `json:"self_intersections"`
	// Volume is what the mended surface encloses.
	Volume   float64         `json:"volume_m3"`
	Area     float64         `json:"area_m2"`
	Mended   mend.Changes    `json:"mended"`
	Method   Method          `json:"method"`
	Openings []OpeningReport `json:"openings"`
	// Evidence says how much each opening looks like the end of a tube.
	Evidence []Evidence `json:"evidence,omitempty"`
	// Suggested are discs that cut a lumen in which no openings were found.
	Suggested []DiscReport `json:"suggested_openings"`
	// Perhaps are places where the lumen may end beside the openings, the largest
	// first.
	Perhaps  []PlaceReport `json:"perhaps_openings"`
	Warnings []string      `json:"warnings"`
	Verdict  string        `json:"verdict"`
}

// OpeningReport is an Opening as reports and scripts see it.
type OpeningReport struct {
	Number int        `json:"number"`
	Name   string     `json:"name"`
	Role   Role       `json:"role"`
	Center [3]float64 `json:"center_m"`
	Normal [3]float64 `json:"normal"`
	Area   float64    `json:"area_m2"`
	// Sure is from 0 to 1 how sure it is that the lumen ends there.
	Sure float64 `json:"sure"`
}

// PlaceReport is a Place as reports and scripts see it.
type PlaceReport struct {
	Center [3]float64 `json:"center_m"`
	Radius float64    `json:"radius_m"`
}

// DiscReport is a Disc as reports and scripts see it.
type DiscReport struct {
	Name   string     `json:"name"`
	Center [3]float64 `json:"center_m"`
	Radius float64    `json:"radius_m"`
}

// ReportDiscs puts discs into the form of reports.
func ReportDiscs(discs []Disc) []DiscReport {
	out := make([]DiscReport, len(discs))
	for i, d := range discs {
		out[i] = DiscReport{Name: d.Name, Center: array(d.Center), Radius: d.Radius}
	}
	return out
}

// ReportOpenings puts openings into the form of reports.
func ReportOpenings(openings []Opening) []OpeningReport {
	out := make([]OpeningReport, len(openings))
	for i, o := range openings {
		out[i] = OpeningReport{
			Number: o.Number, Name: o.Name, Role: o.Role, Center: array(o.Center), Normal: array(o.Normal), Area: o.Area, Sure: 1 - o.Doubt,
		}
	}
	return out
}

func array(v r3.Vec) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// Diagnose examines a surface: what is wrong with it, what mending will do,
// which openings it has and which voxelizer suits it.
func Diagnose(s *Surface, o Options) (Diagnosis, error) {
	p, err := Prepare(s, o)
	if err != nil {
		return Diagnosis{}, err
	}
	return p.Diagnose(s), nil
}

// Diagnose reports on the surface that was read, before it was prepared.
func (p *Prepared) Diagnose(read *Surface) Diagnosis {
	low, high := read.Bounds()
	unit := WeighUnit(read, p)
	d := Diagnosis{
		Triangles: len(read.Triangles), Vertices: len(read.Vertices), Low: array(low), High: array(high),
		Unit: read.Unit.String(), UnitReason: unit.Reason, UnitCertainty: unit.Certainty, Solids: namesOf(read.Solids), Notes: read.Notes,
		Closed: p.Closed, BoundaryLoops: p.Loops, Components: p.Components, DoubleWalled: p.DoubleWalled, PartlyDoubleWalled: p.PartlyDoubleWalled,
		SelfIntersections: p.hierarchy().SelfIntersections(),
		Volume:            p.Volume, Area: p.Area,
		Mended: p.Mended, Method: p.Method, Openings: ReportOpenings(p.Openings), Evidence: p.Evidence,
	}
	d.Notes = append([]string{}, d.Notes...)
	d.Warnings = append(append([]string{}, p.Warnings...), p.Remarks()...)
	if where := p.perhapsAt(); where != "" {
		d.Warnings = append(d.Warnings, where)
	}
	if unit.Doubt != "" {
		d.Warnings = append(d.Warnings, unit.Doubt)
	}
	d.UnitAlternatives = []string{}
	for _, u := range unit.Others {
		d.UnitAlternatives = append(d.UnitAlternatives, u.String())
	}
	d.Perhaps = []PlaceReport{}
	for _, at := range p.Perhaps {
		d.Perhaps = append(d.Perhaps, PlaceReport{array(at.Center), at.Radius})
	}
	d.Suggested = []DiscReport{}
	if len(p.Openings) == 0 && p.Dropped == 0 {
		// A lumen in which nothing can be followed gets no suggestions.
		if discs, err := SuggestOpenings(context.Background(), p); err == nil {
			d.Suggested = ReportDiscs(discs)
		}
	}
	d.Verdict = d.verdict(p.InletGuess != "", p.Dropped)
	return d
}

// namesOf returns the names that are not empty.
func namesOf(solids []string) []string {
	names := []string{}
	for _, n := range solids {
		if n != "" {
			names = append(names, n)
		}
	}
	return names
}

// verdict sums up in one sentence.
func (d *Diagnosis) verdict(inletGuessed bool, dropped int) string {
	state := "The surface is sound"
	if changes := d.Mended.String(); changes != "nothing" {
		state = "The surface can be mended: " + changes
	}
	if d.DoubleWalled {
		state += "; it has two walls, only the inner one is kept"
		if d.PartlyDoubleWalled {
			state += " where it has, and the one wall elsewhere"
		}
	}
	ends := quantity.Count(len(d.Openings), "opening") + " found"
	switch n := len(d.Suggested); {
	case len(d.Openings) == 0 && dropped > 0:
		ends = "all openings that were found were dropped"
	case len(d.Openings) == 0 && n > 0:
		ends = fmt.Sprintf("no flat or open ends found, but %s whose ends can be cut off (suggested openings)", quantity.Count(n, "branch"))
	case len(d.Openings) == 0:
		ends = "no openings found, name them by hand (center, radius and name of each)"
	case len(d.Openings) == 1 && dropped > 0:
		ends = "one opening left"
	case len(d.Openings) == 1:
		ends = "one opening found"
	}
	inlet, enters := "", "enters"
	if inletGuessed {
		enters = "is guessed to enter"
	}
	for _, o := range d.Openings {
		if o.Role == Inlet {
			inlet += fmt.Sprintf(", air %s through number %d (%s)", enters, o.Number, o.Name)
		}
	}
	return strings.Join([]string{state, ends + inlet, "inside is told from outside by " + d.Method.describe()}, "; ") + "."
}

// describe says what a method does.
func (m Method) describe() string {
	switch m {
	case Vote:
		return "the majority of crossings along three axes"
	case Winding:
		return "the generalised winding number"
	}
	return "crossings along rows"
}
