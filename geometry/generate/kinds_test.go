package generate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// tree is an airway of some generations with ends as fine as its walls.
func tree(generations int, rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	s, openings, err := generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Generations: generations, Segments: 20 + 2*rng.IntN(15), Seed: rng.Uint64()})
	if err != nil {
		panic(err)
	}
	for _, o := range openings {
		refineCap(s, o, 4)
	}
	return s, openings
}

// capOf returns the triangles of an end.
func capOf(s *geometry.Surface, o geometry.Opening) (list []int) {
	for i, t := range s.Triangles {
		if s.Solids[t.Solid] == o.Name {
			list = append(list, i)
		}
	}
	return list
}

// refineCap makes rings of the fan that closes an end.
func refineCap(s *geometry.Surface, o geometry.Opening, rings int) {
	between := map[[2]int32]int32{}
	var center int32
	at := func(v int32, ring int) int32 {
		switch key := [2]int32{v, int32(ring)}; {
		case ring == rings:
			return v
		case ring == 0:
			return center
		default:
			if _, ok := between[key]; !ok {
				between[key] = int32(len(s.Vertices))
				f := float64(ring) / float64(rings)
				s.Vertices = append(s.Vertices, r3.Add(s.Vertices[center], r3.Scale(f, r3.Sub(s.Vertices[v], s.Vertices[center]))))
			}
			return between[key]
		}
	}
	for _, i := range capOf(s, o) {
		solid := s.Triangles[i].Solid
		c, a, b := s.Triangles[i].V[0], s.Triangles[i].V[1], s.Triangles[i].V[2]
		center = c
		s.Triangles[i].V = [3]int32{c, at(a, 1), at(b, 1)}
		for k := 1; k < rings; k++ {
			s.Triangles = append(s.Triangles,
				mesh.Triangle{V: [3]int32{at(a, k), at(a, k+1), at(b, k+1)}, Solid: solid},
				mesh.Triangle{V: [3]int32{at(a, k), at(b, k+1), at(b, k)}, Solid: solid})
		}
	}
}

// eachOnce moves every vertex of an end once.
func eachOnce(s *geometry.Surface, o geometry.Opening, to func(v r3.Vec) r3.Vec) {
	done := map[int32]bool{}
	for _, i := range capOf(s, o) {
		for _, v := range s.Triangles[i].V {
			if !done[v] {
				done[v] = true
				s.Vertices[v] = to(s.Vertices[v])
			}
		}
	}
}

// radiusOf is the radius of a disc as large as an end.
func radiusOf(o geometry.Opening) float64 { return math.Sqrt(o.Area / math.Pi) }

// wavy gives ends waves of some share of their radius.
func wavy(share float64) func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	return func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
		s, openings := tree(2, rng)
		for _, o := range openings {
			e1, e2 := mesh.Perpendicular(o.Normal)
			r := radiusOf(o)
			p, q := 2*math.Pi*rng.Float64(), 2*math.Pi*rng.Float64()
			eachOnce(s, o, func(v r3.Vec) r3.Vec {
				d := r3.Sub(v, o.Center)
				return r3.Add(v, r3.Scale(share*r*math.Sin(3*r3.Dot(d, e1)/r+p)*math.Sin(3*r3.Dot(d, e2)/r+q), o.Normal))
			})
		}
		return s, openings
	}
}

// slit parts ends in two by an open slit of some share of their radius.
func slit(width float64) func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	return func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
		s, openings := tree(2, rng)
		for _, o := range openings {
			e1, _ := mesh.Perpendicular(o.Normal)
			r := radiusOf(o)
			clipCap(s, o, e1, 0.3*r*(rng.Float64()-0.5), width*r)
		}
		return s, openings
	}
}

