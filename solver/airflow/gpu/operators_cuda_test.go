//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// cube is periodic and full of fluid.
func cube(side int32) *solver.Domain {
	g := &geometry.Grid{Spacing: 1e-4, Size: [3]int32{side, side, side}}
	for z := range side {
		for y := range side {
			g.Runs = append(g.Runs, geometry.Run{X1: side, Y: y, Z: z})
		}
	}
	g.Links = geometry.Links{Directions: len(geometry.Directions)}
	domain := solver.WholeDomain(g)
	domain.Periodic = [3]bool{true, true, true}
	return domain
}

// BenchmarkOperators measures all operators on a periodic cube full of fluid in
// every precision, and a check for divergence.
func BenchmarkOperators(b *testing.B) {
	const steps = 40
	devicetest.Open(b, 1)
	domain := cube(384)
	for _, o := range operators {
		for _, c := range []struct {
			name      string
			storage   Storage
			precision airflow.Precision
		}{{"double", Single, airflow.Double}, {"single", Single, airflow.Single}, {"half", Half, airflow.Single}} {
			name := fmt.Sprintf("%s/%s/%s", o.set.Name, o.name, c.name)
			if o.largeEddy {
				name = fmt.Sprintf("%s/%s+LES/%s", o.set.Name, o.name, c.name)
			}
			b.Run(name, func(b *testing.B) {
				settings := airflow.DefaultSettings()
				settings.Collision, settings.Precision, settings.Lattice = airflow.Collision(o.name), c.precision, airflow.Lattice(o.set.Name)
				if o.largeEddy {
					settings.Smagorinsky = 0.15
				}
				s, err := airflow.NewRankOn(Backend(Options{Storage: c.storage}), domain, settings, transport.NewLocal(1)[0])
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				if err := Scramble(s, 1); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					t, err := Measure(s, steps)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(domain.Grid.Cells())/t.Step/1e6, "MLUPS")
					b.ReportMetric(t.Even*1e3, "even-ms")
					b.ReportMetric(t.Odd*1e3, "odd-ms")
					b.ReportMetric(t.Check*1e3, "check-ms")
				}
			})
		}
	}
}

// BenchmarkSnapshot measures what fetching the fields costs the steps that go
// on meanwhile.
func BenchmarkSnapshot(b *testing.B) {
	const steps = 200
	devicetest.Open(b, 1)
	domain := cube(384)
	s, err := airflow.NewRankOn(Backend(Options{}), domain, airflow.DefaultSettings(), transport.NewLocal(1)[0])
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	m, err := newMeasured(s)
	if err := errors.Join(err, Scramble(s, 1), m.warmUp()); err != nil {
		b.Fatal(err)
	}
	fetch := func() error {
		wait, err := s.Snapshot()
		if err != nil {
			return err
		}
		_, err = wait()
		return err
	}
	if err := fetch(); err != nil { // compiles, and makes room
		b.Fatal(err)
	}
	timed := func(before func() error) float64 {
		b.Helper()
		seconds, err := m.elapsed(func() error {
			if err := before(); err != nil {
				return err
			}
			return m.step(steps)
		})
		if err != nil {
			b.Fatal(err)
		}
		return seconds
	}
	for b.Loop() {
		alone := timed(func() error { return nil })
		var snapshot func() (*airflow.Fields, error)
		begin := time.Now()
		fetching := timed(func() (err error) {
			snapshot, err = s.Snapshot()
			return err
		})
		if _, err := snapshot(); err != nil {
			b.Fatal(err)
		}
		arrived := time.Since(begin).Seconds()
		begin = time.Now()
		if _, err := s.Fields(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(alone*1e3, "ms-alone")
		b.ReportMetric(fetching*1e3, "ms-while-fetching")
		b.ReportMetric(arrived*1e3, "ms-until-arrived")
		b.ReportMetric(time.Since(begin).Seconds()*1e3, "ms-fields-at-once")
	}
}
