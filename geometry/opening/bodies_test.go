package opening

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// lattice3 is the cells of a lattice that make up a channel.
type lattice3 map[[3]int]bool

// run adds n cells after the given one along an axis; it fails where the
// channel would touch itself.
func (full lattice3) run(from [3]int, axis, step, n int) (last [3]int, ok bool) {
	for range n {
		next := from
		next[axis] += step
		for k := range 27 {
			near := [3]int{next[0] + k%3 - 1, next[1] + k/3%3 - 1, next[2] + k/9 - 1}
			if full[near] && near != from && distance1(near, from) > 1 {
				return from, false
			}
		}
		full[next] = true
		from = next
	}
	return from, true
}

func distance1(a, b [3]int) int {
	sum := 0
	for k := range a {
		sum += max(a[k]-b[k], b[k]-a[k])
	}
	return sum
}

// channel is a winding channel of square section with legs of one to four
// cells, as mixers have, and the middles of its two ends.
func channel(rng *rand.Rand) (*mesh.Mesh, [2]r3.Vec) {
	for {
		full, axis := lattice3{{}: true}, rng.IntN(3)
		at, ok := full.run([3]int{}, axis, 1, 4)
		legs := 2 + rng.IntN(6)
		ends := [2]r3.Vec{}
		ends[0] = along(axis, -0.5)
		for i := 0; i < legs && ok; i++ {
			n, step := 1+rng.IntN(4), 1-2*rng.IntN(2)
			if i == legs-1 {
				n = 4
			}
			axis = (axis + 1 + rng.IntN(2)) % 3
			at, ok = full.run(at, axis, step, n)
			ends[1] = r3.Add(r3.Vec{X: float64(at[0]), Y: float64(at[1]), Z: float64(at[2])}, along(axis, 0.5*float64(step)))
		}
		if ok {
			s, shift := full.surface()
			return s, [2]r3.Vec{r3.Add(ends[0], shift), r3.Add(ends[1], shift)}
		}
	}
}

func along(axis int, x float64) r3.Vec {
	v := [3]float64{}
	v[axis] = x
	return r3.Vec{X: v[0], Y: v[1], Z: v[2]}
}

// surface returns the surface of the cells, and where the middle of cell
// (0, 0, 0) lies in it.
func (full lattice3) surface() (*mesh.Mesh, r3.Vec) {
	low, high := [3]int{}, [3]int{}
	for c := range full {
		for k := range c {
			low[k], high[k] = min(low[k], c[k]), max(high[k], c[k])
		}
	}
	moved := map[[3]int]bool{}
	var size [3]int
	for c := range full {
		moved[[3]int{c[0] - low[0], c[1] - low[1], c[2] - low[2]}] = true
	}
	for k := range size {
		size[k] = high[k] - low[k] + 1
	}
	return meshtest.Cubes(size, moved), r3.Vec{X: 0.5 - float64(low[0]), Y: 0.5 - float64(low[1]), Z: 0.5 - float64(low[2])}
}

// Where a channel turns twice, the wall between the turns is flat, has lumen
// straight behind it and walls that go back on three sides; it is no end.
func TestTurnsOfChannelsAreNoEnds(t *testing.T) {
	race.SkipArithmetic(t)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s, ends := channel(rng)
		for range 1 + seed%3 {
			s = meshtest.Divided(s, false)
		}
		found := endsOf(s)
		if len(found) != 2 {
			t.Errorf("seed %d: %d openings, want 2: %+v", seed, len(found), found)
			continue
		}
		for _, end := range ends {
			if d := r3.Norm(r3.Sub(nearest(found, end).Center, end)); d > 1e-9 {
				t.Errorf("seed %d: the end at %v is %g off", seed, end, d)
			}
		}
	}
}

// nearest returns the patch whose centre is nearest to a point.
func nearest(patches []Patch, at r3.Vec) Patch {
	return slices.MinFunc(patches, func(a, b Patch) int {
		return cmp.Compare(r3.Norm(r3.Sub(a.Center, at)), r3.Norm(r3.Sub(b.Center, at)))
	})
}

// lobe is a closed body with rounded edges and flat sides, 2 wide and so many
// times as broad, on a stub of radius 0.15 whose end lies at z = -1. power is
// the exponent of its superellipses: the higher, the sharper its edges.
type lobe struct {
	around, rows                 int
	height, power, broad, jitter float64
}

const stubRadius = 0.15

