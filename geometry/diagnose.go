package geometry

import (
	"fmt"
	"strings"

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
	Solids     []string   `json:"solids"`
	Notes      []string   `json:"notes"`
	// Closed: after welding, every edge is walked as often in one direction as
	// in the other.
	Closed        bool `json:"closed"`
	BoundaryLoops int  `json:"boundary_loops"`
	Components    int  `json:"components"`
	// DoubleWalled: the air is inside the inner wall, which alone was kept.
	DoubleWalled bool `json:"double_walled"`
	// SelfIntersections counts triangles that an edge of another one pierces.
	SelfIntersections int `json:"self_intersections"`
	// Volume is what the mended surface encloses.
	Volume   float64         `json:"volume_m3"`
	Area     float64         `json:"area_m2"`
	Mended   Mended          `json:"mended"`
	Method   Method          `json:"method"`
	Openings []OpeningReport `json:"openings"`
	Verdict  string          `json:"verdict"`
}

// OpeningReport is an Opening as reports and scripts see it.
type OpeningReport struct {
	Number int        `json:"number"`
	Name   string     `json:"name"`
	Role   Role       `json:"role"`
	Center [3]float64 `json:"center_m"`
	Normal [3]float64 `json:"normal"`
	Area   float64    `json:"area_m2"`
}

// ReportOpenings puts openings into the form of reports.
func ReportOpenings(openings []Opening) []OpeningReport {
	out := make([]OpeningReport, len(openings))
	for i, o := range openings {
		out[i] = OpeningReport{
			Number: o.Number, Name: o.Name, Role: o.Role, Center: array(o.Center), Normal: array(o.Normal), Area: o.Area,
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
	d := Diagnosis{
		Triangles: len(read.Triangles), Vertices: len(read.Vertices), Low: array(low), High: array(high),
		Unit: read.Unit.String(), UnitReason: read.UnitReason, Solids: namesOf(read.Solids), Notes: read.Notes,
		Closed: p.Closed, BoundaryLoops: p.Loops, Components: p.Components, DoubleWalled: p.DoubleWalled,
		SelfIntersections: newHierarchy(p.Surface).selfIntersections(),
		Volume:            p.Volume, Area: p.Area,
		Mended: p.Mended, Method: p.Method, Openings: ReportOpenings(p.Openings),
	}
	if d.Notes == nil {
		d.Notes = []string{}
	}
	d.Verdict = d.verdict()
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
func (d *Diagnosis) verdict() string {
	state := "The surface is sound"
	if changes := d.Mended.String(); changes != "nothing" {
		state = "The surface can be mended: " + changes
	}
	if d.DoubleWalled {
		state += "; it has two walls, only the inner one is kept"
	}
	ends := fmt.Sprintf("%d openings found", len(d.Openings))
	switch len(d.Openings) {
	case 0:
		ends = "no openings found, name them by hand (center, radius and name of each)"
	case 1:
		ends = "one opening found"
	}
	inlet := ""
	for _, o := range d.Openings {
		if o.Role == Inlet {
			inlet = fmt.Sprintf(", air enters through number %d (%s)", o.Number, o.Name)
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
