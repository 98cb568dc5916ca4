package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"carina/internal/race"
	"carina/internal/simd"
	"carina/solver/airflow/collision"
	"carina/solver/lattice"
)

func parameters() map[string]float64 {
	return map[string]float64{
		collision.OmegaPlus: 1.7, collision.OmegaMinus: 1.1,
		collision.RelaxationTime: 1 / 1.7, collision.Magic: 3. / 16, collision.EddyFactor: 0.5, collision.LimiterFactor: 0.6, collision.SumForgetting: 0.2, collision.DifferenceForgetting: 0.1, collision.SumBySpeed: 5, collision.DifferenceBySpeed: 2, collision.FourthBySpeed: -0.4, collision.TraceKept: -0.3,
		collision.ThirdLimit: 0.02, collision.KeptSum: 0.7, collision.KeptDifference: 0.8, collision.KeptMixed: 0.9, collision.FlatFourth: -0.4, collision.BentFourth: 0.3,
		collision.ForceX: 1e-4, collision.ForceY: -2e-4, collision.ForceZ: 3e-5,
	}
}

// stored is what populations are in memory.
type stored interface{ Real | Float16 }

func storageOf[S stored]() Storage {
	var s S
	switch any(s).(type) {
	case float32:
		return Single
	case float64:
		return Double
	default:
		return Half
	}
}

func load[T Real, S stored](s S) T {
	switch s := any(s).(type) {
	case float32:
		return T(s)
	case float64:
		return T(s)
	default:
		return T(s.(Float16).Value())
	}
}

func store[S stored, T Real](v T) S {
	var s S
	switch p := any(&s).(type) {
	case *float32:
		*p = float32(v)
	case *float64:
		*p = float64(v)
	case *Float16:
		*p = NewFloat16(float32(v))
	}
	return s
}

func bits[S stored](s S) uint64 {
	if storageOf[S]() == Single {
		return uint64(math.Float32bits(load[float32](s)))
	}
	return math.Float64bits(load[float64](s))
}

func randomPopulations[S stored](n int, random *rand.Rand) []S {
	f := make([]S, n)
	for i := range f {
		f[i] = store[S](random.NormFloat64() * 0.02)
	}
	return f
}

func pointers[S stored](f []S, stride int) []*byte {
	var list []*byte
	for i := 0; i+stride <= len(f); i += stride {
		list = append(list, (*byte)(unsafe.Pointer(&f[i])))
	}
	return list
}

func scratch() *byte {
	words := make([]byte, ScratchBytes+64)
	return &words[-uintptr(unsafe.Pointer(&words[0]))&63]
}

// Assembly and plain Go give the same bits, for every storage.
func TestVectorsAgainstGo(t *testing.T) {
	race.SkipArithmetic(t)
	if len(simd.Machines()) == 0 {
		t.Skip("no assembly for this processor")
	}
	for _, machine := range simd.Machines() {
		for _, v := range collision.Variants() {
			testVector[float32, float32](t, machine, v)
			testVector[float64, float64](t, machine, v)
			testVector[float32, Float16](t, machine, v)
		}
	}
}

// window is what a test knows of one: where each lane of each population
// arrives, and the words for the kernels.
type window struct {
	count int
	at    [27][WindowCells]int
	words []uint32
}

// randomWindow has its neighbours anywhere in its own area, the number-th, of
// arrays of the given stride: no location belongs to two cells.
func randomWindow(set *lattice.Set, number, stride int, kind string, random *rand.Rand) *window {
	w := &window{count: 1 + random.IntN(WindowCells), words: make([]uint32, 2+(set.Q-1)+(set.Q-1)/2)}
	cell := 100 + 20*number
	w.words[0], w.words[1] = uint32(cell), uint32(w.count)
	for i := range set.Q {
		back := lattice.Opposite(i)
		away := 200 + 100*number + random.IntN(80)
		if random.IntN(2) == 0 {
			away = 30*number + random.IntN(14)
		}
		var fluid uint32
		for lane := range WindowCells {
			w.at[i][lane] = i*stride + cell + lane
			if kind == "even" || i == 0 || kind == "walled" && random.IntN(3) == 0 {
				continue
			}
			w.at[i][lane] = back*stride + away + lane
			fluid |= 1 << lane
		}
		if i > 0 {
			w.words[2+back-1] = uint32(int32(away - cell))
			w.words[2+set.Q-1+(back-1)/2] |= (fluid & (1<<w.count - 1)) << (16 * ((back - 1) % 2))
		}
	}
	return w
}

