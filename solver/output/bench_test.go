package output

import (
	"path/filepath"
	"testing"

	"carina/geometry/generate"
)

// Writing is bound by compression: bytes are those before it.
func BenchmarkWriteVTU(b *testing.B) {
	p := tube(320, 1)[0]
	path := filepath.Join(b.TempDir(), "piece.vtu")
	// Pressure, velocity, rank, eight corners, offset and type of each cell;
	// the points are about one a cell more.
	b.SetBytes(p.Cells() * (4 + 12 + 4 + 32 + 4 + 1 + 12))
	b.ReportAllocs()
	for b.Loop() {
		if err := WriteVTU(path, p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.Cells())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
}

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
