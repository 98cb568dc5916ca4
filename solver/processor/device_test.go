package processor

import (
	"testing"

	"carina/solver"
	"carina/solver/transport"
)

// A device has memory for every value of every cell, and tells how much.
func TestAllocate(t *testing.T) {
	for _, cells := range []int{1, 100, 4096} {
		d := New(1, transport.NewLocal(1)[0])
		fields := []solver.Field{{Name: "one", Values: 3, Kind: solver.Float32}, {Name: "two", Values: 2, Kind: solver.Float64}}
		if err := d.Allocate(&solver.Layout{Cells: cells, Domain: &solver.Domain{Ranks: 1}}, fields); err != nil {
			t.Fatal(err)
		}
		least := int64(cells * (3*4 + 2*8))
		if got := d.Bytes(); got < least || got > 2*least+1<<18 {
			t.Errorf("%d cells have %d bytes, want at least %d", cells, got, least)
		}
		single, singleStride := Values[float32](d, 0)
		double, doubleStride := Values[float64](d, 3)
		if singleStride < cells || doubleStride < cells || len(single) < 3*singleStride || len(double) < 2*doubleStride {
			t.Errorf("%d cells: %d values %d apart, and %d values %d apart", cells, len(single), singleStride, len(double), doubleStride)
		}
		d.Close()
	}
}
