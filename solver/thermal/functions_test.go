package thermal

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"carina/internal/simd"
	"carina/solver/expression"
	"carina/solver/stencil"
	"carina/solver/thermal/arithmetic"
)

// Assembly and plain Go give the same bits, and write to the cells asked for alone.
func TestFunctionsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, machine := range simd.Machines() {
		for _, u := range arithmetic.Updates() {
			if u.Name == "equilibrium" {
				continue
			}
			f, plain := functions[u.Name][machine], functions[u.Name][""]
			for n := range 40 {
				agree(t, u, machine, n, f.Double, plain.Double, random, float64(0))
				agree(t, u, machine, n, f.Single, plain.Single, random, float32(0))
			}
		}
	}
}

func agree[T float32 | float64](t *testing.T, u *stencil.Update, machine string, n int, f, plain stencil.Function, random *rand.Rand, _ T) {
	t.Helper()
	const room = 48
	table := stencil.Spread(nil, expression.EvaluateTable[T](u.Program, map[string]float64{arithmetic.Omega: 1.3, arithmetic.GravityX: 2e-3, arithmetic.GravityY: -1e-3, arithmetic.Bottom: 0.8, arithmetic.Top: 0.6}))
	var at, want []unsafe.Pointer
	var got, wanted [][]T
	for i := range len(u.Reads) + len(u.Writes) {
		list := make([]T, room)
		for j := range list {
			if i < len(u.Reads) && u.Reads[i].Present {
				list[j] = T(random.IntN(2))
				continue
			}
			list[j] = T(arithmetic.Velocities[i%populations].Weight * (1 + 0.1*random.NormFloat64()))
		}
		other := append([]T(nil), list...)
		at, want = append(at, unsafe.Pointer(&list[1])), append(want, unsafe.Pointer(&other[1]))
		got, wanted = append(got, list), append(wanted, other)
	}
	f(&at[0], n, unsafe.Pointer(&table[0]))
	plain(&want[0], n, unsafe.Pointer(&table[0]))
	for i := range got {
		for j := range got[i] {
			if math.Float64bits(float64(got[i][j])) != math.Float64bits(float64(wanted[i][j])) {
				t.Fatalf("%s, %s, %d cells: value %d of cell %d is %g, want %g", u.Name, machine, n, i, j-1, got[i][j], wanted[i][j])
			}
		}
	}
}
