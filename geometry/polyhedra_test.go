package geometry

import (
	"math"
	"math/rand/v2"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

type polyhedronKind struct {
	name string
	make func(rng *rand.Rand) *Surface
}

// polyhedronKinds make what is no airway: machine parts, plates, nested
// bodies, fans and heaps of triangles.
var (
	singleBodies    = []polyhedronKind{{"gear", gear}, {"plate", plate}, {"blocks", blocks}, {"lathe", lathe}, {"fan", fan}, {"crystal", crystal}, {"soup", soup}}
	polyhedronKinds = append([]polyhedronKind{{"nested", nested}}, singleBodies...)
)

// joined returns surfaces as one, their vertices apart.
func joined(parts ...*Surface) *Surface {
	out := &Surface{Mesh: mesh.Mesh{Solids: []string{""}}}
	for _, p := range parts {
		n := int32(len(out.Vertices))
		out.Vertices = append(out.Vertices, p.Vertices...)
		for _, t := range p.Triangles {
			out.Triangles = append(out.Triangles, mesh.Triangle{V: [3]int32{t.V[0] + n, t.V[1] + n, t.V[2] + n}})
		}
	}
	return out
}

// insideOut turns all triangles over.
func insideOut(s *Surface) *Surface {
	for i := range s.Triangles {
		v := &s.Triangles[i].V
		v[1], v[2] = v[2], v[1]
	}
	return s
}

// moved turns, stretches and shifts a surface.
func moved(s *Surface, rng *rand.Rand, stretch r3.Vec, shift r3.Vec) *Surface {
	rotation := r3.NewRotation(2*math.Pi*rng.Float64(), r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()})
	for i, v := range s.Vertices {
		v = r3.Vec{X: v.X * stretch.X, Y: v.Y * stretch.Y, Z: v.Z * stretch.Z}
		s.Vertices[i] = r3.Add(rotation.Rotate(v), shift)
	}
	return s
}

// revolved sweeps a closed or open line of (radius, height) around the z axis
// in n steps; factor makes the radius depend on the step.
func revolved(line [][2]float64, n int, closed bool, factor func(j int) float64) *Surface {
	s := &Surface{Mesh: mesh.Mesh{Solids: []string{""}}}
	for _, p := range line {
		for j := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(j) / float64(n))
			r := p[0] * factor(j)
			s.Vertices = append(s.Vertices, r3.Vec{X: r * cos, Y: r * sin, Z: p[1]})
		}
	}
	rows := len(line) - 1
	if closed {
		rows++
	}
	for i := range rows {
		k := (i + 1) % len(line)
		for j := range n {
			a, b := int32(i*n+j), int32(i*n+(j+1)%n)
			c, d := int32(k*n+(j+1)%n), int32(k*n+j)
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{a, b, c}}, mesh.Triangle{V: [3]int32{a, c, d}})
		}
	}
	return s
}

func even(int) float64 { return 1 }

// gear is a toothed wheel, with or without a bore.
func gear(rng *rand.Rand) *Surface {
	teeth, low := 3+rng.IntN(20), 0.5+0.5*rng.Float64()
	n := 4 * teeth
	tooth := func(j int) float64 {
		if j%4 < 2 {
			return 1
		}
		return low
	}
	h := math.Pow(10, 2*rng.Float64()-1.5)
	bore := 0.0
	if rng.IntN(2) == 0 {
		bore = 0.3
	}
	return revolved([][2]float64{{bore, 0}, {1, 0}, {1, h}, {bore, h}}, n, bore > 0, tooth)
}

// plate is a box, as thin as a sheet or thinner, often with a hole.
func plate(rng *rand.Rand) *Surface {
	h := math.Pow(10, -6*rng.Float64())
	if rng.IntN(2) == 0 {
		return boxSurface(r3.Vec{}, r3.Vec{X: 1, Y: 0.1 + rng.Float64(), Z: h})
	}
	corner := func(j int) float64 {
		return 1 / max(math.Abs(math.Cos(math.Pi/4*float64(j))), math.Abs(math.Sin(math.Pi/4*float64(j))))
	}
	return revolved([][2]float64{{0.4, 0}, {1, 0}, {1, h}, {0.4, h}}, 8, true, corner)
}

// blocks is a heap of cubes: boxes with steps, pockets and tunnels, whose
// edges may belong to four faces.
func blocks(rng *rand.Rand) *Surface {
	var n [3]int
	for i := range n {
		n[i] = 1 + rng.IntN(5)
	}
	fill := 0.3 + 0.7*rng.Float64()
	full := map[[3]int]bool{}
	for x := range n[0] {
		for y := range n[1] {
			for z := range n[2] {
				full[[3]int{x, y, z}] = rng.Float64() < fill
			}
		}
	}
	full[[3]int{}] = true
	return cubes(n, full)
}

