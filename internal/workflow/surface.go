package workflow

import (
	"fmt"
	"path/filepath"
	"strings"

	"carina/geometry"
	"carina/solver/output"
)

// SurfaceReport is what `carina inspect` says of a surface.
type SurfaceReport struct {
	geometry.Diagnosis
	unit geometry.Unit
}

// InspectSurface reads a surface, diagnoses it and finds its openings. It
// writes a picture of them unless picture is empty.
func (c *Case) InspectSurface(picture string) (*SurfaceReport, error) {
	surface, err := c.readSurface()
	if err != nil {
		return nil, err
	}
	options, err := c.voxelOptions(surface.Unit)
	if err != nil {
		return nil, err
	}
	diagnosis, err := geometry.Diagnose(surface, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	report := &SurfaceReport{diagnosis, surface.Unit}
	if picture == "" {
		return report, nil
	}
	prepared, err := geometry.Prepare(surface, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	return report, output.WriteSurface(picture, prepared.Surface, output.SurfacePicture{
		Title:    filepath.Base(c.Surface),
		Subtitle: fmt.Sprintf("%s triangles, %d openings", grouped(int64(diagnosis.Triangles)), len(prepared.Openings)),
		Openings: prepared.Openings,
	})
}

// Words says the same for people.
func (r *SurfaceReport) Words() string {
	var w strings.Builder
	fmt.Fprintf(&w, "surface: %d triangles, %d vertices, %.4g × %.4g × %.4g mm; encloses %.4g mL, area %.4g cm²\n", r.Triangles, r.Vertices,
		1e3*(r.High[0]-r.Low[0]), 1e3*(r.High[1]-r.Low[1]), 1e3*(r.High[2]-r.Low[2]), r.Volume*1e6, r.Area*1e4)
	fmt.Fprintf(&w, "unit: %s (%s)\n", r.Unit, r.UnitReason)
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
	if len(r.Suggested) > 0 {
		w.WriteString("the lumen could be cut here, the widest first:\n")
	}
	for _, d := range r.Suggested {
		unit := float64(r.unit)
		fmt.Fprintf(&w, "  --opening %.5g,%.5g,%.5g,%.3gmm,%s\n", d.Center[0]/unit, d.Center[1]/unit, d.Center[2]/unit, d.Radius*1e3, d.Name)
	}
	return w.String()
}
