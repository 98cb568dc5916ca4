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
			f, past, plain := functions[u.Name][machine], functions[u.Name][machine+"Past"], functions[u.Name][""]
			for _, n := range []int{0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 45, 63, 64, 65, 80, 89} {
				agree(t, u, machine, n, f.Double, plain.Double, random, float64(0))
				agree(t, u, machine, n, f.Single, plain.Single, random, float32(0))
				// Whole lines of the cache alone go past it: here 8 and 16 values.
				if past.Double != nil && n%8 == 0 {
					agree(t, u, machine+"Past", n, past.Double, plain.Double, random, float64(0))
				}
				if past.Single != nil && n%16 == 0 {
					agree(t, u, machine+"Past", n, past.Single, plain.Single, random, float32(0))
				}
			}
		}
	}
}

func agree[T float32 | float64](t *testing.T, u *stencil.Update, machine string, n int, f, plain stencil.Function, random *rand.Rand, _ T) {
	t.Helper()
	const room, line = 128, 64
	first := line / int(unsafe.Sizeof(T(0)))
	table := stencil.Spread(nil, expression.EvaluateTable[T](u.Program, map[string]float64{arithmetic.Omega: 1.3, arithmetic.GravityX: 2e-3, arithmetic.GravityY: -1e-3, arithmetic.Bottom: 0.8, arithmetic.Top: 0.6}))
	var at, want []unsafe.Pointer
	var got, wanted [][]T
	for i := range len(u.Reads) + len(u.Writes) {
		list := make([]T, room)
		for uintptr(unsafe.Pointer(&list[0]))%line > 0 {
			list = list[1:]
		}
		for j := range list {
			if i < len(u.Reads) && u.Reads[i].Present {
				list[j] = T(random.IntN(2))
				continue
			}
			list[j] = T(arithmetic.Velocities[i%populations].Weight * (1 + 0.1*random.NormFloat64()))
		}
		other := append([]T(nil), list...)
		at, want = append(at, unsafe.Pointer(&list[first])), append(want, unsafe.Pointer(&other[first]))
		got, wanted = append(got, list), append(wanted, other)
	}
	f(&at[0], n, unsafe.Pointer(&table[0]))
	plain(&want[0], n, unsafe.Pointer(&table[0]))
	for i := range got {
		for j := range got[i] {
			if math.Float64bits(float64(got[i][j])) != math.Float64bits(float64(wanted[i][j])) {
				t.Fatalf("%s, %s, %d cells: value %d of cell %d is %g, want %g", u.Name, machine, n, i, j-first, got[i][j], wanted[i][j])
			}
		}
	}
}
