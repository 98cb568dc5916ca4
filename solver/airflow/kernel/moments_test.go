package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"carina/internal/race"
	"carina/internal/simd"
	"carina/solver/airflow/collision"
	"carina/solver/lattice"
)

// What is no number in any population of a cell shows in its velocity.
func TestMomentsShowWhatIsNoNumber(t *testing.T) {
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		for i := range set.Q {
			gathered := make([]float32, set.Q*WindowCells)
			gathered[i*WindowCells+5] = float32(math.NaN())
			var m Moments
			AddUp(&m, set, &[3]float64{}, gathered)
			for lane := range WindowCells {
				none := math.IsNaN(m.Velocity[0][lane] + m.Velocity[1][lane] + m.Velocity[2][lane])
				if none != (lane == 5) {
					t.Errorf("%s: population %d of lane 5 is no number, and velocity of lane %d: %v", set.Name, i, lane, none)
				}
			}
		}
	}
}

// Assembly and plain Go add up to the same bits, whatever was there before.
func TestSummersAgree(t *testing.T) {
	race.SkipArithmetic(t)
	for _, machine := range simd.Machines() {
		for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
			testSummer[float32](t, machine, Single, set)
			testSummer[float64](t, machine, Double, set)
		}
	}
}

func testSummer[T Real](t *testing.T, machine string, storage Storage, set *lattice.Set) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, uint64(set.Q)))
	gathered := make([]T, set.Q*WindowCells)
	for i := range gathered {
		gathered[i] = T(0.05 * random.NormFloat64())
	}
	half := [3]float64{1e-3, -2e-5, 0}
	var want, got Moments
	for lane := range got.Density {
		got.Density[lane], got.Velocity[1][lane] = math.NaN(), 7
	}
	AddUp(&want, set, &half, gathered)
	vector := NewVector(machine, storage, collision.Variant{Name: "trt", Set: set})
	vector.Sum(&got.Density[0], (*byte)(unsafe.Pointer(&gathered[0])), &half[0])
	if got != want {
		t.Errorf("%s, %s, %s: %v, want %v", machine, storage, set.Name, got, want)
	}
}