// clipCap cuts an end along two lines and takes out what lies between.
func clipCap(s *geometry.Surface, o geometry.Opening, across r3.Vec, offset, width float64) {
	triangles := capOf(s, o)
	solid := s.Triangles[triangles[0]].Solid
	var old []mesh.Triangle
	var kept []mesh.Triangle
	for _, t := range s.Triangles {
		if t.Solid == solid {
			old = append(old, t)
		} else {
			kept = append(kept, t)
		}
	}
	s.Triangles = kept
	height := func(v int32) float64 { return r3.Dot(r3.Sub(s.Vertices[v], o.Center), across) - offset }
	cut := map[[3]int32]int32{}
	clip := func(poly []int32, level float64, id int32, above bool) (out []int32) {
		for i, a := range poly {
			b := poly[(i+1)%len(poly)]
			ha, hb := height(a)-level, height(b)-level
			if (ha >= 0) == above {
				out = append(out, a)
			}
			if (ha >= 0) != (hb >= 0) {
				key := [3]int32{min(a, b), max(a, b), id}
				if _, ok := cut[key]; !ok {
					cut[key] = int32(len(s.Vertices))
					f := ha / (ha - hb)
					s.Vertices = append(s.Vertices, r3.Add(s.Vertices[a], r3.Scale(f, r3.Sub(s.Vertices[b], s.Vertices[a]))))
				}
				out = append(out, cut[key])
			}
		}
		return out
	}
	put := func(poly []int32) {
		for i := 2; i < len(poly); i++ {
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{poly[0], poly[i-1], poly[i]}, Solid: solid})
		}
	}
	for _, t := range old {
		poly := t.V[:]
		put(clip(poly, width/2, 1, true))
		put(clip(poly, -width/2, 0, false))
	}
}

// pinched narrows several branches a little behind their ends.
func pinched(to float64) func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	return func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
		s, openings := tree(2, rng)
		for _, o := range openings[1:] {
			r := radiusOf(o)
			at := (1.8 + rng.Float64()) * r
			for i, v := range s.Vertices {
				d := r3.Sub(v, o.Center)
				depth := -r3.Dot(d, o.Normal)
				radial := r3.Add(d, r3.Scale(depth, o.Normal))
				if r3.Norm(radial) > 1.5*r || math.Abs(depth-at) > r {
					continue
				}
				f := 1 - (1-to)*(0.5+0.5*math.Cos(math.Pi*(depth-at)/r))
				s.Vertices[i] = r3.Sub(r3.Add(o.Center, r3.Scale(f, radial)), r3.Scale(depth, o.Normal))
			}
		}
		return s, openings
	}
}

// port is an end of a body of cells.
type port struct {
	at, normal r3.Vec
	area       float64
}

// cells is a body of cells, stretched and divided, and its ends.
func cells(full map[[3]int]bool, n [3]int, stretch r3.Vec, divide int, ports ...port) (*geometry.Surface, []geometry.Opening) {
	m := meshtest.Cubes(n, full)
	for range divide {
		m = meshtest.Divided(m, false)
	}
	scale := func(v r3.Vec) r3.Vec { return r3.Vec{X: v.X * stretch.X, Y: v.Y * stretch.Y, Z: v.Z * stretch.Z} }
	for i, v := range m.Vertices {
		m.Vertices[i] = scale(v)
	}
	var openings []geometry.Opening
	for _, p := range ports {
		area := p.area * stretch.X * stretch.Y * stretch.Z / math.Abs(r3.Dot(scale(p.normal), r3.Vec{X: 1, Y: 1, Z: 1}))
		openings = append(openings, geometry.Opening{Center: scale(p.at), Normal: p.normal, Area: area})
	}
	return &geometry.Surface{Mesh: *m}, openings
}

// fill fills the cells between two corners.
func fill(full map[[3]int]bool, from, to [3]int) {
	for x := from[0]; x < to[0]; x++ {
		for y := from[1]; y < to[1]; y++ {
			for z := from[2]; z < to[2]; z++ {
				full[[3]int{x, y, z}] = true
			}
		}
	}
}

