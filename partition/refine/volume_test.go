package refine

import (
	"slices"
	"testing"

	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// volumesByDefinition counts for every vertex the other parts beside it.
func volumesByDefinition(g *graph.Graph, parts []int32, k int) (total, largest int64) {
	perPart := make([]int64, k)
	for v, p := range parts {
		beside := map[int32]bool{}
		for _, u := range g.NeighboursOf(int32(v)) {
			if parts[u] != p {
				beside[parts[u]] = true
			}
		}
		total += int64(len(beside))
		perPart[p] += int64(len(beside))
	}
	return total, slices.Max(perPart)
}

// sizedByDefinition is volumesByDefinition with the vertices' sizes.
func sizedByDefinition(g *graph.Graph, sizes []int64, parts []int32, k int) (total, largest int64) {
	perPart := make([]int64, k)
	for v, p := range parts {
		beside := map[int32]bool{}
		for _, u := range g.NeighboursOf(int32(v)) {
			if parts[u] != p {
				beside[parts[u]] = true
			}
		}
		total += sizes[v] * int64(len(beside))
		perPart[p] += sizes[v] * int64(len(beside))
	}
	return total, slices.Max(perPart)
}

// So must they with sizes.
func TestSizedVolumesForetold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t)
		n, k := g.Vertices(), rapid.IntRange(2, 5).Draw(t, "parts")
		parts := rapid.SliceOfN(rapid.Int32Range(0, int32(k)-1), n, n).Draw(t, "labels")
		s := NewState(g.Weighted(), nil, append([]int32(nil), parts...), make([]int64, k), nil)
		s.Sizes = rapid.SliceOfN(rapid.Int64Range(0, 1000), n, n).Draw(t, "sizes")
		o := newVolumes(s)
		v := rapid.Int32Range(0, int32(n)-1).Draw(t, "vertex")
		to := rapid.Int32Range(0, int32(k)-1).Draw(t, "to")
		if to == parts[v] {
			return
		}
		total, largest := sizedByDefinition(g, s.Sizes, parts, k)
		moreTotal, moreLargest := o.weigh(v, to)
		parts[v] = to
		nowTotal, nowLargest := sizedByDefinition(g, s.Sizes, parts, k)
		if total+moreTotal != nowTotal || largest+moreLargest != nowLargest {
			t.Fatalf("foretold %+d, %+d; are %+d, %+d", moreTotal, moreLargest, nowTotal-total, nowLargest-largest)
		}
	})
}

// Changes foretold by volumes must equal recomputed differences.
func TestVolumesForetold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t)
		k := rapid.IntRange(2, 5).Draw(t, "parts")
		parts := rapid.SliceOfN(rapid.Int32Range(0, int32(k)-1), g.Vertices(), g.Vertices()).Draw(t, "labels")
		limit := make([]int64, k)
		s := NewState(g.Weighted(), nil, append([]int32(nil), parts...), limit, nil)
		o := newVolumes(s)
		v := rapid.Int32Range(0, int32(g.Vertices())-1).Draw(t, "vertex")
		to := rapid.Int32Range(0, int32(k)-1).Draw(t, "to")
		if to == parts[v] {
			return
		}
		total, bottleneck := volumesByDefinition(g, parts, k)
		moreTotal, moreBottleneck := o.weigh(v, to)
		parts[v] = to
		nowTotal, nowBottleneck := volumesByDefinition(g, parts, k)
		if total+moreTotal != nowTotal || bottleneck+moreBottleneck != nowBottleneck {
			t.Fatalf("foretold %+d, %+d; are %+d, %+d", moreTotal, moreBottleneck, nowTotal-total, nowBottleneck-bottleneck)
		}
	})
}
