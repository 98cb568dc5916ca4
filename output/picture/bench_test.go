package picture

import (
	"path/filepath"
	"testing"

	"carina/geometry/generate"
)

func BenchmarkRender(b *testing.B) {
	p := tube(320, 1)[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Render(p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.Cells())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
}

func BenchmarkWriteFlow(b *testing.B) {
	layers, err := Render(tube(320, 1)[0])
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "flow.png")
	for b.Loop() {
		if err := WriteFlow(path, layers, FlowPicture{Openings: ends()}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteSurface(b *testing.B) {
	s, openings, err := generate.Airway(generate.AirwayOptions{})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "surface.png")
	for b.Loop() {
		if err := WriteSurface(path, s, SurfacePicture{Openings: openings}); err != nil {
			b.Fatal(err)
		}
	}
}
