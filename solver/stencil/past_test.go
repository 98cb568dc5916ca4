package stencil

import (
	"slices"
	"testing"
	"unsafe"
)

// All cells are computed once, in one piece or in many, whole lines of the cache past it where
// lines begin alike in all lists, and nothing else is written.
func TestPast(t *testing.T) {
	past[float64](t)
	past[float32](t)
}

func past[T float32 | float64](t *testing.T) {
	const lists, most, margin = 3, 300, 16
	size := int(unsafe.Sizeof(T(0)))
	perLine, wentPast := line/size, 0
	twice := func(at *unsafe.Pointer, n int, _ unsafe.Pointer) {
		p := unsafe.Slice(at, 2*lists)
		for i := range lists {
			from, to := unsafe.Slice((*T)(p[i]), n), unsafe.Slice((*T)(p[lists+i]), n)
			for j := range from {
				to[j] += 2 * from[j]
			}
		}
	}
	c := compiled[T]{function: twice, reads: lists, writes: lists, past: func(at *unsafe.Pointer, n int, table unsafe.Pointer) {
		for _, to := range unsafe.Slice(at, 2*lists)[lists:] {
			if uintptr(to)%line != 0 || n == 0 || n%perLine != 0 {
				t.Fatalf("%d cells of %d bytes are written past the cache to %p", n, size, to)
			}
		}
		wentPast += n
		twice(at, n, table)
	}}
	at := make([]unsafe.Pointer, 2*lists+1)
	var p pieces[T]
	p.reserve(lists, lists)
	for begin := range perLine {
		for _, n := range []int{1, 5, perLine, perLine + 3, 48, 96, 97, 240, 255, most} {
			for _, askew := range []int{0, 1} {
				for _, piece := range []int{1, 3, perLine + 1, n} {
					var from, to [lists][]T
					for i := range lists {
						from[i], to[i] = make([]T, most+3*margin), aligned(make([]T, most+4*margin))
						for j := range from[i] {
							from[i][j] = T(1000*i + j + 1)
						}
					}
					wentPast = 0
					// Inputs of pieces lie backwards.
					for first := 0; first < n; first += piece {
						for i := range lists {
							at[i] = unsafe.Pointer(&from[i][margin+n-min(n, first+piece)])
							at[lists+i] = unsafe.Pointer(&to[i][begin+askew*i+first])
						}
						p.run(&c, at, min(piece, n-first))
					}
					p.flush()
					most := max(0, n-(perLine-begin)%perLine) / perLine * perLine * (1 - askew)
					if wentPast > most || piece == n && wentPast < most || wentPast < most-n/2 {
						t.Fatalf("%d cells in pieces of %d from number %d of a line on: %d go past the cache, want %d", n, piece, begin, wentPast, most)
					}
					for i := range lists {
						want := make([]T, len(to[i]))
						for j := range n {
							first := j / piece * piece
							want[begin+askew*i+j] = 2 * from[i][margin+n-min(n, first+piece)+j-first]
						}
						if !slices.Equal(to[i], want) {
							t.Fatalf("%d cells in pieces of %d from number %d of a line on, list %d: %v, want %v", n, piece, begin, i, to[i], want)
						}
					}
				}
			}
		}
	}
}

// aligned is the part of a list that begins with a line of the cache.
func aligned[T any](list []T) []T {
	for uintptr(unsafe.Pointer(&list[0]))%line > 0 {
		list = list[1:]
	}
	return list
}
