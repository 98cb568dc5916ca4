package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry"
	"carina/solver"
)

// Every chunk of the image lies in memory once, and faces and edges hold what
// leaves the tile towards one neighbour: 64 and 4 values.
func TestChunkPlaces(t *testing.T) {
	places := chunkPlaces()
	sorted := slices.Clone(places)
	slices.Sort(sorted)
	for i, p := range sorted {
		if int(p) != i {
			t.Fatalf("the places are no permutation: %v", sorted)
		}
	}
	for k, p := range places {
		want := directions
		switch faces, edges := 6*faceChunks, tileChunks-12; {
		case k < faces:
			want = k / faceChunks
		case k >= edges:
			want = 6 + k - edges
		}
		if got := imageChunk(int(p)).toucher(); got != want {
			t.Errorf("chunk %d is touched from direction %d, want %d", k, got, want)
		}
	}
}

// Tiles, their cells and neighbours agree with the grid, cell by cell.
func TestTileSet(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 9))
		periodic := [3]bool{seed%2 == 1, false, seed >= 2}
		size := [3]int32{20, 13, 16}
		g := makeGrid(size, periodic, func(x, y, z int32) bool { return random.Float64() < 0.05 }, random)
		// makeGrid asks more than once; the runs are what counts.
		s, err := newTileSet(&solver.Domain{Grid: g, Ranks: 1, Periodic: periodic})
		if err != nil {
			t.Fatal(err)
		}
		var cells int64
		for x := range size[0] {
			for y := range size[1] {
				for z := range size[2] {
					tile := s.find(x/4, y/4, z/4)
					got := tile >= 0 && s.fluid[tile]>>cellBit(x, y, z)&1 == 1
					if got != g.Contains(x, y, z) {
						t.Fatalf("cell (%d, %d, %d): fluid %v, want %v", x, y, z, got, !got)
					}
					if got {
						cells++
					}
				}
			}
		}
		if s.cells() != cells {
			t.Errorf("%d cells, want %d", s.cells(), cells)
		}
		for i, p := range s.position {
			for d, o := range geometry.Directions[:directions] {
				if n := s.neighbours[i][d]; n != s.find(p[0]+int32(o.X), p[1]+int32(o.Y), p[2]+int32(o.Z)) {
					t.Fatalf("tile %d has neighbour %d in direction %d", i, n, d)
				} else if n >= 0 && s.neighbours[n][d^1] != int32(i) {
					t.Fatalf("tile %d is no neighbour of its neighbour in direction %d", i, d)
				}
			}
		}
		order := s.mortonOrder()
		slices.Sort(order)
		for i, tile := range order {
			if int(tile) != i {
				t.Fatalf("Morton's order is no permutation")
			}
		}
	}
}

// A grid that a GPU cannot compute is refused with a reason.
func TestRefusals(t *testing.T) {
	if _, err := newTileSet(&solver.Domain{Grid: &geometry.Grid{}}); err == nil {
		t.Error("an empty grid was accepted")
	}
	g := &geometry.Grid{Spacing: 1, Size: [3]int32{6, 4, 4}, Runs: []geometry.Run{{X1: 6}}}
	if _, err := newTileSet(&solver.Domain{Grid: g, Ranks: 1, Periodic: [3]bool{true, false, false}}); err == nil {
		t.Error("a periodic axis of six cells was accepted")
	}
}