// serpentine is a channel that turns back and forth, and may be flat.
func serpentine(flat float64) func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	return func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
		full := map[[3]int]bool{}
		turns, long := 2+rng.IntN(5), 5+rng.IntN(6)
		for i := range turns {
			fill(full, [3]int{0, 2 * i, 0}, [3]int{long, 2*i + 1, 1})
			if i > 0 {
				x := (i % 2) * (long - 1)
				full[[3]int{x, 2*i - 1, 0}] = true
			}
		}
		end := port{r3.Vec{X: float64(long), Y: float64(2*turns) - 1.5, Z: 0.5}, r3.Vec{X: 1}, 1}
		if turns%2 == 0 {
			end = port{r3.Vec{Y: end.at.Y, Z: 0.5}, r3.Vec{X: -1}, 1}
		}
		return cells(full, [3]int{long, 2 * turns, 1}, r3.Vec{X: 2e-3, Y: 2e-3, Z: 2e-3 * flat}, 1+rng.IntN(2),
			port{r3.Vec{Y: 0.5, Z: 0.5}, r3.Vec{X: -1}, 1}, end)
	}
}

// mixer is two channels that meet and a folded one behind.
func mixer(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	full := map[[3]int]bool{}
	arm, folds := 4+rng.IntN(4), 2+rng.IntN(4)
	width := 2*arm + 1
	fill(full, [3]int{0, 0, 0}, [3]int{width, 1, 1})
	y := 1
	fill(full, [3]int{arm, y, 0}, [3]int{arm + 1, y + 3, 1})
	y += 2
	x := arm
	for i := range folds {
		to := arm + 3
		if i%2 == 1 {
			to = arm
		}
		fill(full, [3]int{min(x, to), y, 0}, [3]int{max(x, to) + 1, y + 1, 1})
		x = to
		fill(full, [3]int{x, y, 0}, [3]int{x + 1, y + 3, 1})
		y += 2
	}
	fill(full, [3]int{x, y, 0}, [3]int{x + 1, y + 4, 1})
	y += 4
	return cells(full, [3]int{width + 4, y, 1}, r3.Vec{X: 1e-3, Y: 1e-3, Z: 1e-3 * (0.6 + 0.4*rng.Float64())}, rng.IntN(3),
		port{r3.Vec{Y: 0.5, Z: 0.5}, r3.Vec{X: -1}, 1}, port{r3.Vec{X: float64(width), Y: 0.5, Z: 0.5}, r3.Vec{X: 1}, 1},
		port{r3.Vec{X: float64(x) + 0.5, Y: float64(y), Z: 0.5}, r3.Vec{Y: 1}, 1})
}

// aneurysm is a bulge in a vessel with unlike ends.
func aneurysm(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	n := 16 + rng.IntN(24)
	a, b, bulge := (2+rng.Float64())*1e-3, (0.8+1.2*rng.Float64())*1e-3, (6+8*rng.Float64())*1e-3
	la, lb := 10e-3, (6+10*rng.Float64())*1e-3
	edge := 2 * math.Pi * a / float64(n)
	var line [][2]float64
	add := func(r0, z0, r1, z1 float64) {
		k := max(int(math.Hypot(r1-r0, z1-z0)/edge), 2)
		for i := range k {
			f := float64(i) / float64(k)
			line = append(line, [2]float64{r0 + f*(r1-r0), z0 + f*(z1-z0)})
		}
	}
	add(1e-6, 0, a, 0)
	add(a, 0, a, la)
	k := 12
	for i := range k + 1 {
		f := float64(i) / float64(k)
		line = append(line, [2]float64{a + f*(b-a) + (bulge-a)*math.Sin(math.Pi*f), la + 2*bulge*f})
	}
	top := la + 2*bulge + lb
	add(b, la+2*bulge+1e-4, b, top)
	add(b, top, 1e-6, top)
	line = append(line, [2]float64{1e-6, top})
	s := &geometry.Surface{}
	for _, p := range line {
		for j := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(j) / float64(n))
			s.Vertices = append(s.Vertices, r3.Vec{X: p[0] * cos, Y: p[0] * sin, Z: p[1]})
		}
	}
	for i := range len(line) - 1 {
		for j := range n {
			p, q := int32(i*n+j), int32(i*n+(j+1)%n)
			s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{p, q, q + int32(n)}}, mesh.Triangle{V: [3]int32{p, q + int32(n), p + int32(n)}})
		}
	}
	section := float64(n) / 2 * math.Sin(2*math.Pi/float64(n))
	s.Solids = []string{""}
	return s, []geometry.Opening{{Normal: r3.Vec{Z: -1}, Area: section * a * a}, {Center: r3.Vec{Z: top}, Normal: r3.Vec{Z: 1}, Area: section * b * b}}
}

