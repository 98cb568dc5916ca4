package geometry

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// A flat end of a tube is recognised by what surrounds it: a patch of nearly
// coplanar triangles whose neighbours, all around, turn away and go back along
// the tube. The rim between the two may be bevelled, as it is in surfaces that
// were smoothed or thinned out.
var (
	cosCore = math.Cos(6 * math.Pi / 180)
	cosRim  = math.Cos(21 * math.Pi / 180)
)

const (
	// Triangles of a core lie within this share of the local edge length of
	// its plane, those of the rim within the second.
	coreDepth = 0.08
	rimDepth  = 0.45
	// The wall behind an end is looked at over this range of depths, and out
	// to this distance from the axis, in radii of the end.
	wallNear, wallFar, wallWide = 0.15, 1.0, 1.6
	// The wall counts as perpendicular to the end below this cosine between
	// their normals.
	wallCos = 0.55
	sectors = 16
	// So many of the sectors around an end must show its wall.
	wallSectors = 10
	// 4π·area/perimeter² of an end: 1 for a disc, 0.79 for a square.
	roundness = 0.45
	// At least this share of an end lies in one plane.
	flatness = 0.4
)

// patch is a set of triangles that may close the lumen.
type patch struct {
	triangles []int32
	center    r3.Vec
	normal    r3.Vec
	area      float64
	flat      float64 // share of the area that lies in one plane
	name      string  // of the solid in the file
}

// capFinder looks for flat ends in a surface.
type capFinder struct {
	surface  *Surface
	topology *topology
	area     []r3.Vec // vector areas
	unit     []r3.Vec // normals, zero for degenerate triangles
	typical  float64  // the median of the triangles' edge lengths
	taken    []bool
	seen     []int32 // the last search that came by
	search   int32
}

func newCapFinder(s *Surface, t *topology) *capFinder {
	f := &capFinder{surface: s, topology: t}
	f.area = make([]r3.Vec, len(s.Triangles))
	f.unit = make([]r3.Vec, len(s.Triangles))
	f.taken = make([]bool, len(s.Triangles))
	f.seen = make([]int32, len(s.Triangles))
	for i := range s.Triangles {
		f.area[i] = s.areaVector(i)
		if n := r3.Norm(f.area[i]); n > 0 {
			f.unit[i] = r3.Scale(1/n, f.area[i])
		}
	}
	edges := make([]float64, len(s.Triangles))
	for i := range edges {
		edges[i] = f.edgeLength(int32(i))
	}
	slices.Sort(edges)
	if len(edges) > 0 {
		f.typical = edges[len(edges)/2]
	}
	return f
}

// find returns the flat ends, largest first.
//
// The largest flat cores come first and keep their triangles, so that two
// ends that touch stay two.
func (f *capFinder) find() []patch {
	type seed struct {
		triangle int32
		area     float64
	}
	var seeds []seed
	for i := range f.unit {
		if f.unit[i] != (r3.Vec{}) {
			t := int32(i)
			core := f.grow([]int32{t}, f.centroid(t), f.unit[t], cosCore, coreDepth)
			seeds = append(seeds, seed{t, core.area})
		}
	}
	slices.SortStableFunc(seeds, func(a, b seed) int { return cmp.Compare(b.area, a.area) })
	var found []patch
	tried := make([]bool, len(f.unit))
	for _, s := range seeds {
		if tried[s.triangle] || f.taken[s.triangle] {
			continue
		}
		core := f.grow([]int32{s.triangle}, f.centroid(s.triangle), f.unit[s.triangle], cosCore, coreDepth)
		for _, t := range core.triangles {
			tried[t] = true
		}
		end := f.grow(core.triangles, core.center, core.normal, cosRim, rimDepth)
		end.flat = core.area / end.area
		end.normal = core.normal
		if end.flat >= flatness && len(end.triangles) >= 4 && f.round(&end) && f.closesTube(&end) {
			found = append(found, end)
			for _, t := range end.triangles {
				f.taken[t] = true
			}
		}
	}
	slices.SortStableFunc(found, func(a, b patch) int { return cmp.Compare(b.area, a.area) })
	return found
}

// grow collects the triangles connected to the seeds that face as the plane
// does and lie within depth of it.
func (f *capFinder) grow(seeds []int32, center, normal r3.Vec, cos, share float64) patch {
	f.search++
	p := patch{triangles: append([]int32(nil), seeds...)}
	for _, t := range seeds {
		f.seen[t] = f.search
	}
	for i := 0; i < len(p.triangles); i++ {
		for side := 3 * p.triangles[i]; side < 3*p.triangles[i]+3; side++ {
			m := f.topology.mate[side]
			if m < 0 || f.seen[m/3] == f.search || f.taken[m/3] {
				continue
			}
			t := m / 3
			if r3.Dot(f.unit[t], normal) >= cos && f.depth(t, center, normal) <= share*min(f.edgeLength(t), f.typical) {
				f.seen[t] = f.search
				p.triangles = append(p.triangles, t)
			}
		}
	}
	slices.Sort(p.triangles)
	f.fit(&p)
	return p
}

// fit sets the patch's area, centre and mean normal.
func (f *capFinder) fit(p *patch) {
	var normal, center r3.Vec
	p.area = 0
	for _, t := range p.triangles {
		a := r3.Norm(f.area[t])
		p.area += a
		normal = r3.Add(normal, f.area[t])
		center = r3.Add(center, r3.Scale(a, f.centroid(t)))
	}
	p.center = r3.Scale(1/p.area, center)
	p.normal = r3.Unit(normal)
}

