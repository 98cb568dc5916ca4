package workflow

import (
	"fmt"
	"strings"

	"carina/geometry"
)

// SurfaceReport is what `carina inspect` says of a surface, in SI units.
type SurfaceReport struct {
	Triangles int             `json:"triangles"`
	Unit      string          `json:"unit"`
	VolumeM3  float64         `json:"volume_m3"`
	AreaM2    float64         `json:"area_m2"`
	Openings  []OpeningReport `json:"openings"`

	notes []string
}

// InspectSurface reads a surface, diagnoses it and finds its openings.
func (c *Case) InspectSurface() (*SurfaceReport, error) {
	surface, err := c.readSurface()
	if err != nil {
		return nil, err
	}
	prepared, err := geometry.Prepare(surface, geometry.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	return &SurfaceReport{
		Triangles: len(surface.Triangles), Unit: surface.Unit.String(),
		VolumeM3: prepared.Volume, AreaM2: prepared.Area, Openings: describeOpenings(prepared.Openings),
		notes: append([]string{"unit: " + surface.UnitReason}, surface.Notes...),
	}, nil
}

// Words says the same for people.
func (r *SurfaceReport) Words() string {
	var w strings.Builder
	fmt.Fprintf(&w, "surface: %d triangles in %s, encloses %.4g mL, area %.4g cm²\n", r.Triangles, r.Unit, r.VolumeM3*1e6, r.AreaM2*1e4)
	for _, note := range r.notes {
		fmt.Fprintf(&w, "note: %s\n", note)
	}
	w.WriteString(openingsTable(r.Openings))
	return w.String()
}
