package opening

import (
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// The wall behind an end is searched over this range of depths, and out
	// to this distance from the axis, in radii of the end.
	wallNear, wallFar, wallWide = 0.15, 1.0, 1.6
	// The wall counts as perpendicular to the end below this cosine between
	// their normals.
	wallCos = 0.55
	sectors = 16
	// A triangle is examined at so many points along a side at most. Where they are
	// few, all are, and else those of a row that may be near.
	mostPoints, fewPoints = 64, 4
	// How far back the lumen is followed, in radii of the end.
	farBack = 8
)

// wallSectors counts the sectors around a patch where its tube's wall is seen.
func (f *Finder) wallSectors(p *Patch) int {
	v := f.tube(p, nil)
	good := 0
	for k := range v.wall {
		if v.wall[k] > v.other[k] {
			good++
		}
	}
	return good
}

// tube examines the surface around a patch, at triangle after triangle.
func (f *Finder) tube(p *Patch, see func(t int32)) *tubeView {
	v := f.view(p)
	f.search++
	queue := append(f.grown[:0], p.Triangles...)
	for _, t := range queue {
		f.seen[t] = f.search
	}
	for i := 0; i < len(queue); i++ {
		for _, m := range f.topology.Beside(queue[i]) {
			if m < 0 {
				continue
			}
			t := m / 3
			if f.seen[t] == f.search {
				continue
			}
			f.seen[t] = f.search
			if see != nil {
				see(t)
			}
			if v.add(f, t) {
				queue = append(queue, t)
			}
		}
	}
	f.grown = queue
	return v
}

// tubeView is what is seen around a patch: the area, by sectors around its
// axis, of wall behind it and of anything else near it.
type tubeView struct {
	patch       *Patch
	radius      float64
	wide        mesh.Limit
	e1, e2      r3.Vec
	wall, other [sectors]float64
	// share are the places of points along a side of a triangle in so many parts.
	share [mostPoints]float64
	parts int
}

func (f *Finder) view(p *Patch) *tubeView {
	v := &tubeView{patch: p, radius: math.Sqrt(p.Area / math.Pi)}
	v.wide = mesh.NewLimit(wallWide * v.radius)
	v.e1, v.e2 = mesh.Perpendicular(p.Normal)
	return v
}

// add examines a triangle at points spread over it and reports whether
// any of them is near the patch.
func (v *tubeView) add(f *Finder, t int32) bool {
	a, b, c := f.mesh.Corners(int(t))
	n := int(min(max(math.Ceil(f.longest[t]/(0.4*v.radius)), 1), mostPoints))
	if v.parts != n {
		v.parts = n
		for i := range n {
			v.share[i] = (float64(i) + 1.0/3) / float64(n)
		}
	}
	weight := f.size[t] / float64(n*n)
	toB, toC := r3.Sub(b, a), r3.Sub(c, a)
	unit, near := f.unit[t], false
	steep := math.Abs(r3.Dot(unit, v.patch.Normal)) < wallCos
	for i := range n {
		start := r3.Scale(v.share[i], toB)
		from, to := 0, n-i
		if n > fewPoints {
			from, to = v.rowWithin(r3.Add(a, start), toC, n, to)
		}
		for j := from; j < to; j++ {
			if v.addPoint(r3.Add(a, r3.Add(start, r3.Scale(v.share[j], toC))), unit, steep, weight) {
				near = true
			}
		}
	}
	return near
}

// rowWithin returns a range outside of which no point of a row is near the patch, of those
// at the shares j+⅓ of so many parts of a way from where it starts.
func (v *tubeView) rowWithin(start, way r3.Vec, parts, count int) (from, to int) {
	d := r3.Sub(start, v.patch.Center)
	// Rounding is far below these.
	const ofRadius, ofPlaces = 1e-6, 1e-11
	spare := ofRadius*v.radius + ofPlaces*(spread(start)+spread(way)+spread(v.patch.Center))
	far, wide := wallFar*v.radius+spare, wallWide*v.radius+spare
	low, high := 0.0, 1.0
	depth, deeper := r3.Dot(d, v.patch.Normal), r3.Dot(way, v.patch.Normal)
	if deeper < 0 {
		depth, deeper = -depth, -deeper
	}
	if at := (-far - depth) / deeper; at > low {
		low = at
	}
	if at := (far - depth) / deeper; at < high {
		high = at
	}
	if low > high {
		return 0, 0
	}
	x, y, alongX, alongY := r3.Dot(d, v.e1), r3.Dot(d, v.e2), r3.Dot(way, v.e1), r3.Dot(way, v.e2)
	square, nearest := alongX*alongX+alongY*alongY, 0.0
	if square > 0 {
		nearest = -(x*alongX + y*alongY) / square
	}
	x, y = x+nearest*alongX, y+nearest*alongY
	left := wide*wide - (x*x + y*y)
	if left < 0 {
		return 0, 0
	}
	if square > 0 {
		half := math.Sqrt(left / square)
		if nearest-half > low {
			low = nearest - half
		}
		if nearest+half < high {
			high = nearest + half
		}
		if low > high {
			return 0, 0
		}
	}
	return max(int(low*float64(parts))-1, 0), min(int(high*float64(parts))+1, count)
}

// spread is how far a point lies from the origin along all axes together.
func spread(v r3.Vec) float64 { return math.Abs(v.X) + math.Abs(v.Y) + math.Abs(v.Z) }

