//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// BenchmarkStatistics measures a sample of statistics beside the steps between two, with
// the checks and the kept fields that a run has: of an airway, in single precision and
// with 16-bit storage.
func BenchmarkStatistics(b *testing.B) {
	const cells, interval, turns = 1e7, 2 * airflow.CheckInterval, 10
	devicetest.Open(b, 1)
	surface, _, err := generate.Airway(generate.AirwayOptions{Generations: 11})
	if err != nil {
		b.Fatal(err)
	}
	grid, err := geometry.Voxelize(b.Context(), surface, geometry.Options{FluidCells: cells})
	if err != nil {
		b.Fatal(err)
	}
	for _, storage := range []Storage{Single, Half} {
		b.Run(string(storage), func(b *testing.B) {
			s, err := airflow.NewRankOn(Backend(Options{Storage: storage}), solver.WholeDomain(grid), airflow.DefaultSettings(), transport.NewLocal(1)[0])
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			m, err := newMeasured(s)
			if err != nil {
				b.Fatal(err)
			}
			samples := m.statistics.Sampler
			room, err := samples.Begin(1)
			if err := errors.Join(err, m.warmUp(), m.Keep(), samples.Add(0, 1)); err != nil || !room {
				b.Fatal(room, err)
			}
			timed := func(f func() error) float64 {
				b.Helper()
				seconds, err := m.elapsed(f)
				if err != nil {
					b.Fatal(err)
				}
				return seconds
			}
			steps := func() error {
				for range interval / airflow.CheckInterval {
					_, _, err := m.CheckAll()
					if err := errors.Join(m.step(airflow.CheckInterval), err, m.Keep()); err != nil {
						return err
					}
				}
				return nil
			}
			for b.Loop() {
				var without, with, sample []float64
				for range turns {
					without = append(without, timed(steps))
					with = append(with, timed(func() error { return errors.Join(steps(), samples.Add(0, 0.5)) }))
					sample = append(sample, timed(func() error { return samples.Add(0, 0.5) }))
				}
				b.ReportMetric(median(without)*1e3, "ms-without")
				b.ReportMetric(median(with)*1e3, "ms-with")
				b.ReportMetric(median(sample)*1e3, "ms-sample")
				b.ReportMetric(median(with)/median(without)-1, "share")
				b.Log(fmt.Sprintf("%.3g", without), fmt.Sprintf("%.3g", with))
			}
		})
	}
}