func (l *lobe) surface(rng *rand.Rand) *mesh.Mesh {
	s, rings := &mesh.Mesh{Solids: []string{""}}, 0
	ring := func(radius, z, power float64) {
		broad := 1 + (l.broad-1)*(radius-stubRadius)/(1-stubRadius)
		for j := range l.around {
			sin, cos := math.Sincos(2 * math.Pi * float64(j) / float64(l.around))
			q := radius / superellipse(cos, sin, power)
			s.Vertices = append(s.Vertices, r3.Add(r3.Vec{X: q * cos * broad, Y: q * sin, Z: z},
				r3.Scale(l.jitter, r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()})))
		}
		rings++
	}
	for i := range l.rows / 3 {
		ring(stubRadius, 3*float64(i)/float64(l.rows)-1, 2)
	}
	for i := range l.rows {
		sin, cos := math.Sincos(math.Pi * ((float64(i)+0.5)/float64(l.rows) - 0.5))
		radius, z := cos/superellipse(cos, sin, l.power), l.height/2*(1+sin/superellipse(cos, sin, l.power))
		if sin > 0 || radius > 1.2*stubRadius {
			ring(radius, z, 2+(l.power-2)*min(max(radius-stubRadius, 0)/0.3, 1))
		}
	}
	n := int32(l.around)
	for i := range int32(rings - 1) {
		for j := range n {
			a, b, c, d := i*n+j, i*n+(j+1)%n, (i+1)*n+(j+1)%n, (i+1)*n+j
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{a, b, c}}, mesh.Triangle{V: [3]int32{a, c, d}})
		}
	}
	s.Vertices = append(s.Vertices, r3.Vec{Z: -1}, r3.Vec{Z: l.height})
	hub, last := int32(rings)*n, int32(rings-1)*n
	for j := range n {
		k := (j + 1) % n
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{k, j, hub}}, mesh.Triangle{V: [3]int32{last + j, last + k, hub + 1}})
	}
	return s
}

func superellipse(x, y, power float64) float64 {
	return math.Pow(math.Pow(math.Abs(x), power)+math.Pow(math.Abs(y), power), 1/power)
}

// lobes is how many lobes are tried; make fuzz tries more.
var lobes = flag.Uint64("lobes", 20, "number of random lobes to try")

// The flat sides of a lobe are no ends, the end of its stub is one.
func TestSidesOfLobesAreNoEnds(t *testing.T) {
	race.SkipArithmetic(t)
	for seed := range *lobes {
		rng := rand.New(rand.NewPCG(seed, 8))
		l := lobe{24 + rng.IntN(60), 24 + rng.IntN(60), 1 + 0.7*rng.Float64(), 3 + 9*rng.Float64(), 0.6 + 0.8*rng.Float64(), 4e-4 * float64(seed%2)}
		found := endsOf(l.surface(rng))
		if len(found) != 1 || r3.Norm(r3.Sub(found[0].Center, r3.Vec{Z: -1})) > 0.01 {
			t.Errorf("seed %d, %+v: %+v", seed, l, found)
		}
	}
}

// ductSurface is a straight duct along z from 0 to length, of a superelliptic
// section: power 2 is round, higher ones are squares with rounded edges. first
// and last tell which ends are closed.
func ductSurface(power, length float64, around int, first, last bool) *mesh.Mesh {
	rings := max(int(math.Round(length*float64(around)/6)), 2)
	s := meshtest.Tube(r3.Vec{}, r3.Vec{Z: length}, 1, around, rings, false)
	for i, v := range s.Vertices {
		if r := math.Hypot(v.X, v.Y); r > 0.5 {
			q := 1 / superellipse(v.X/r, v.Y/r, power)
			s.Vertices[i].X, s.Vertices[i].Y = q*v.X/r, q*v.Y/r
		}
	}
	wall := 2 * around * rings
	kept := slices.Clone(s.Triangles[:wall])
	for i, tr := range s.Triangles[wall:] {
		if i%2 == 0 && first || i%2 == 1 && last {
			kept = append(kept, tr)
		}
	}
	s.Triangles = kept
	return s
}

// However short a round or rounded duct is, down to three quarters of its
// diameter, its two ends are ends, though each is a large share of the surface.
func TestShortDuctsHaveTwoEnds(t *testing.T) {
	for _, power := range []float64{2, 2.5, 3} {
		for _, length := range []float64{1.5, 2, 2.4, 2.9, 4} {
			for _, closed := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
				for _, around := range []int{24, 48} {
					found := endsOf(ductSurface(power, length, around, closed[0], closed[1]))
					if len(found) != 2 || math.Abs(found[0].Normal.Z+found[1].Normal.Z) > 1e-9 || math.Abs(found[0].Normal.Z) < 1-1e-9 {
						t.Errorf("power %g, length %g, closed %v, %d around: %+v", power, length, closed, around, found)
					}
				}
			}
		}
	}
}

// dome is half of an ellipsoid of radius 1, so high, on a flat face.
func dome(height float64) *mesh.Mesh {
	const n, rings = 40, 24
	m := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 1}, 1, n, rings, false)
	for i, v := range m.Vertices {
		sin, cos := math.Sincos(v.Z * 0.49 * math.Pi)
		m.Vertices[i] = r3.Vec{X: v.X * cos, Y: v.Y * cos, Z: height * sin}
	}
	return m
}

// The face of a dome is too large a share of it for an end, unless the dome is as
// long as a tube with a round tip.
func TestFacesOfDomesAreNoEnds(t *testing.T) {
	race.SkipArithmetic(t)
	for height, want := range map[float64]int{0.5: 0, 1: 0, 1.5: 0, 2: 0, 5: 1} {
		if found := endsOf(dome(height)); len(found) != want {
			t.Errorf("height %g: %d ends, want %d", height, len(found), want)
		}
	}
}
