package generate_test

import (
	"fmt"
	"testing"

	"carina/geometry/generate"
)

// BenchmarkAirway reports time and triangles by rule and generations.
func BenchmarkAirway(b *testing.B) {
	for _, rule := range []generate.Rule{generate.Weibel, generate.Kitaoka} {
		for _, generations := range []int{4, 8, generate.MaxGenerations} {
			b.Run(fmt.Sprintf("%s/generations=%d", rule, generations), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s, openings, err := generate.Airway(generate.AirwayOptions{Rule: rule, Generations: generations})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(s.Triangles)), "triangles")
					b.ReportMetric(float64(len(openings)), "openings")
				}
			})
		}
	}
}
