package vtk

import (
	"path/filepath"
	"testing"
)

// Writing is bound by compression: bytes are those before it.
func BenchmarkWriteVTU(b *testing.B) {
	p := plates(100, 1)[0]
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
