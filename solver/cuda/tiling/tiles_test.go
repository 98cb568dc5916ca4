package tiling

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"carina/geometry"
	"carina/solver"
)

// layouts are of all velocity sets in all storages.
var layouts = []Layout{{64, 18}, {32, 18}, {16, 18}, {64, 26}, {32, 26}, {16, 26}}

// Every value of the image lies in memory once, and is in the group of the
// neighbour towards which it leaves the tile.
func TestSlots(t *testing.T) {
	for _, l := range layouts {
		q := l.Directions + 1
		at := make([]int, q*Cells) // where in a tile, plus one
		groups := make([]int, len(at))
		put := func(slot, group, from int) {
			if at[slot] != 0 {
				t.Fatalf("%+v: value %d of the image lies in memory twice", l, slot)
			}
			at[slot], groups[slot] = from+1, group
		}
		value := l.ValueBytes()
		for k, chunk := range l.ChunkSlots() {
			group, from := l.Directions, l.interior()+(k-6*faceChunks)*ChunkValues
			switch edges := Chunks - 12; {
			case k < 6*faceChunks:
				group = k / faceChunks
				from = int(l.GroupOffset(group, 0))/value + k%faceChunks*ChunkValues
			case k >= edges:
				group = FaceGroups + k - edges
				from = int(l.GroupOffset(group, 0)) / value
			}
			for i := range ChunkValues {
				put(int(chunk)*ChunkValues+i, group, from+i)
			}
		}
		for _, s := range l.Singles() {
			if s.slot() != noSlot {
				put(s.slot(), s.group(), s.at())
			}
		}
		used := map[int]bool{}
		for slot, from := range at {
			if from == 0 || used[from] {
				t.Fatalf("%+v: value %d of the image lies at %d", l, slot, from-1)
			}
			used[from] = true
			group, begin, size := groups[slot], l.interior(), l.edges()-l.interior()
			if group < l.Directions {
				begin, size = int(l.GroupOffset(group, 0))/value, int(l.groupBytes(group))/value
			}
			if from-1 < begin || from-1 >= begin+size {
				t.Errorf("%+v: value %d lies at %d, its group %d from %d on", l, slot, from-1, group, begin)
			}
			x, y, z := coordinates(l.CellOf(slot))
			cell := [3]int{x, y, z}
			if want := l.toucher(slot/Cells, cell); group != want {
				t.Errorf("%+v: population %d of cell %v is touched from direction %d, want %d", l, slot/Cells, cell, group, want)
			}
		}
		if n := l.GroupOffset(l.Directions-1, 1) + l.groupBytes(l.Directions-1); n > l.TileBytes() || n+128 <= l.TileBytes() {
			t.Errorf("%+v: a tile has %d bytes of %d", l, n, l.TileBytes())
		}
	}
}

// Every slot of the image is that of its cell, and shifts lead to that of the cell's
// neighbour.
func TestShifts(t *testing.T) {
	for _, l := range layouts {
		shifts := l.Shifts()
		for slot := range l.Directions * Cells {
			d := slot / Cells
			x, y, z := coordinates(l.CellOf(slot))
			if got := l.ImageSlot(int32(x), int32(y), int32(z), d); got != slot {
				t.Fatalf("%+v: slot %d is said to be of cell %d %d %d, whose slot is %d", l, slot, x, y, z, got)
			}
			o := geometry.Directions[d]
			want := l.ImageSlot(int32(x)+int32(o.X)+Side, int32(y)+int32(o.Y)+Side, int32(z)+int32(o.Z)+Side, d)
			s := shifts[d]
			lowest, left, right := s&0xff, s>>16&0xff, s>>24
			carries := (uint32(slot) ^ s>>8) & lowest
			if got := uint32(slot) ^ lowest ^ carries<<1&left ^ carries>>1&right; got != uint32(want) {
				t.Fatalf("%+v: slot %d shifts to %d, want %d", l, slot, got, want)
			}
		}
	}
}

// coordinates are those of a cell in its tile.
func coordinates(cell int) (x, y, z int) { return cell / 16, cell / 4 % 4, cell % 4 }

// randomGrid has a twentieth of all cells.
func randomGrid(size [3]int32, random *rand.Rand) *geometry.Grid {
	g := &geometry.Grid{Spacing: 1, Size: size}
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				switch n := len(g.Runs); {
				case random.Float64() >= 0.05:
				case n > 0 && g.Runs[n-1].X1 == x && g.Runs[n-1].Y == y && g.Runs[n-1].Z == z:
					g.Runs[n-1].X1++
				default:
					g.Runs = append(g.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
				}
			}
		}
	}
	return g
}