// testVector updates random windows by assembly and by the Go kernel.
func testVector[T Real, S stored](t *testing.T, machine string, v collision.Variant) {
	t.Helper()
	vector := NewVector(machine, storageOf[S](), v)
	if vector == nil {
		if storageOf[S]() == Half && machine == "AVX2" {
			return
		}
		t.Fatalf("no %s kernel for %s in %s", machine, v.Identifier(), storageOf[S]())
	}
	local, err := NewLocal[T](v)
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable[T](v, parameters())
	if err != nil {
		t.Fatal(err)
	}
	scaled := v
	scaled.Scaled = storageOf[S]() == Half
	scaledTable, err := NewTable[T](scaled, parameters())
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	const stride, windows = 600, 3
	for kind, run := range map[string]WindowKernel{"even": vector.Even, "odd": vector.Odd, "walled": vector.Walled} {
		for range 30 {
			got := randomPopulations[S](v.Set.Q*stride, random)
			want := append([]S(nil), got...)
			var words []uint32
			width := 0
			for k := range windows {
				w := randomWindow(v.Set, k, stride, kind, random)
				width = len(w.words)
				words = append(words, w.words...)
				updateWindow(want, w, local, table, v.Set.Q)
			}
			words = append(words, make([]uint32, WindowsAhead*width)...)
			run(&pointers(got, stride)[0], &words[0], width, windows, (*byte)(unsafe.Pointer(scaledTable)), scratch())
			for i := range want {
				if bits(got[i]) != bits(want[i]) {
					t.Fatalf("%s %s %s in %s: value %d is %g, want %g", machine, kind, v.Identifier(), storageOf[S](), i, load[float64](got[i]), load[float64](want[i]))
				}
			}
		}
	}
}

// updateWindow gathers a window, updates it by the Go kernel and returns it.
func updateWindow[T Real, S stored](f []S, w *window, local Local[T], table *Table[T], q int) {
	gathered := make([]T, q*WindowCells)
	for i := range q {
		for lane := range w.count {
			gathered[i*WindowCells+lane] = load[T](f[w.at[i][lane]])
		}
	}
	var dither Dither
	left := make([]S, len(gathered))
	if g, ok := any(gathered).([]float32); ok {
		dither.Seed(g)
	}
	local(gathered, WindowCells, w.count, table)
	if packed, ok := any(left).([]Float16); ok {
		dither.Encode(packed, any(gathered).([]float32))
	} else {
		for i, v := range gathered {
			left[i] = store[S](v)
		}
	}
	for i := range q {
		for lane := range w.count {
			f[w.at[i][lane]] = left[i*WindowCells+lane]
		}
	}
}

// The Go kernels do what the expressions say, to rounding.
func TestGoAgainstExpressions(t *testing.T) {
	race.SkipArithmetic(t)
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

// Numbers below the least normal one count as zero, while the caller's
// arithmetic keeps them.
func TestVectorsFlushTinyNumbers(t *testing.T) {
	race.SkipArithmetic(t)
	if len(simd.Machines()) == 0 {
		t.Skip("no assembly for this processor")
	}
	for _, machine := range simd.Machines() {
		for _, v := range collision.Variants() {
			testFlush[float32](t, machine, v, 1e-40)
			testFlush[float64](t, machine, v, 1e-310)
		}
	}
}

func testFlush[T Real](t *testing.T, machine string, v collision.Variant, tiny T) {
	table, err := NewTable[T](v, parameters())
	if err != nil {
		t.Fatal(err)
	}
	k := NewVector(machine, storageOf[T](), v)
	update := func(scale T) []T {
		f := make([]T, v.Set.Q*WindowCells)
		for i := range f {
			f[i] = scale * T(1+i%7)
		}
		k.Even(&pointers(f, WindowCells)[0], &[]uint32{0, WindowCells}[0], 2, 1, (*byte)(unsafe.Pointer(table)), scratch())
		return f
	}
	if got, want := update(tiny), update(0); !slices.Equal(got, want) {
		t.Errorf("%s on %s: %v from tiny numbers, %v from zeros", v.Identifier(), machine, got, want)
	}
	if tiny/2 == 0 {
		t.Errorf("%s on %s: the caller's numbers are flushed, too", v.Identifier(), machine)
	}
}
