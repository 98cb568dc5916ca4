package processor

import (
	"runtime"
	"testing"

	"carina/solver"
	"carina/solver/transport"
)

// Without a number of workers ranks of a process share its processors.
func TestWorkersShareProcessors(t *testing.T) {
	t.Setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "")
	before := runtime.GOMAXPROCS(12)
	defer runtime.GOMAXPROCS(before)
	for _, c := range []struct{ ranks, workers, want int }{{1, 0, 12}, {3, 0, 4}, {5, 0, 2}, {30, 0, 1}, {3, 7, 7}} {
		if got := New(c.workers, transport.NewLocal(c.ranks)[0]).Workers(); got != c.want {
			t.Errorf("%d ranks, %d workers asked for: %d, want %d", c.ranks, c.workers, got, c.want)
		}
	}
}

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

// Values lie apart by the least that holds the cells and puts equal cells of one
// value after the other three cache lines on.
func TestStrides(t *testing.T) {
	for _, bytes := range []int{2, 4, 8} {
		for lines := 1; lines < 200; lines++ {
			for _, cells := range []int{lines*64/bytes - 1, lines * 64 / bytes, lines*64/bytes + 1} {
				want := 0
				for want*64 < cells*bytes || want%64 != 3 {
					want++
				}
				if got := paddedStride(cells, bytes); got != want*64/bytes {
					t.Fatalf("%d cells of %d bytes lie %d apart, want %d", cells, bytes, got, want*64/bytes)
				}
			}
		}
	}
}
