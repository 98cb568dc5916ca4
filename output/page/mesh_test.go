package page

import (
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"

	"pgregory.net/rapid"
)

// The faces must be those between fluid and nothing, found cell by cell, and
// closed.
func TestMeshOfRandomVoxels(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var size [3]int32
		for a := range size {
			size[a] = rapid.Int32Range(1, 5).Draw(r, "size")
		}
		g := &geometry.Grid{Spacing: 1, Size: size}
		fluid := map[[3]int32]bool{}
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					if !rapid.Bool().Draw(r, "fluid") {
						continue
					}
					fluid[[3]int32{x, y, z}] = true
					if n := len(g.Runs); n > 0 && g.Runs[n-1] == (geometry.Run{X0: g.Runs[n-1].X0, X1: x, Y: y, Z: z}) {
						g.Runs[n-1].X1++
					} else {
						g.Runs = append(g.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
					}
				}
			}
		}
		if len(fluid) == 0 {
			return
		}
		want := 0
		for c := range fluid {
			for _, d := range geometry.Directions[:6] {
				if !fluid[[3]int32{c[0] + int32(d.X), c[1] + int32(d.Y), c[2] + int32(d.Z)}] {
					want++
				}
			}
		}
		v := voxelsOf(&Page{Grid: g})
		m := meshOf(v)
		if len(m.faces) != want {
			r.Fatalf("%d faces, want %d", len(m.faces), want)
		}
		// Closed: every edge is walked as often one way as the other.
		edges := map[[2]int32]int{}
		for _, f := range m.faces {
			for i := range 4 {
				a, b := m.vertices[f[i]].corner, m.vertices[f[(i+1)%4]].corner
				edges[[2]int32{a, b}]++
				edges[[2]int32{b, a}]--
			}
		}
		for edge, n := range edges {
			if n != 0 {
				r.Fatalf("edge %v is walked %d times more one way", edge, n)
			}
		}
		for _, c := range m.corners {
			for _, x := range []float64{c.X, c.Y, c.Z} {
				if x < -0.6 || x > 5.6 {
					r.Fatalf("corner %v has left the voxels", c)
				}
			}
		}
		for x := int32(-1); x <= size[0]; x++ {
			if got := v.at(x, 0, 0) >= 0; got != fluid[[3]int32{x, 0, 0}] {
				r.Fatalf("voxel (%d, 0, 0) is fluid: %v", x, got)
			}
		}
	})
}

// Large grids are shown coarser, with their volume, owners and means kept.
func TestCoarseVoxels(t *testing.T) {
	g := &geometry.Grid{Spacing: 1e-3, Size: [3]int32{2 * mostSide, 6, 6}}
	p := &Page{Grid: g, Cuboids: make([]cuboid.Cuboid, 2), Owners: []int32{4, 7}}
	for z := range int32(6) {
		for y := range int32(6) {
			g.Runs = append(g.Runs, geometry.Run{X0: 0, X1: 2 * mostSide, Y: y, Z: z})
			p.Segments = append(p.Segments,
				cuboid.Segment{Run: geometry.Run{X0: 0, X1: 100, Y: y, Z: z}, Cuboid: 0},
				cuboid.Segment{Run: geometry.Run{X0: 100, X1: 2 * mostSide, Y: y, Z: z}, Cuboid: 1})
			for x := range 2 * mostSide {
				p.Pressure = append(p.Pressure, float32(x))
			}
		}
	}
	if err := p.check(); err != nil {
		t.Fatal(err)
	}
	v := voxelsOf(p)
	if v.factor != 2 || v.count() != mostSide*9 || v.spacing != 2e-3 {
		t.Fatalf("factor %d, %d voxels of %v m", v.factor, v.count(), v.spacing)
	}
	for i := range v.count() {
		x := i % mostSide
		if want := float32(2*x) + 0.5; v.pressure[i] != want {
			t.Fatalf("voxel %d has pressure %v, want %v", i, v.pressure[i], want)
		}
		if want := map[bool]int32{true: 4, false: 7}[x < 50]; v.owner[i] != want {
			t.Fatalf("voxel %d belongs to %d, want %d", i, v.owner[i], want)
		}
	}
}

func TestOuterFaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := [3]int32{rapid.Int32Range(1, 9).Draw(t, "x"), rapid.Int32Range(1, 6).Draw(t, "y"), rapid.Int32Range(1, 6).Draw(t, "z")}
		g := generate.NoiseGrid(size, rapid.Float64Range(0.1, 1).Draw(t, "share"), rapid.Uint64().Draw(t, "seed"))
		var want int64
		for _, r := range g.Runs {
			for x := r.X0; x < r.X1; x++ {
				for _, d := range geometry.Directions[:6] {
					if !g.Contains(x+int32(d.X), r.Y+int32(d.Y), r.Z+int32(d.Z)) {
						want++
					}
				}
			}
		}
		if got := outerFaces(g.Runs); got != want {
			t.Fatalf("%d faces, want %d", got, want)
		}
	})
}
