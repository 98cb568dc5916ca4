package workflow

import (
	"math"
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
