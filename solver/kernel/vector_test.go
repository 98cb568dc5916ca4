package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"carina/solver/collision"
	"carina/solver/lattice"
)

func parameters() map[string]float64 {
	return map[string]float64{
		collision.OmegaPlus: 1.7, collision.OmegaMinus: 1.1,
		collision.RelaxationTime: 1 / 1.7, collision.Magic: 3. / 16, collision.EddyFactor: 0.5,
		collision.ForceX: 1e-4, collision.ForceY: -2e-4, collision.ForceZ: 3e-5,
	}
}

func randomPopulations(n int, random *rand.Rand) []float32 {
	f := make([]float32, n)
	for i := range f {
		f[i] = float32(random.NormFloat64() * 0.02)
	}
	return f
}

func pointers(f []float32, stride int) []*float32 {
	var list []*float32
	for i := 0; i+stride <= len(f); i += stride {
		list = append(list, &f[i])
	}
	return list
}

func scratch() *byte {
	words := make([]byte, ScratchBytes+64)
	return &words[-uintptr(unsafe.Pointer(&words[0]))&63]
}

func equalBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: value %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

// Assembly and plain Go give the same bits, in rows and in windows.
func TestVectorsAgainstGo(t *testing.T) {
	if len(Machines()) == 0 {
		t.Skip("no assembly for this processor")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, machine := range Machines() {
		for _, v := range collision.Variants() {
			local, err := NewLocal[float32](v)
			if err != nil {
				t.Fatal(err)
			}
			table, err := NewTable[float32](v, parameters())
			if err != nil {
				t.Fatal(err)
			}
			vector := NewVector(machine, v)
			if vector == nil {
				t.Fatalf("no %s kernel for %s", machine, v.Identifier())
			}
			for range 50 {
				testWindows(t, vector, false, local, table, v, random)
				testWindows(t, vector, true, local, table, v, random)
			}
		}
	}
}

// testWindows updates windows of random cells whose neighbours are anywhere.
func testWindows(t *testing.T, vector *Vector, odd bool, local Local[float32], table *Table[float32], v collision.Variant, random *rand.Rand) {
	q := v.Set.Q
	const stride, windows = 600, 3
	got := randomPopulations(q*stride, random)
	want := append([]float32(nil), got...)
	var words []uint32
	cell := 100
	for k := range windows {
		count := 1 + random.IntN(WindowCells)
		w := make([]uint32, 2+q-1)
		w[0], w[1] = uint32(cell), uint32(count)
		at := make([]int, q) // of the first lane
		for i := range q {
			at[i] = i*stride + cell
			if i == 0 {
				continue
			}
			// No location belongs to two cells: each window has its own area.
			offset := 200 + 100*k + random.IntN(80) - cell
			if random.IntN(2) == 0 {
				offset = 30*k + random.IntN(14) - cell
			}
			back := lattice.Opposite(i)
			w[2+back-1] = uint32(int32(offset))
			if odd {
				at[i] = back*stride + cell + offset
			}
		}
		words = append(words, w...)
		gathered := make([]float32, q*WindowCells)
		for i := range q {
			copy(gathered[i*WindowCells:][:count], want[at[i]:])
		}
		local(gathered, WindowCells, count, table)
		for i := range q {
			copy(want[at[i]:], gathered[i*WindowCells:][:count])
		}
		cell += count
	}
	run, name := vector.Even, "even"
	if odd {
		run, name = vector.Odd, "odd"
	}
	run(&pointers(got, stride)[0], &words[0], 2+q-1, windows, &table[0], scratch())
	equalBits(t, vector.Machine+" "+name+" "+v.Identifier(), got, want)
}

// The Go kernels do what the expressions say, to rounding.
func TestGoAgainstExpressions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, v := range collision.Variants() {
		local, err := NewLocal[float64](v)
		if err != nil {
			t.Fatal(err)
		}
		table, err := NewTable[float64](v, parameters())
		if err != nil {
			t.Fatal(err)
		}
		f := make([]float64, v.Set.Q)
		for i := range f {
			f[i] = random.NormFloat64() * 0.02
		}
		want := v.Program().Evaluate(f, parameters())
		local(f, 1, 1, table)
		for i := range f {
			if math.Abs(f[lattice.Opposite(i)]-want[i]) > 1e-16 {
				t.Errorf("%s: population %d is %g, want %g", v.Identifier(), i, f[lattice.Opposite(i)], want[i])
			}
		}
	}
}
