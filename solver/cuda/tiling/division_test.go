package tiling

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/solver"
)

// curveKey is a tile's number along Morton's curve: the bits of z, y and x in turn,
// from the highest on.
func curveKey(position [3]int32) string {
	var b strings.Builder
	for bit := 20; bit >= 0; bit-- {
		for a := 2; a >= 0; a-- {
			fmt.Fprint(&b, position[a]>>bit&1)
		}
	}
	return b.String()
}

// alongCurve lists all tiles by their keys.
func alongCurve(s *Set) []int32 {
	order := make([]int32, len(s.Position))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(curveKey(s.Position[a]), curveKey(s.Position[b])) })
	return order
}

// Ranks have consecutive pieces of the curve. A piece ends with the tile by which all
// work so far reaches its part of the total, unless ranks would be left without tiles.
func TestPiecesAreOfEqualWork(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	s, err := NewPositions(&solver.Domain{Grid: randomGrid([3]int32{40, 22, 31}, random), Ranks: 1})
	if err != nil {
		t.Fatal(err)
	}
	order := alongCurve(s)
	if got := s.mortonOrder(func(int) bool { return true }); !slices.Equal(got, order) {
		t.Fatalf("along the curve lie tiles %v, want %v", got, order)
	}
	n := len(order)
	equal := func(int32) int64 { return 1 }
	unequal := func(tile int32) int64 { return 10 + int64(tile*tile)%7 }
	for _, c := range []struct {
		ranks int
		work  func(int32) int64
	}{{1, equal}, {2, equal}, {n, equal}, {n - 1, equal}, {3, unequal}, {8, unequal}, {n, unequal}} {
		owner := s.divide(slices.Repeat([]float64{1}, c.ranks), c.work)
		var total, done int64
		for _, tile := range order {
			total += c.work(tile)
		}
		for i, tile := range order {
			rank := int64(owner[tile])
			if i > 0 && rank != int64(owner[order[i-1]]) && rank != int64(owner[order[i-1]])+1 || i == 0 && rank != 0 {
				t.Fatalf("%d ranks: tile %d of the curve is rank %d's", c.ranks, i, rank)
			}
			first := i == 0 || int64(owner[order[i-1]]) != rank
			// The rank has not reached its part before its last tile, and no rank is
			// begun before the one before it has.
			if !first && done >= total*(rank+1)/int64(c.ranks) && rank < int64(c.ranks)-1 {
				t.Errorf("%d ranks: rank %d goes on at tile %d with %d of %d done", c.ranks, rank, i, done, total)
			}
			if first && rank > 0 && done < total*rank/int64(c.ranks) && n-i > c.ranks-int(rank) {
				t.Errorf("%d ranks: rank %d begins at tile %d with %d of %d done", c.ranks, rank, i, done, total)
			}
			done += c.work(tile)
		}
		if last := int(owner[order[n-1]]); last != c.ranks-1 {
			t.Errorf("of %d ranks the last with tiles is %d", c.ranks, last)
		}
	}
}

// The domain of a division holds the cells of the grid in its order, each of the rank
// of its tile, in as few segments as can be.
func TestDivideKeepsCells(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	g := randomGrid([3]int32{40, 9, 7}, random)
	g.Runs = append(g.Runs, geometry.Run{X0: 1, X1: 39, Y: 3, Z: 8}, geometry.Run{X0: 2, X1: 3, Y: 4, Z: 8}, geometry.Run{X0: 5, X1: 7, Y: 4, Z: 8})
	g.Size[2] = 9
	whole := &solver.Domain{Grid: g, Ranks: 1}
	const ranks = 5
	d, err := Divide(whole, slices.Repeat([]float64{1}, ranks), func(int32) int64 { return 1 })
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewPositions(d)
	if err != nil {
		t.Fatal(err)
	}
	owner := s.divide(slices.Repeat([]float64{1}, ranks), func(int32) int64 { return 1 })
	var want []cuboid.Segment
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			rank := owner[s.Find(x/Side, r.Y/Side, r.Z/Side)]
			if n := len(want); x > r.X0 && want[n-1].Cuboid == rank {
				want[n-1].X1++
			} else {
				want = append(want, cuboid.Segment{Run: geometry.Run{X0: x, X1: x + 1, Y: r.Y, Z: r.Z}, Cuboid: rank})
			}
		}
	}
	if !slices.Equal(d.Segments, want) {
		t.Errorf("segments %v, want %v", d.Segments, want)
	}
	if got, err := s.Owners(d); err != nil || !slices.Equal(got, owner) {
		t.Errorf("the domain's owners are %v, %v; want %v", got, err, owner)
	}
	if _, err := Divide(whole, slices.Repeat([]float64{1}, len(s.Position)+1), func(int32) int64 { return 1 }); err == nil || !strings.Contains(err.Error(), "use fewer GPUs") {
		t.Errorf("more ranks than tiles: %v", err)
	}
	d.Owners = d.Owners[:ranks-1]
	if _, err := s.Owners(d); err == nil || !strings.Contains(err.Error(), "partition the geometry again") {
		t.Errorf("a cuboid without an owner: %v", err)
	}
}

