package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/internal/parallel"
)

// After any flow, what may flow along an arc is what may flow against its
// reverse, and what left the source has come to the target.
func TestResidualsMirrorEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		n := 4 + r.IntN(8)
		var arcs [][3]int64
		for i := range n {
			for j := i + 1; j < n; j++ {
				if i+j > 1 && r.IntN(2) == 0 {
					arcs = append(arcs, [3]int64{int64(i), int64(j), 1 + r.Int64N(9)})
				}
			}
		}
		f := &network{}
		c := &f.cutter
		c.first, c.weight, c.distance = make([]int32, n+1), make([]int64, n), make([]int32, n)
		c.bound, c.stop = math.MaxInt64, parallel.Never
		for _, a := range arcs {
			c.first[a[0]+1]++
			c.first[a[1]+1]++
		}
		for i := range n {
			c.first[i+1] += c.first[i]
		}
		c.head, c.reverse = make([]int32, 2*len(arcs)), make([]int32, 2*len(arcs))
		c.residual = [2][]int64{make([]int64, 2*len(arcs)), make([]int64, 2*len(arcs))}
		fill := append([]int32(nil), c.first[:n]...)
		for _, a := range arcs {
			f.addArc(int32(a[0]), int32(a[1]), a[2], a[2], fill)
		}
		before := append([]int64(nil), c.residual[0]...)
		c.start(n)
		for s := range 2 { // one side's search goes on with what the other left
			c.augment(s, int32(s))
		}
		sent := int64(0)
		for e := range c.head {
			if c.residual[0][e] != c.residual[1][c.reverse[e]] || c.residual[0][e]+c.residual[1][e] != 2*before[e] {
				t.Fatalf("arc %d of %v: residuals %d and %d, of its reverse %d", e, arcs, c.residual[0][e], c.residual[1][e], c.residual[1][c.reverse[e]])
			}
			if e < int(c.first[1]) {
				sent += before[e] - c.residual[0][e]
			}
		}
		if sent != c.flow {
			t.Fatalf("%d left the source of %v, the flow is %d", sent, arcs, c.flow)
		}
	}
}
