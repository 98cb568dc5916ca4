package airflow

import (
	"math"
	"reflect"
	"testing"

	"carina/solver/enginetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Gauges show the same, to the last bit, on one rank and on four whose cells change owner,
// and the means of the fields of their cells.
func TestGauges(t *testing.T) {
	g := fork()
	s := restedSettings()
	point := g.Center(5, 10, 4)
	list := []Gauge{
		{Center: point},
		{Center: g.Center(30, 4, 4), Normal: r3.Vec{X: -3}, Radius: 6e-4},
		{Cells: []int64{0, 1, 63, 64, 1000, g.Cells() - 1}},
		{Center: r3.Vec{X: -1}},
		{Cells: []int64{}},
	}
	if n := []int{list[0].In(g), list[1].In(g), list[3].In(g)}; !reflect.DeepEqual(n, []int{1, 64, 0}) {
		t.Errorf("gauges have %v cells", n)
	}
	var want [][]Reading
	for _, ranks := range []int{1, 4} {
		enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
			r, err := NewRank(scattered(g, 5, ranks, 3, [3]bool{}), s, tr)
			if err != nil {
				return err
			}
			defer func() { r.Close() }()
			gauges := NewGauges(list)
			for k := range 4 {
				for range 50 {
					if err := r.engine.Step(); err != nil {
						return err
					}
				}
				if k%2 == 1 {
					if err := r.Move(scattered(g, int32(4+k), ranks, uint64(k), [3]bool{})); err != nil {
						return err
					}
				}
				read, err := r.Read(gauges)
				if err != nil {
					return err
				}
				if ranks == 1 {
					want = append(want, read)
					checkReading(t, &read[2], list[2].Cells, must(r.Fields()))
				} else if !reflect.DeepEqual(read, want[k]) {
					t.Errorf("rank %d, sample %d: %v, want %v", tr.Rank(), k, read, want[k])
				}
				area := float64(read[1].Cells) * g.Spacing * g.Spacing
				if flow := -read[1].Velocity.X * area; math.Abs(read[1].Flow-flow) > 1e-9*math.Abs(flow) || flow == 0 {
					t.Errorf("flow %g, want %g", read[1].Flow, flow)
				}
				samples, err := r.Probe([]r3.Vec{point})
				if err != nil {
					return err
				}
				if u := samples[0].Velocity; r3.Norm(r3.Sub(u, read[0].Velocity)) > 1e-6*r3.Norm(u) || math.Abs(samples[0].Pressure-read[0].Pressure) > 1e-5 {
					t.Errorf("a point has %+v, and a probe %+v", read[0], samples[0])
				}
				if read[3].Cells != 0 || read[4].Cells != 0 {
					t.Error("gauges without cells have some")
				}
			}
			return nil
		})
	}
}

func checkReading(t *testing.T, read *Reading, cells []int64, f *Fields) {
	t.Helper()
	var p, u float64
	for _, c := range cells {
		p, u = p+float64(f.Pressure[c])/float64(len(cells)), u+float64(f.Velocity[0][c])/float64(len(cells))
	}
	if read.Cells != int64(len(cells)) || math.Abs(read.Pressure-p) > 1e-5*math.Abs(p) || math.Abs(read.Velocity.X-u) > 1e-6*math.Abs(u) {
		t.Errorf("%+v, want %g Pa and %g m/s", read, p, u)
	}
}
