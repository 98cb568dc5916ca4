package workflow

import (
	"math"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"
)

// The report counts cells and the links that meet walls, not those through openings.
func TestReportCountsWallLinks(t *testing.T) {
	size := [3]int32{6, 5, 4}
	walls, openings := int64(0), int64(0)
	link := func(x, _, _ int32, d geometry.Offset) (fraction float64, opening int) {
		if x+int32(d.X) < 0 {
			openings++
			return 0.5, 1
		}
		walls++
		return 0.5, 0
	}
	const spacing = 2e-3
	g := generate.LinkedGrid(size, spacing, [3]bool{}, func(_, _, _ int32) bool { return true }, link, []geometry.Opening{{Number: 1, Area: 20 * spacing * spacing}})
	var r GridReport
	r.describeGrid(g, 0)
	if openings == 0 || r.WallLinks != walls || r.FluidCells != 120 || math.Abs(r.FluidVolumeM3-120*8e-9) > 1e-15 {
		t.Errorf("%d links at walls, want %d; %d cells of %g m³", r.WallLinks, walls, r.FluidCells, r.FluidVolumeM3)
	}
}

// Grids are compared with the volume that their surface encloses, and what differs
// much is told with what it does.
func TestVolumesAreCompared(t *testing.T) {
	g := generate.FullGrid([3]int32{11, 11, 40})
	for _, c := range []struct {
		part float64
		want []string
	}{
		{1.0 / 1.21, []string{"+21.0 % against the surface", "21.0 % more than the", "32 % too low"}},
		{1.0 / 0.81, []string{"-19.0 % against the surface", "19.0 % less than the", "52 % too high"}},
		{1.0 / 1.015, []string{"+1.5 % against the surface"}},
		{0, nil},
	} {
		g.Enclosed = c.part * g.Volume()
		var r GridReport
		r.describeGrid(g, 0)
		words := r.Words()
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("of %g of the cells' volume says %q, want %q", c.part, words, want)
			}
		}
		if told := strings.Contains(words, "too low") || strings.Contains(words, "too high"); told != (len(c.want) > 1) {
			t.Errorf("of %g of the cells' volume says %q", c.part, words)
		}
		if len(c.want) == 0 && strings.Contains(words, "against") {
			t.Errorf("of an unknown volume says %q", words)
		}
		s := &Solver{Grid: g, Partition: &balance.Partition{}}
		if p := s.provenance(&airflow.Plan{}); (p.VolumeExcess != nil) != (c.part > 0) || c.part > 0 && math.Abs(1+*p.VolumeExcess-1/c.part) > 1e-9 {
			t.Errorf("of %g of the cells' volume the summary says %v", c.part, p.VolumeExcess)
		}
	}
}

// Of a grid that was made from a surface both are named, each with its own hash.
func TestProvenanceNamesGridAndSurface(t *testing.T) {
	surface := &balance.Source{File: "a.stl", SHA256: "12"}
	s := &Solver{Partition: &balance.Partition{Source: balance.Source{File: "a.grid", SHA256: "34", Surface: surface}}}
	p := s.provenance(&airflow.Plan{Steps: 7})
	if p.Surface == nil || *p.Surface != *surface || p.Grid == nil || p.Grid.File != "a.grid" || p.Grid.SHA256 != "34" || p.Grid.Surface != nil || p.Steps != 7 {
		t.Errorf("surface %+v, grid %+v, %d steps", p.Surface, p.Grid, p.Steps)
	}
	if s.Partition.Source.Surface == nil {
		t.Error("the partition has lost its surface")
	}
}

// The size of a surface is that of its box, wherever it lies.
func TestSurfaceSizeIsSaid(t *testing.T) {
	r := SurfaceReport{}
	r.Low, r.High = [3]float64{10e-3, -20e-3, 100e-3}, [3]float64{12e-3, -15e-3, 107e-3}
	if words, want := r.Words(), "2 × 5 × 7 mm"; !strings.Contains(words, want) {
		t.Errorf("says %q, want %q", words, want)
	}
}

// Cells of a spacing fill a surface's volume, and never more than can be counted.
func TestCellsAreEstimated(t *testing.T) {
	p := &geometry.Prepared{}
	p.Volume = 1e-3
	for _, c := range []struct {
		options geometry.Options
		want    int64
	}{{geometry.Options{FluidCells: 77}, 77}, {geometry.Options{Spacing: 0.01}, 1000}, {geometry.Options{Spacing: 1e-30}, math.MaxInt64 / 2}} {
		if got := estimatedCells(p, c.options); math.Abs(float64(got)/float64(c.want)-1) > 2e-3 { // of whole cells
			t.Errorf("%+v: %d cells, want %d", c.options, got, c.want)
		}
	}
}

// No number of the table of openings is a zero with a minus.
func TestOpeningsTableHasNoNegativeZero(t *testing.T) {
	table := openingsTable([]geometry.OpeningReport{{Number: 1, Center: [3]float64{-4e-6, math.Copysign(0, -1), -6e-6}, Normal: [3]float64{-0.0004, 0.6, -0.0006}, Area: 1e-5}}, 0)
	if strings.Contains(table, "-0.00 ") || strings.Contains(table, "-0.000") || !strings.Contains(table, "-0.01") || !strings.Contains(table, "-0.001") {
		t.Error(table)
	}
}
