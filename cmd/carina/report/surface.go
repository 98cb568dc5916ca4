package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"carina"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/output/picture"

	"gonum.org/v1/gonum/spatial/r3"
)

// SurfaceReport is what `carina inspect` says of a surface.
type SurfaceReport struct {
	geometry.Diagnosis
	// Problem says why no air can flow through the surface as it is, if none can.
	Problem string `json:"problem,omitempty"`
	// Picture is the file of the picture of it, if one was written.
	Picture string `json:"picture,omitempty"`
	unit    geometry.Unit
	dropped int
}

// problemOf says why no air can flow through a surface, if none can. One whose
// branches can be cut where it is suggested has none.
func problemOf(d *geometry.Diagnosis, dropped int) string {
	const advice = "air needs a way in and one out: name openings with --opening x,y,z,radius,name"
	switch {
	case !(d.Volume > 0):
		return "it encloses nothing: export it closed, or with all of its walls"
	case len(d.Suggested) > 1 || len(d.Openings) > 1:
		return ""
	case dropped > 0:
		return fmt.Sprintf("it has %s, as %d %s dropped, and air needs a way in and one out: drop fewer",
			quantity.Count(len(d.Openings), "opening"), dropped, quantity.Was(dropped))
	case len(d.Openings) == 1:
		return "it has one opening, " + advice
	}
	return "it has no openings, " + advice
}

// InspectSurface reads a surface, diagnoses it and finds its openings. It
// writes a picture of them unless path is empty.
func InspectSurface(c *carina.Case, path string) (*SurfaceReport, error) {
	axes, err := geometry.ParseAxes(c.Axes)
	if err != nil {
		return nil, err
	}
	surface, prepared, err := prepared(c)
	if err != nil {
		return nil, err
	}
	diagnosis := prepared.Diagnose(surface)
	report := &SurfaceReport{Diagnosis: diagnosis, Problem: problemOf(&diagnosis, prepared.Dropped), unit: surface.Unit, dropped: prepared.Dropped}
	if path == "" {
		return report, nil
	}
	report.Picture = path
	shown := picture.SurfacePicture{
		Title:    terminal.Line(filepath.Base(c.Surface)),
		Subtitle: surfaceSubtitle(diagnosis.Triangles, len(prepared.Openings)),
		Openings: prepared.Openings, Axes: cmp.Or(axes, surface.Axes),
	}
	if places := len(diagnosis.Suggested); places > 0 && len(shown.Openings) == 0 {
		shown.Subtitle += ", " + quantity.Count(places, "place") + " to cut the lumen"
		shown.Openings = suggestedOpenings(diagnosis.Suggested)
	}
	return report, picture.WriteSurface(path, prepared.Surface, shown)
}

// suggestedOpenings are places to cut a lumen as a picture marks them, numbered
// as they are listed and named.
func suggestedOpenings(suggested []geometry.DiscReport) []geometry.Opening {
	openings := make([]geometry.Opening, len(suggested))
	for i, d := range suggested {
		openings[i] = geometry.Opening{Number: i + 1, Name: d.Name, Role: geometry.Outlet,
			Center: r3.Vec{X: d.Center[0], Y: d.Center[1], Z: d.Center[2]}, Area: math.Pi * d.Radius * d.Radius}
		if d.Name == string(geometry.Inlet) {
			openings[i].Role = geometry.Inlet
		}
	}
	return openings
}

// surfaceSubtitle is what stands below the name of a surface.
func surfaceSubtitle(triangles, openings int) string {
	return fmt.Sprintf("%s triangles, %s", quantity.Grouped(triangles), quantity.Count(openings, "opening"))
}

// prepared reads the surface and makes it ready for voxelization.
func prepared(c *carina.Case) (*geometry.Surface, *geometry.Prepared, error) {
	surface, err := c.ReadSurface()
	if err != nil {
		return nil, nil, err
	}
	p, _, err := c.Prepare(surface, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	return surface, p, nil
}

// Words says the same for people.
func (r *SurfaceReport) Words() string {
	var w strings.Builder
	fmt.Fprintf(&w, "surface: %d triangles, %d vertices, %s; encloses %s, area %s\n", r.Triangles, r.Vertices,
		quantity.FormatLengths(r.High[0]-r.Low[0], r.High[1]-r.Low[1], r.High[2]-r.Low[2]),
		quantity.FormatVolume(r.Volume), quantity.FormatArea(r.Area))
	if r.UnitCertainty == geometry.Given {
		fmt.Fprintf(&w, "unit: %s, %s\n", r.Unit, cmp.Or(map[string]string{"given": "as given"}[r.UnitReason], r.UnitReason))
	} else {
		fmt.Fprintf(&w, "unit: %s, %s: %s\n", r.Unit, r.UnitCertainty, r.UnitReason)
	}
	closed := "closed"
	if !r.Closed {
		closed = fmt.Sprintf("open, with %s", quantity.Count(r.BoundaryLoops, "boundary loop"))
	}
	fmt.Fprintf(&w, "%s; components: %d; self-intersecting triangles: %d\n", closed, r.Components, r.SelfIntersections)
	if len(r.Solids) > 1 {
		fmt.Fprintf(&w, "solids: %s\n", terminal.Line(strings.Join(r.Solids, ", ")))
	}
	for _, note := range append(r.Notes, r.Warnings...) {
		fmt.Fprintf(&w, "note: %s\n", terminal.Line(note))
	}
	fmt.Fprintf(&w, "verdict: %s\n", terminal.Line(r.Verdict))
	w.WriteString(openingsTable(r.Openings, r.dropped))
	if r.Problem != "" {
		fmt.Fprintf(&w, "cannot be solved as it is: %s\n", r.Problem)
	}
	if len(r.Suggested) > 0 {
		w.WriteString("the lumen could be cut here, the widest first:\n")
	}
	for _, d := range r.Suggested {
		unit := float64(r.unit)
		fmt.Fprintf(&w, "  --opening %s,%.3gmm,%s\n", quantity.FormatPoint(d.Center[0]/unit, d.Center[1]/unit, d.Center[2]/unit, 5), d.Radius*1e3, d.Name)
	}
	if r.Picture != "" {
		fmt.Fprintf(&w, "wrote %s\n", terminal.Line(r.Picture))
	}
	return w.String()
}
