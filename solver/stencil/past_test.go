package stencil

import (
	"slices"
	"testing"
	"unsafe"

	"carina/internal/simd"
)

// All cells are computed, wherever lines of the cache begin, and nothing else is written.
func TestPast(t *testing.T) {
	if len(simd.Machines()) == 0 {
		t.Skip("this processor has no vectors")
	}
	past[float64](t)
	past[float32](t)
}

func past[T float32 | float64](t *testing.T) {
	const lists, most, margin = 3, 300, 16
	perLine := line / int(unsafe.Sizeof(T(0)))
	twice := func(at *unsafe.Pointer, n int, _ unsafe.Pointer) {
		p := unsafe.Slice(at, 2*lists)
		for i := range lists {
			from, to := unsafe.Slice((*T)(p[i]), n), unsafe.Slice((*T)(p[lists+i]), n)
			for j := range from {
				to[j] = 2 * from[j]
			}
		}
	}
	s := Stencil[T]{sharing: 2, rooms: make([]room[T], 1), update: &Update{Access: Access{Writes: make([]Write, lists)}}}
	s.WritePast(cacheBytes/2 + 1)
	r := &s.rooms[0]
	r.at = make([]unsafe.Pointer, 2*lists)
	for begin := range perLine {
		for _, n := range []int{1, 5, perLine, perLine + 3, 48, 96, 97, 240, 255, most} {
			for _, askew := range []int{0, 1} {
				var from, to [lists][]T
				for i := range lists {
					from[i], to[i] = make([]T, most+3*margin), aligned(make([]T, most+3*margin))
					for j := range from[i] {
						from[i][j] = T(1000*i + j + 1)
					}
					shift := begin + askew*i
					r.at[i], r.at[lists+i] = unsafe.Pointer(&from[i][margin]), unsafe.Pointer(&to[i][shift])
				}
				r.past(twice, nil, lists, lists, n)
				fence()
				for i := range lists {
					want := make([]T, len(to[i]))
					for j := range n {
						want[begin+askew*i+j] = 2 * from[i][margin+j]
					}
					if !slices.Equal(to[i], want) {
						t.Fatalf("%d cells from number %d of a line on, list %d: %v, want %v", n, begin, i, to[i], want)
					}
				}
			}
		}
	}
}