// addPoint adds what a point stands for to its sector. Steep says that its triangle is
// about perpendicular to the patch.
func (v *tubeView) addPoint(point, normal r3.Vec, steep bool, weight float64) bool {
	d := r3.Sub(point, v.patch.Center)
	depth := -r3.Dot(d, v.patch.Normal)
	if math.Abs(depth) > wallFar*v.radius {
		return false
	}
	x, y := r3.Dot(d, v.e1), r3.Dot(d, v.e2)
	if v.wide.ExceededBy(r3.Vec{X: x, Y: y}) {
		return false
	}
	if math.Abs(depth) < wallNear*v.radius {
		return true
	}
	k := sectorOf(x, y)
	if steep && depth > 0 && r3.Dot(normal, r3.Add(r3.Scale(x, v.e1), r3.Scale(y, v.e2))) > 0 {
		v.wall[k] += weight
	} else {
		v.other[k] += weight
	}
	return true
}

// sectorOf returns in which sector around the origin a point lies: its angle in
// sixteenths, from the negative first axis. The angle itself is computed near the
// limits of sectors, where rounding decides.
func sectorOf(x, y float64) int {
	const tan, rounding = math.Sqrt2 - 1, 1e-9
	across, up := math.Abs(x), math.Abs(y)
	a, b, c := up-tan*across, up-across, tan*up-across
	if near := rounding * (across + up); !(across > near && up > near && math.Abs(a) > near && math.Abs(b) > near && math.Abs(c) > near) {
		return int((math.Atan2(y, x)/(2*math.Pi)+0.5)*sectors) % sectors
	}
	below := func(z float64) int { return int(math.Float64bits(z) >> 63) }
	in := 3 - below(a) - below(b) - below(c)
	switch below(x) + 2*below(y) {
	case 0:
		return 8 + in
	case 1:
		return 15 - in
	case 2:
		return 7 - in
	}
	return in
}

// slenderness compares how far the lumen goes straight back from a patch with
// how wide it is there: the median distance to the sides.
func (f *Finder) slenderness(p *Patch, axis r3.Vec) float64 {
	r := math.Sqrt(p.Area / math.Pi)
	e1, e2 := mesh.Perpendicular(axis)
	from := r3.Sub(p.Center, r3.Scale(0.7*r, axis))
	var side [sectors]float64
	for k := range side {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / sectors)
		side[k], _ = f.hierarchy.Ray(from, r3.Add(r3.Scale(cos, e1), r3.Scale(sin, e2)), farBack*r)
	}
	slices.Sort(side[:])
	back, _ := f.hierarchy.Ray(r3.Sub(p.Center, r3.Scale(0.2*r, axis)), r3.Scale(-1, axis), farBack*r)
	return min(back, farBack*r) / side[sectors/2]
}

const (
	// Half a radius behind an end its tube's section is so many times as large
	// at most (smoothing leaves a flat end smaller than the tube, growing into
	// a neighbour makes the tube wider: 1.1 to 5.7 were found); behind a flat
	// piece in the crotch of two branches it is a hundred times as large.
	sectionBehind, widestSection = 0.5, 8
	// Sections are followed out to so many radii.
	sectionReach = 16
	// An end before a bend, with the signs of endRules this strong: the
	// sections behind it are at most so many times as large.
	bluntSectors, bluntFlat, evenSection = 10, 0.5, 2.5
)

// sectionShare returns the area of the section around an end's axis, so many
// radii behind it, over the end's own; +Inf where it is not one closed line.
func (f *Finder) sectionShare(end *Patch, normal r3.Vec, radii float64) float64 {
	radius := math.Sqrt(end.Area / math.Pi)
	section := f.hierarchy.SectionAround(mesh.Plane{At: r3.Sub(end.Center, r3.Scale(radii*radius, normal)), Normal: normal}, sectionReach*radius)
	if section == nil {
		return math.Inf(1)
	}
	return section.Area / end.Area
}

// closesTube reports whether there is a tube behind an end, and not a crotch.
func (f *Finder) closesTube(end *Patch) bool {
	return f.sectionShare(end, end.Normal, sectionBehind) <= widestSection
}

// endsEvenTube reports whether the tube behind an end has sections like the
// end over two radii.
func (f *Finder) endsEvenTube(end *Patch) bool {
	for _, radii := range [...]float64{0.5, 1, 2} {
		if f.sectionShare(end, end.core.Normal, radii) > evenSection {
			return false
		}
	}
	return true
}

// shallow is the least way that the lumen goes straight back from an end, over
// the reach of the end from its centre: a flat side of a channel is wider than
// the channel is deep behind it (0.5 and less for channels twice as wide), an
// end of a tube is not (0.94 and more were found).
const shallow = 0.8

// goesBack returns how far the lumen goes straight back from an end, over how
// far the end reaches from its centre.
func (f *Finder) goesBack(end *Patch) float64 {
	radius := math.Sqrt(end.Area / math.Pi)
	reach := max(radius, f.reach(end))
	const start = 0.2
	back, _ := f.hierarchy.Ray(r3.Sub(end.Center, r3.Scale(start*radius, end.Normal)), r3.Scale(-1, end.Normal), farBack*reach)
	return (back + start*radius) / reach
}