// lathe is a turned part: pulleys, bottles, pipes with flanges, cones.
func lathe(rng *rand.Rand) *Surface {
	line := [][2]float64{{0, 0}}
	z := 0.0
	for range 2 + rng.IntN(6) {
		r := 0.1 + rng.Float64()
		line = append(line, [2]float64{r, z})
		z += rng.Float64() * 2
		if rng.IntN(3) > 0 {
			line = append(line, [2]float64{r, z})
		}
	}
	line = append(line, [2]float64{0, z})
	return revolved(line, 3+rng.IntN(40), false, even)
}

// fan is flat or nearly: coplanar triangles around hubs, open or doubled.
func fan(rng *rand.Rand) *Surface {
	n, height := 3+rng.IntN(40), 0.0
	if rng.IntN(3) > 0 {
		height = math.Pow(10, -9*rng.Float64())
	}
	s := revolved([][2]float64{{0, 0}, {1, 0}, {0, height}}, n, false, func(int) float64 { return 0.5 + rng.Float64() })
	if rng.IntN(2) == 0 {
		s.Triangles = s.Triangles[:2*n]
	}
	return s
}

// crystal is a ball with random radii, coarse or fine.
func crystal(rng *rand.Rand) *Surface {
	s := sphereSurface(r3.Vec{}, 1, 2+rng.IntN(8))
	rough := rng.Float64()
	for i, v := range s.Vertices {
		s.Vertices[i] = r3.Scale(1-rough*rng.Float64(), v)
	}
	return s
}

// soup is triangles at random, which meet nowhere or anyhow.
func soup(rng *rand.Rand) *Surface {
	s := &Surface{Mesh: mesh.Mesh{Solids: []string{""}}}
	points := 3 + rng.IntN(30)
	for range points {
		s.Vertices = append(s.Vertices, r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()})
	}
	for range 1 + rng.IntN(100) {
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{rng.Int32N(int32(points)), rng.Int32N(int32(points)), rng.Int32N(int32(points))}})
	}
	return s
}

// nested is two or three bodies inside or beside one another.
func nested(rng *rand.Rand) *Surface {
	var parts []*Surface
	for range 2 + rng.IntN(2) {
		s := singleBodies[rng.IntN(len(singleBodies))].make(rng)
		size := math.Pow(10, -rng.Float64())
		s = moved(s, rng, r3.Vec{X: size, Y: size, Z: size}, r3.Vec{X: rng.Float64(), Y: rng.Float64()})
		if rng.IntN(2) == 0 {
			s = insideOut(s)
		}
		parts = append(parts, s)
	}
	return joined(parts...)
}

// spoiled divides, splits, tears, doubles and drops triangles and scales the
// whole, each only sometimes.
func spoiled(s *Surface, rng *rand.Rand) *Surface {
	fine := 400
	if rng.IntN(20) == 0 {
		fine = 4000
	}
	for len(s.Triangles) < fine && rng.IntN(3) > 0 {
		s = divided(s, rng.IntN(2) == 0)
	}
	if rng.IntN(3) == 0 {
		splitSides(s, rng)
	}
	if rng.IntN(3) == 0 {
		n := len(s.Triangles)
		jitter := math.Pow(10, -9+8*rng.Float64())
		s = damage(s, rng, jitter, rng.IntN(1+n/10), rng.IntN(1+n/4), rng.IntN(1+n/10), rng.IntN(1+n/10))
	}
	size, flat := math.Pow(10, 24*rng.Float64()-12), 1.0
	if rng.IntN(4) == 0 {
		flat = math.Pow(10, -9*rng.Float64())
	}
	s = moved(s, rng, r3.Vec{X: size, Y: size, Z: size * flat}, r3.Vec{X: size * rng.NormFloat64()})
	for i, v := range s.Vertices {
		s.Vertices[i] = r3.Vec{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
	}
	return s
}

// splitSides puts triangles without area between some and their neighbours, as
// exporters do that join meshes of different fineness.
func splitSides(s *Surface, rng *rand.Rand) {
	for i := range len(s.Triangles) {
		if rng.IntN(5) > 0 {
			continue
		}
		v := s.Triangles[i].V
		m := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, r3.Scale(0.5, r3.Add(s.Vertices[v[0]], s.Vertices[v[1]])))
		s.Triangles[i].V = [3]int32{v[0], m, v[2]}
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{m, v[1], v[2]}}, mesh.Triangle{V: [3]int32{v[0], v[1], m}})
	}
}