// Tiles, their cells and neighbours agree with the grid, cell by cell.
func TestTileSet(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 9))
		periodic := [3]bool{seed%2 == 1, false, seed >= 2}
		size := [3]int32{20, 13, 16}
		g := randomGrid(size, random)
		s, err := NewSet(&solver.Domain{Grid: g, Ranks: 1, Periodic: periodic}, MostDirections)
		if err != nil {
			t.Fatal(err)
		}
		var cells int64
		for x := range size[0] {
			for y := range size[1] {
				for z := range size[2] {
					tile := s.Find(x/4, y/4, z/4)
					got := tile >= 0 && s.Fluid[tile]>>CellBit(x, y, z)&1 == 1
					if got != g.Contains(x, y, z) {
						t.Fatalf("cell (%d, %d, %d): fluid %v, want %v", x, y, z, got, !got)
					}
					if got {
						cells++
					}
				}
			}
		}
		var held int64
		for _, fluid := range s.Fluid {
			held += int64(bits.OnesCount64(fluid))
		}
		if held != cells {
			t.Errorf("%d cells, want %d", held, cells)
		}
		for i, p := range s.Position {
			for d, o := range geometry.Directions {
				if n := s.Around(int32(i))[d]; n != s.Find(p[0]+int32(o.X), p[1]+int32(o.Y), p[2]+int32(o.Z)) {
					t.Fatalf("tile %d has neighbour %d in direction %d", i, n, d)
				} else if n >= 0 && s.Around(n)[d^1] != int32(i) {
					t.Fatalf("tile %d is no neighbour of its neighbour in direction %d", i, d)
				}
			}
		}
		order := s.mortonOrder(func(int) bool { return true })
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
	if _, err := NewSet(&solver.Domain{Grid: &geometry.Grid{}}, StraightDirections); err == nil {
		t.Error("an empty grid was accepted")
	}
	g := &geometry.Grid{Spacing: 1, Size: [3]int32{6, 4, 4}, Runs: []geometry.Run{{X1: 6}}}
	if _, err := NewSet(&solver.Domain{Grid: g, Ranks: 1, Periodic: [3]bool{true, false, false}}, StraightDirections); err == nil {
		t.Error("a periodic axis of six cells was accepted")
	}
	g = &geometry.Grid{Spacing: 1, Size: [3]int32{4, 4, 4}, Runs: []geometry.Run{{X1: 4}}}
	_, err := Divide(&solver.Domain{Grid: g, Ranks: 1}, []float64{1, 1}, func(int32) int64 { return 1 })
	if err == nil || !strings.Contains(err.Error(), "2 GPUs cannot share 1 tile of") {
		t.Errorf("one tile for two GPUs: %v", err)
	}
}

// Boundary cells are found by coordinates, each in one part, and all of a tile's in
// the same.
func TestLayers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	g := randomGrid([3]int32{20, 13, 30}, random)
	type found struct {
		tile        int32
		cell, index int
	}
	s, err := NewPositions(&solver.Domain{Grid: g, Ranks: 1})
	if err != nil {
		t.Fatal(err)
	}
	var want []found
	cell := int64(0)
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			if random.IntN(2) == 0 {
				want = append(want, found{s.Find(x/Side, r.Y/Side, r.Z/Side), CellBit(x, r.Y, r.Z), g.Links.Len()})
				g.Links.Append(cell, 1)
			}
			cell++
		}
	}
	for _, most := range []int{1, 2, 5, 100} {
		layers := NewLayers(s, g, most)
		if n := layers.Parts(); n > most || most == 5 && n < 3 {
			t.Errorf("%d parts of at most %d", n, most)
		}
		parts := make([][]found, layers.Parts())
		layers.EachBoundaryCell(func(part int, tile int32, cell, index int) {
			parts[part] = append(parts[part], found{tile, cell, index})
		})
		in := map[int32]int{}
		for part, list := range parts {
			for _, f := range list {
				if before, ok := in[f.tile]; ok && before != part {
					t.Fatalf("tile %d is in parts %d and %d", f.tile, before, part)
				}
				in[f.tile] = part
			}
		}
		if got := slices.Concat(parts...); !slices.Equal(got, want) {
			t.Errorf("at most %d parts: found %v, want %v", most, got, want)
		}
	}
}