// lined is a tree whose trunk has an inner wall over a part: a rim joins the two at
// its end.
func lined(rng *rand.Rand) (*geometry.Surface, []geometry.Opening) {
	s, openings, err := generate.Airway(generate.AirwayOptions{Generations: 1 + rng.IntN(2), Segments: 24 + 2*rng.IntN(12)})
	if err != nil {
		panic(err)
	}
	o := &openings[0]
	r := radiusOf(*o)
	thick, deep := (0.05+0.15*rng.Float64())*r, (3+3*rng.Float64())*r
	rows := int(deep / r * 4)
	solid := s.Triangles[capOf(s, *o)[0]].Solid
	var ring [][2]int32
	var kept []mesh.Triangle
	for _, t := range s.Triangles {
		if t.Solid == solid {
			ring = append(ring, [2]int32{t.V[1], t.V[2]})
		} else {
			kept = append(kept, t)
		}
	}
	s.Triangles = kept
	inner := make([]map[int32]int32, rows+1)
	for k := range inner {
		inner[k] = map[int32]int32{}
		for _, e := range ring {
			v := s.Vertices[e[0]]
			radial := r3.Sub(v, o.Center)
			inner[k][e[0]] = int32(len(s.Vertices))
			s.Vertices = append(s.Vertices, r3.Sub(r3.Add(o.Center, r3.Scale(1-thick/r, radial)), r3.Scale(deep*float64(k)/float64(rows), o.Normal)))
		}
	}
	bottom := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Sub(o.Center, r3.Scale(deep, o.Normal)))
	quad := func(a, b, c, d int32) {
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{a, b, c}, Solid: solid}, mesh.Triangle{V: [3]int32{a, c, d}, Solid: solid})
	}
	for _, e := range ring {
		quad(e[0], e[1], inner[0][e[1]], inner[0][e[0]])
		for k := range rows {
			quad(inner[k][e[0]], inner[k][e[1]], inner[k+1][e[1]], inner[k+1][e[0]])
		}
		s.Triangles = append(s.Triangles, mesh.Triangle{V: [3]int32{inner[rows][e[0]], inner[rows][e[1]], bottom}, Solid: solid})
	}
	o.Area *= (1 - thick/r) * (1 - thick/r)
	return s, openings
}

// surfaceKind is a kind of surface with its true ends.
type surfaceKind struct {
	name string
	make func(rng *rand.Rand) (*geometry.Surface, []geometry.Opening)
}

// kinds are those whose ends are all found and no others.
var kinds = []surfaceKind{
	{"caps cut in two", slit(0)}, {"caps with a narrow slit", slit(0.02)}, {"caps with a wide slit", slit(0.25)},
	{"waves of 3 %", wavy(0.03)}, {"several pinched to half", pinched(0.5)}, {"several pinched to a twentieth", pinched(0.05)},
	{"serpentine", serpentine(1)}, {"flat serpentine", serpentine(0.25)}, {"mixer", mixer},
	{"aneurysm with unlike ends", aneurysm}, {"tree with a trunk lined in a part", lined},
}

// Ends are found where they are, as large as they are, and no others.
func TestEndsOfManyKinds(t *testing.T) {
	race.SkipArithmetic(t)
	for _, kind := range kinds {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 41))
			s, openings := kind.make(rng)
			openings = move(s, openings, 1, rng)
			p, err := geometry.Prepare(unnamed(s), geometry.Options{})
			if err != nil {
				t.Fatalf("%s: %v", kind.name, err)
			}
			if len(p.Openings) != len(openings) {
				t.Errorf("%s, seed %d: %d openings found, want %d", kind.name, seed, len(p.Openings), len(openings))
				continue
			}
			for _, want := range openings {
				if got := nearest(p.Openings, want.Center); math.Abs(got.Area/want.Area-1) > 0.05 || r3.Norm(r3.Sub(got.Center, want.Center)) > 1e-3 {
					t.Errorf("%s, seed %d: an end of %.4g m² at %.4g, want %.4g m² at %.4g", kind.name, seed, got.Area, got.Center, want.Area, want.Center)
				}
			}
		}
	}
}
