package airflow

import (
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/transport"
)

func TestMemoryEstimateCoversWhatIsUsed(t *testing.T) {
	for _, precision := range Precisions {
		for _, lattice := range Lattices {
			checkMemoryEstimate(t, precision, lattice)
		}
	}
}

func checkMemoryEstimate(t *testing.T, precision Precision, lattice Lattice) {
	t.Helper()
	tube := func(_, y, z int32) bool { return (y-12)*(y-12)+(z-12)*(z-12) < 120 }
	grid := generate.LinkedGrid([3]int32{60, 25, 25}, 1e-3, [3]bool{}, tube, halfWay, nil)
	settings := DefaultSettings()
	settings.Precision, settings.Lattice, settings.FlowRate, settings.TimeStep = precision, lattice, 0, 1e-4
	r, err := NewRank(solver.WholeDomain(grid), settings, transport.NewLocal(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	const fields = 16 // bytes a cell, for output
	used, estimate := r.Bytes()+fields*grid.Cells(), MemoryEstimate(grid.Cells(), settings)
	r.Close()
	if used > estimate || used < estimate/2 {
		t.Errorf("%s, %s: %d bytes are held, %d estimated", precision, lattice, used, estimate)
	}
}