// What a rank leaves for another one is, one after the other, what that one expects.
func TestBordersFitTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	s, err := NewSet(&solver.Domain{Grid: randomGrid([3]int32{64, 20, 16}, random), Ranks: 1, Periodic: [3]bool{true, false, false}}, MostDirections)
	if err != nil {
		t.Fatal(err)
	}
	const ranks = 3
	owner := make([]int32, len(s.Position))
	for i, p := range s.Position { // slabs, with a few tiles of others in them
		if owner[i] = p[0] / 6; random.IntN(20) == 0 {
			owner[i] = int32(random.IntN(ranks))
		}
	}
	var all [ranks]*Subdomain
	for r := range all {
		all[r] = NewSubdomain(s, owner, r)
	}
	for r, sub := range all {
		if compareSubdomain(t, s, owner, sub); sub.Border == sub.Own {
			t.Errorf("all tiles of rank %d are at its border", r)
		}
		if len(sub.Borders) != ranks-1 {
			t.Fatalf("rank %d has %d borders", r, len(sub.Borders))
		}
		for _, b := range sub.Borders {
			other := all[b.Rank]
			i := slices.IndexFunc(other.Borders, func(o Border) bool { return o.Rank == r })
			for parity := range 2 {
				compareCrossings(t, sub, other, b.Leaving[parity], other.Borders[i].Arriving[parity], parity)
			}
		}
	}
}

// compareSubdomain checks which tiles a rank has and where their neighbours lie.
func compareSubdomain(t *testing.T, s *Set, owner []int32, sub *Subdomain) {
	t.Helper()
	places := make([]int32, len(owner))
	for i, tile := range sub.Tiles[:sub.Own] {
		places[tile] = int32(i)
	}
	rows := sub.Rows(s, owner, places)
	for i, tile := range sub.Tiles {
		own, border := int(owner[tile]) == sub.Rank, false
		for d, n := range s.Around(tile) {
			border = border || n >= 0 && owner[n] != owner[tile]
			if !own {
				continue
			}
			if at := rows[i*s.Directions+d]; n < 0 && at != -1 || n >= 0 && (at < 0 || sub.Tiles[at] != n) {
				t.Fatalf("rank %d: the neighbour of tile %d in direction %d lies at %d", sub.Rank, tile, d, at)
			}
		}
		if own != (i < sub.Own) || own && border != (i < sub.Border) {
			t.Fatalf("rank %d: tile %d, own %v, at the border %v, lies at %d of %d and %d", sub.Rank, tile, own, border, i, sub.Border, sub.Own)
		}
	}
}

// compareCrossings checks that what is left is what arrives.
func compareCrossings(t *testing.T, from, to *Subdomain, leaving, arriving []Crossing, parity int) {
	t.Helper()
	if len(leaving) == 0 || len(leaving) != len(arriving) {
		t.Fatalf("rank %d leaves %d groups for rank %d, which expects %d", from.Rank, len(leaving), to.Rank, len(arriving))
	}
	for i, l := range leaving {
		a := arriving[i]
		if l.Group() != a.Group() {
			t.Fatalf("step of parity %d: group %d arrives in place of %d", parity, a.Group(), l.Group())
		}
		// Faces of odd steps go into the tile that the next step of the other rank works
		// on; all else into the ghost of the tile that left it.
		if (parity == 0 || l.Group() >= FaceGroups) && from.Tiles[l.Tile] != to.Tiles[a.Tile] {
			t.Errorf("step of parity %d: group %d of tile %d arrives in the ghost of tile %d", parity, l.Group(), from.Tiles[l.Tile], to.Tiles[a.Tile])
		}
		if i > 0 && l.Group() < leaving[i-1].Group() {
			t.Errorf("step of parity %d: group %d comes after group %d", parity, l.Group(), leaving[i-1].Group())
		}
	}
}

// Tiles are divided by shares of any scale, as far as they are whole.
func TestShares(t *testing.T) {
	g := &geometry.Grid{Size: [3]int32{40, 40, 40}}
	for row := range int32(40 * 40) {
		g.Runs = append(g.Runs, geometry.Run{X1: 40, Y: row % 40, Z: row / 40})
	}
	s, err := NewPositions(&solver.Domain{Grid: g, Ranks: 1})
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 4)
	for _, rank := range s.divide([]float64{10, 2.5, 37.5, 50}, func(int32) int64 { return 3 }) {
		counts[rank]++
	}
	if want := []int{100, 25, 375, 500}; !slices.Equal(counts, want) {
		t.Errorf("shares have %v tiles, want %v", counts, want)
	}
}
