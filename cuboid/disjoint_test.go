package cuboid

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"carina/internal/race"
)

// The work of comparing very many cuboids grows hardly faster than their number, however
// they lie, and the only two of them that overlap are found. Each with each takes 20,000
// looks a cuboid.
func TestDisjointOfVeryMany(t *testing.T) {
	race.SkipArithmetic(t)
	const n, most = 40_000, 300 // looks a cuboid
	box := func(x0, y0, z0, x1, y1, z1 int32) Cuboid {
		return Cuboid{Min: [3]int32{x0, y0, z0}, Max: [3]int32{x1, y1, z1}}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		side int32 // of the grid
		at   func(i int32) Cuboid
	}{
		{"plates across x", 1 << 17, func(i int32) Cuboid { return box(i, 0, 0, i+1, 1<<17, 1<<17) }},
		{"plates across y", 1 << 17, func(i int32) Cuboid { return box(0, i, 0, 1<<17, i+1, 1<<17) }},
		{"plates across z", 1 << 17, func(i int32) Cuboid { return box(0, 0, i, 1<<17, 1<<17, i+1) }},
		{"rods along x", 1 << 17, func(i int32) Cuboid { return box(0, i/400, i%400, 1<<17, i/400+1, i%400+1) }},
		{"rods along z", 1 << 17, func(i int32) Cuboid { return box(i/400, i%400, 0, i/400+1, i%400+1, 1<<17) }},
		{"stairs", 1 << 18, func(i int32) Cuboid { return box(i, i, i, i+1, 1<<18, 1<<18-i) }},
		{"cells", 64, func(i int32) Cuboid { return box(i%64, i/64%64, i/4096, i%64+1, i/64%64+1, i/4096+1) }},
		{"rods along all axes", 1 << 10, func(i int32) Cuboid {
			y, z := i/3/180*4, i/3%180*4
			return [3]Cuboid{
				box(0, y, z, 1<<10, y+1, z+1), box(y+1, 0, z+1, y+2, 1<<10, z+2), box(y+2, z+2, 0, y+3, z+3, 1<<10),
			}[i%3]
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cuboids := make([]Cuboid, n)
			for to, from := range random.Perm(n) {
				cuboids[to] = c.at(int32(from))
			}
			size := [3]int32{c.side, c.side, c.side}
			if err := Disjoint(cuboids, size); err != nil {
				t.Error(err)
			}
			c := newComparison(cuboids)
			if a, b := c.find(); a >= 0 || c.looks > most*n {
				t.Errorf("found %d and %d after %d looks a cuboid", a, b, c.looks/n)
			}
			i := random.IntN(n)
			cuboids = append(cuboids, cuboids[i])
			want := fmt.Sprintf("cuboids %d, %v, and %d, %v, overlap", i, cuboids[i], n, cuboids[i])
			if err := Disjoint(cuboids, size); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}