func (f *capFinder) centroid(t int32) r3.Vec {
	a, b, c := f.surface.Corners(int(t))
	return r3.Scale(1.0/3, r3.Add(a, r3.Add(b, c)))
}

// edgeLength returns the mean length of a triangle's sides.
func (f *capFinder) edgeLength(t int32) float64 {
	a, b, c := f.surface.Corners(int(t))
	return (r3.Norm(r3.Sub(a, b)) + r3.Norm(r3.Sub(b, c)) + r3.Norm(r3.Sub(c, a))) / 3
}

// depth returns how far a triangle's corners reach out of a plane.
func (f *capFinder) depth(t int32, center, normal r3.Vec) float64 {
	var far float64
	for _, v := range f.surface.Triangles[t].V {
		far = max(far, math.Abs(r3.Dot(normal, r3.Sub(f.surface.Vertices[v], center))))
	}
	return far
}

// round reports whether a patch is compact enough for the end of a tube.
// Call it right after grow.
func (f *capFinder) round(p *patch) bool {
	var perimeter float64
	for _, t := range p.triangles {
		for side := 3 * t; side < 3*t+3; side++ {
			if m := f.topology.mate[side]; m < 0 || f.seen[m/3] != f.search {
				a, b := f.surface.side(side)
				perimeter += r3.Norm(r3.Sub(f.surface.Vertices[a], f.surface.Vertices[b]))
			}
		}
	}
	return 4*math.Pi*p.area > roundness*perimeter*perimeter
}

// closesTube reports whether the surface around the patch goes back along its
// normal on (nearly) all sides, as the wall of a tube does.
func (f *capFinder) closesTube(p *patch) bool {
	v := f.tube(p)
	good := 0
	for k := range v.wall {
		if v.wall[k] > v.other[k] {
			good++
		}
	}
	return good >= wallSectors
}

// tube looks at the surface around a patch.
func (f *capFinder) tube(p *patch) *tubeView {
	v := f.view(p)
	f.search++
	queue := append([]int32(nil), p.triangles...)
	for _, t := range queue {
		f.seen[t] = f.search
	}
	for i := 0; i < len(queue); i++ {
		for side := 3 * queue[i]; side < 3*queue[i]+3; side++ {
			m := f.topology.mate[side]
			if m < 0 || f.seen[m/3] == f.search {
				continue
			}
			f.seen[m/3] = f.search
			if v.add(f, m/3) {
				queue = append(queue, m/3)
			}
		}
	}
	return v
}

// tubeView is what is seen around a patch: the area, by sectors around its
// axis, of wall behind it and of anything else near it.
type tubeView struct {
	patch       *patch
	radius      float64
	e1, e2      r3.Vec
	wall, other [sectors]float64
}

func (f *capFinder) view(p *patch) *tubeView {
	v := &tubeView{patch: p, radius: math.Sqrt(p.area / math.Pi)}
	v.e1, v.e2 = perpendicular(p.normal)
	return v
}

// perpendicular returns two unit vectors that make a right-handed frame with
// the unit vector n as its third.
func perpendicular(n r3.Vec) (e1, e2 r3.Vec) {
	axis := r3.Vec{X: 1}
	if math.Abs(n.X) > 0.6 {
		axis = r3.Vec{Y: 1}
	}
	e1 = r3.Unit(r3.Cross(axis, n))
	return e1, r3.Cross(n, e1)
}

// add looks at a triangle through points spread over it and reports whether
// any of them is near the patch.
func (v *tubeView) add(f *capFinder, t int32) bool {
	a, b, c := f.surface.Corners(int(t))
	longest := max(r3.Norm(r3.Sub(a, b)), r3.Norm(r3.Sub(b, c)), r3.Norm(r3.Sub(c, a)))
	n := int(min(max(math.Ceil(longest/(0.4*v.radius)), 1), 64))
	weight := r3.Norm(f.area[t]) / float64(n*n)
	near := false
	for i := 0; i < n; i++ {
		for j := 0; j < n-i; j++ {
			p, q := (float64(i)+1.0/3)/float64(n), (float64(j)+1.0/3)/float64(n)
			point := r3.Add(a, r3.Add(r3.Scale(p, r3.Sub(b, a)), r3.Scale(q, r3.Sub(c, a))))
			if v.addPoint(point, f.unit[t], weight) {
				near = true
			}
		}
	}
	return near
}

func (v *tubeView) addPoint(point, normal r3.Vec, weight float64) bool {
	d := r3.Sub(point, v.patch.center)
	depth := -r3.Dot(d, v.patch.normal)
	x, y := r3.Dot(d, v.e1), r3.Dot(d, v.e2)
	wide := math.Hypot(x, y)
	if wide > wallWide*v.radius || depth > wallFar*v.radius || depth < -wallFar*v.radius {
		return false
	}
	if math.Abs(depth) < wallNear*v.radius {
		return true
	}
	k := int((math.Atan2(y, x)/(2*math.Pi)+0.5)*sectors) % sectors
	outward := r3.Dot(normal, r3.Add(r3.Scale(x, v.e1), r3.Scale(y, v.e2))) > 0
	if depth > 0 && outward && math.Abs(r3.Dot(normal, v.patch.normal)) < wallCos {
		v.wall[k] += weight
	} else {
		v.other[k] += weight
	}
	return true
}
