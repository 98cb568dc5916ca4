package carina

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
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

// A lumen of which most ends stay closed is told of, and one whose ends are all open is not.
func TestClosedEndsAreTold(t *testing.T) {
	g := generate.TreeGrid(60, 3)
	ends := len(g.Lumen().Ends())
	for open, told := range map[int]bool{2: true, ends: false} {
		g.Openings = make([]geometry.Opening, open)
		var r GridReport
		r.doubtClosed(g)
		if told != (len(r.Notes) == 1) || ends < 4 {
			t.Errorf("%d of %d ends are open: %q", open, ends, r.Notes)
		}
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
