package wallshear_test

import (
	"testing"

	"carina/solver/airflow/wallshear"
)

func BenchmarkMeasure(b *testing.B) {
	p, g, along, from := turnedPipe(b)
	velocity, pressure := fill(g, along, from, func(r float64) float64 { return 1 - r*r })
	w := wallshear.NewWall(p, g.Spacing)
	for b.Loop() {
		wallshear.Measure(w, g, pressure, &velocity, 1.8e-5)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*len(w.Triangles))*1e6, "µs/triangle")
}
