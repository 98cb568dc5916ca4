package workflow

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/output/picture"
)

// SurfaceReport is what `carina inspect` says of a surface.
type SurfaceReport struct {
	geometry.Diagnosis
	// Problem says why no air can flow through the surface as it is, if none can.
	Problem string `json:"problem,omitempty"`
	unit    geometry.Unit
}

// problemOf says why no air can flow through a surface, if none can. One whose
// branches can be cut where it is suggested has none.
func problemOf(d *geometry.Diagnosis) string {
	const advice = "air needs a way in and one out: name openings with --opening x,y,z,radius,name"
	switch {
	case !(d.Volume > 0):
		return "it encloses nothing: export it closed, or with all of its walls"
	case len(d.Suggested) > 1 || len(d.Openings) > 1:
		return ""
	case len(d.Openings) == 1:
		return "it has one opening, " + advice
	}
	return "it has no openings, " + advice
}

// InspectSurface reads a surface, diagnoses it and finds its openings. It
// writes a picture of them unless path is empty.
func (c *Case) InspectSurface(path string) (*SurfaceReport, error) {
	surface, prepared, _, err := c.prepareSurface(nil)
	if err != nil {
		return nil, err
	}
	diagnosis := prepared.Diagnose(surface)
	report := &SurfaceReport{Diagnosis: diagnosis, Problem: problemOf(&diagnosis), unit: surface.Unit}
	if path == "" {
		return report, nil
	}
	return report, picture.WriteSurface(path, prepared.Surface, picture.SurfacePicture{
		Title:    filepath.Base(c.Surface),
		Subtitle: fmt.Sprintf("%s triangles, %d openings", grouped(int64(diagnosis.Triangles)), len(prepared.Openings)),
		Openings: prepared.Openings,
	})
}

// prepareSurface reads the surface and makes it ready for voxelization. It
// refuses to gamble on the unit.
func (c *Case) prepareSurface(progress Progress) (*geometry.Surface, *geometry.Prepared, geometry.Options, error) {
	surface, err := c.readSurface()
	if err != nil {
		return nil, nil, geometry.Options{}, err
	}
	options, err := c.voxelOptions(surface.Unit)
	if err != nil {
		return nil, nil, options, err
	}
	options.Progress = progress
	prepared, err := geometry.Prepare(surface, options)
	if err != nil {
		return nil, nil, options, fmt.Errorf("%s: %w", c.Surface, err)
	}
	if guess := geometry.WeighUnit(surface, prepared); guess.Refuse(surface) != nil {
		return nil, nil, options, fmt.Errorf("%s: %w", c.Surface, guess.Refuse(surface))
	}
	return surface, prepared, options, nil
}

// readSurface reads the surface in the unit that the case says, or guesses it.
func (c *Case) readSurface() (*geometry.Surface, error) {
	scale := 1.0
	if c.Scale != 0 {
		scale = c.Scale
	}
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("a scale of %g makes no surface: give a factor above zero, such as 0.05", scale)
	}
	switch {
	case c.Unit != "":
		unit, err := geometry.ParseUnit(c.Unit)
		if err != nil {
			return nil, err
		}
		return geometry.ReadSurface(c.Surface, geometry.Unit(scale)*unit)
	case scale == 1:
		return geometry.ReadSurface(c.Surface, geometry.UnknownUnit)
	}
	surface, err := geometry.ReadSurface(c.Surface, geometry.Metre)
	if err == nil {
		surface.GuessUnit(scale)
	}
	return surface, err
}

// Words says the same for people.
func (r *SurfaceReport) Words() string {
	var w strings.Builder
	fmt.Fprintf(&w, "surface: %d triangles, %d vertices, %s; encloses %s, area %s\n", r.Triangles, r.Vertices,
		quantity.FormatLengths(r.High[0]-r.Low[0], r.High[1]-r.Low[1], r.High[2]-r.Low[2]),
		quantity.FormatVolume(r.Volume), quantity.FormatArea(r.Area))
	if r.UnitCertainty == geometry.Given {
		fmt.Fprintf(&w, "unit: %s, as given\n", r.Unit)
	} else {
		fmt.Fprintf(&w, "unit: %s, %s: %s\n", r.Unit, r.UnitCertainty, r.UnitReason)
	}
	closed := "closed"
	if !r.Closed {
		closed = fmt.Sprintf("open, with %d boundary loops", r.BoundaryLoops)
	}
	fmt.Fprintf(&w, "%s; components: %d; self-intersecting triangles: %d\n", closed, r.Components, r.SelfIntersections)
	if len(r.Solids) > 1 {
		fmt.Fprintf(&w, "solids: %s\n", strings.Join(r.Solids, ", "))
	}
	for _, note := range append(r.Notes, r.Warnings...) {
		fmt.Fprintf(&w, "note: %s\n", note)
	}
	fmt.Fprintf(&w, "verdict: %s\n", r.Verdict)
	w.WriteString(openingsTable(r.Openings))
	if r.Problem != "" {
		fmt.Fprintf(&w, "cannot be solved as it is: %s\n", r.Problem)
	}
	if len(r.Suggested) > 0 {
		w.WriteString("the lumen could be cut here, the widest first:\n")
	}
	for _, d := range r.Suggested {
		unit := float64(r.unit)
		fmt.Fprintf(&w, "  --opening %.5g,%.5g,%.5g,%.3gmm,%s\n", d.Center[0]/unit, d.Center[1]/unit, d.Center[2]/unit, d.Radius*1e3, d.Name)
	}
	return w.String()
}
