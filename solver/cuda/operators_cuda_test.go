//go:build cuda

package cuda

import (
	"fmt"
	"testing"

	"carina/geometry"
	"carina/solver"
)

// BenchmarkOperators measures all operators on a periodic cube full of fluid in
// every precision, and a look for divergence.
func BenchmarkOperators(b *testing.B) {
	const side, steps = 384, 40
	g := &geometry.Grid{Spacing: 1e-4, Size: [3]int32{side, side, side}}
	for z := range int32(side) {
		for y := range int32(side) {
			g.Runs = append(g.Runs, geometry.Run{X1: side, Y: y, Z: z})
		}
	}
	g.Links = geometry.Links{Directions: 18, First: []int64{0}}
	domain := solver.WholeDomain(g)
	domain.Periodic = [3]bool{true, true, true}
	for _, o := range operators {
		for _, c := range []struct {
			name      string
			storage   Storage
			precision solver.Precision
		}{{"double", Single, solver.Double}, {"single", Single, solver.Single}, {"half", Half, solver.Single}} {
			name := fmt.Sprintf("%s/%s", o.name, c.name)
			if o.largeEddy {
				name = fmt.Sprintf("%s+LES/%s", o.name, c.name)
			}
			b.Run(name, func(b *testing.B) {
				settings := solver.DefaultSettings()
				settings.Collision, settings.Precision = solver.Collision(o.name), c.precision
				if o.largeEddy {
					settings.Smagorinsky = 0.15
				}
				s, err := New(domain, settings, Options{Storage: c.storage})
				if err != nil {
					b.Skip(err)
				}
				defer s.Close()
				if err := s.Scramble(1); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					t, err := s.Measure(steps)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(g.Cells())/t.Step/1e6, "MLUPS")
					b.ReportMetric(t.Even*1e3, "even-ms")
					b.ReportMetric(t.Odd*1e3, "odd-ms")
					b.ReportMetric(t.Check*1e3, "check-ms")
				}
			})
		}
	}
}
