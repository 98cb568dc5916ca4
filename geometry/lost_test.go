package geometry

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// Three tubes apart: the inlet's, one with cells that have no way to the
// inlet, and one narrower than a cell.
func TestClosedOpeningsSayWhy(t *testing.T) {
	tube := func(x, radius float64) *Surface {
		return tubeSurface(r3.Vec{X: x}, r3.Vec{X: x, Z: 40e-3}, radius, 24, 20, false)
	}
	p, err := Prepare(joined(tube(0, 8e-3), tube(20e-3, 4e-3), tube(30.3e-3, 0.4e-3)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Openings) != 6 {
		t.Fatalf("%d openings, want 6", len(p.Openings))
	}
	g, filled, err := VoxelizePrepared(context.Background(), p, Options{Spacing: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]struct {
		reason Loss
		says   string
	}{
		3: {CutOff, "cut off from the inlet"}, 4: {CutOff, "cut off from the inlet"},
		5: {TooFewCells, "cells across"}, 6: {TooFewCells, "cells across"},
	}
	for _, lost := range filled.LostOpenings {
		expected := want[lost.Number]
		if said := lost.String(); lost.Reason != expected.reason || !strings.Contains(said, expected.says) || !strings.Contains(said, "--drop-opening") {
			t.Errorf("opening %d: %q, %q; want %q", lost.Number, lost.Reason, said, expected.reason)
		}
		delete(want, lost.Number)
	}
	if len(want) > 0 {
		t.Errorf("nothing is said of %v", want)
	}
	// Wide, without a link and without cells behind it.
	nothing := Grid{Spacing: g.Spacing, Openings: g.Openings[:1]}
	if lost := nothing.lostOpenings(make([]bool, 2)); len(lost) != 1 || lost[0].Reason != NoLumen || !strings.Contains(lost[0].String(), "no lumen behind") {
		t.Errorf("an end without a lumen: %v", lost)
	}
}

// Dropping takes an opening's triangles to the wall and nothing else.
func TestDroppedOpeningBecomesWall(t *testing.T) {
	s := tubeSurface(r3.Vec{}, r3.Vec{Z: 40e-3}, 8e-3, 24, 20, false)
	whole, err := Prepare(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(s, Options{DropOpenings: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Openings) != 1 || p.Openings[0].Number != 2 || p.Openings[0].Center != whole.Openings[1].Center || p.Openings[0].Role != Inlet {
		t.Errorf("openings %+v; want number 2 as before, now the inlet", p.Openings)
	}
	for i, place := range p.Opening {
		if want := map[uint16]uint16{0: 0, 1: 0, 2: 1}[whole.Opening[i]]; place != want {
			t.Fatalf("triangle %d belongs to place %d, want %d", i, place, want)
		}
	}
	if p.Volume != whole.Volume {
		t.Errorf("the volume became %g from %g", p.Volume, whole.Volume)
	}
}
