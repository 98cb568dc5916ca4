package opening

import (
	"math"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
)

// What makes a patch the end of a tube is what lies behind it, told here from
// sections parallel to it, which do not depend on the triangles. Behind an end,
// cut across or aslant, the wall goes back all around along one direction, the
// sections stay as large as the end is, and both last for a radius or so. Behind
// a dome, a bulge or a flat spot of a wall they grow from the first.

const (
	// Sections are made in these steps, to follow the tube and before that to find
	// its axis, down to these depths; in radii of the patch.
	profileStep, axisStep, axisDepth, profileDepth = 0.125, 0.25, 0.9, 2.1
	// So close behind a patch its own unevenness may leave no section.
	unevenDepth = 0.5
	// A section so many times as large as the patch is none of its tube.
	profileGrowth = 8
	// The sine of a wall's angle against the axis, and how much nearer or farther
	// than where it began, as a share.
	wallLean, wallDrift = 0.36, 0.3
	// Nor one close behind it so many times.
	firstGrowth = 5
	// An axis leans against the normal by 68° at most: walls tell that of a cut at 60° to
	// some degrees.
	axisCos = 0.375
	// A body behind a patch ends within so many of its reaches, and its sections
	// grow less than so.
	bodyReach, bodyGrowth = 4.5, 3.0
	// A wall in one direction goes back so far, in radii of the tube.
	wallLength = 0.25
)

// ring is a section behind a patch, in directions around the axis.
type ring struct {
	depth, area float64
	// wall is the mean normal there, zero where there is no wall, reach how far
	// away it is.
	wall  [sectors]r3.Vec
	reach [sectors]float64
}

// profile is what lies behind a patch. Lengths are in radii of the tube.
type profile struct {
	axis r3.Vec
	// walls is the share of directions in which a wall goes back, length how far in the
	// mean.
	walls, length float64
	// begins is how far behind the patch the wall begins, across the patch's area
	// over the section's there.
	begins, across float64
	// closed says that the tube is closed behind before it is a tube, as a body is.
	closed bool
}

// ringOf shows a section around a plane's point as a ring.
func (f *Finder) ringOf(s *mesh.Section, p *mesh.Plane) *ring {
	r := &ring{area: s.Area}
	e1, e2 := mesh.Perpendicular(p.Normal)
	longest := 0.15 * math.Sqrt(s.Area)
	for i, t := range s.Triangles {
		a, b := s.Corners[i], s.Corners[(i+1)%len(s.Corners)]
		length := math.Sqrt(r3.Norm2(r3.Sub(b, a)))
		parts := max(int(math.Ceil(length/longest)), 1)
		for k := range parts {
			d := r3.Sub(r3.Add(a, r3.Scale((float64(k)+0.5)/float64(parts), r3.Sub(b, a))), p.At)
			x, y := r3.Dot(d, e1), r3.Dot(d, e2)
			sector := sectorOf(x, y)
			r.wall[sector] = r3.Add(r.wall[sector], r3.Scale(length/float64(parts), f.unit[t]))
			if far := math.Sqrt(x*x + y*y); r.reach[sector] == 0 || far < r.reach[sector] {
				r.reach[sector] = far
			}
		}
	}
	for k, n := range r.wall {
		if length := r3.Norm2(n); length > 0 {
			r.wall[k] = r3.Scale(1/math.Sqrt(length), n)
		}
	}
	return r
}

// planeBehind is the plane parallel to a patch at a depth, in radii, along an axis.
func (p *Patch) planeBehind(axis r3.Vec, depth float64) mesh.Plane {
	return mesh.Plane{At: r3.Sub(p.Center, r3.Scale(depth*math.Sqrt(p.Area/math.Pi)/r3.Dot(axis, p.Normal), axis)), Normal: p.Normal}
}

// sectionReached is how far sections are followed, in radii of the patch.
const sectionReached = 4

// rings adds to all the sections along an axis from one depth down to another in steps,
// or to the first that is none of the tube's.
func (f *Finder) rings(all []*ring, p *Patch, axis r3.Vec, from, step, depth float64) []*ring {
	radius := math.Sqrt(p.Area / math.Pi)
	for d := from; d < depth; d += step {
		at := p.planeBehind(axis, d)
		s := f.hierarchy.SectionAround(at, sectionReached*radius)
		if s == nil {
			// Close behind a patch that is not quite flat the plane still cuts it.
			if len(all) == 0 && d < unevenDepth {
				continue
			}
			break
		}
		r := f.ringOf(s, &at)
		r.depth = d * radius
		all = append(all, r)
		if r.area > profileGrowth*p.Area {
			break
		}
	}
	return all
}

// profileOf follows the tube behind a patch, nil where none can be followed.
func (f *Finder) profileOf(p *Patch) *profile {
	// Most flat pieces are of walls: one section tells.
	radius := math.Sqrt(p.Area / math.Pi)
	at := p.planeBehind(p.Normal, axisStep)
	s := f.hierarchy.SectionAround(at, sectionReached*radius)
	if s == nil || s.Area > firstGrowth*p.Area || !f.mayBeClosed(p) {
		return nil
	}
	first := f.ringOf(s, &at)
	first.depth = axisStep * radius
	// The axis leans as the walls do, which are found along the axis.
	axis, all := p.Normal, f.rings([]*ring{first}, p, p.Normal, 2*axisStep, axisStep, axisDepth)
	for round := range 2 {
		if round > 0 {
			all = f.rings(nil, p, axis, axisStep, axisStep, axisDepth)
		}
		next, ok := axisOf(all, p.Normal)
		if !ok {
			return nil
		}
		done := r3.Dot(next, axis) > 0.999
		if axis = next; done {
			break
		}
	}
	all = f.rings(nil, p, axis, profileStep, profileStep, profileDepth)
	if len(all) < 2 {
		return nil
	}
	q := follow(all, p, axis)
	q.closed = f.closedBehind(p, all, axis)
	return q
}

// mayBeClosed reports whether rays from behind a patch to all sides end before they
// leave any section that rings look for. One ray may slip through an edge, and they
// keep off the directions in which made surfaces have theirs.
func (f *Finder) mayBeClosed(p *Patch) bool {
	const rays, wide, aside = 8, 2 * firstGrowth, 0.37
	radius := math.Sqrt(p.Area / math.Pi)
	e1, e2 := mesh.Perpendicular(p.Normal)
	from := r3.Sub(p.Center, r3.Scale(axisStep*radius, p.Normal))
	square, far, missed := 0.0, math.Sqrt(rays*wide)*radius, 0
	for k := range rays {
		sin, cos := math.Sincos(2 * math.Pi * (float64(k) + aside) / rays)
		d, hit := f.hierarchy.Ray(from, r3.Add(r3.Scale(cos, e1), r3.Scale(sin, e2)), far)
		if hit < 0 {
			missed++
		} else {
			square += d * d
		}
		if missed > 1 || square > far*far {
			return false
		}
	}
	return true
}

// closedBehind reports whether the lumen behind a patch ends before it is long,
// and does not widen on the way.
func (f *Finder) closedBehind(p *Patch, rings []*ring, axis r3.Vec) bool {
	const start = 0.1
	radius := math.Sqrt(p.Area / math.Pi)
	// A cut aslant reaches farther than its tube is wide.
	cos := r3.Dot(axis, p.Normal)
	far := bodyReach * f.reach(p) * cos
	back, _ := f.hierarchy.Ray(r3.Sub(p.Center, r3.Scale(start*radius, axis)), r3.Scale(-1, axis), far)
	if !(back < far) {
		return false
	}
	widest := 0.0
	for _, r := range rings {
		widest = max(widest, r.area)
	}
	last := rings[len(rings)-1].depth
	reached := last > (profileDepth-2*profileStep)*radius || back*cos < last+2*profileStep*radius
	return widest < bodyGrowth*p.Area && reached
}

// axisOf returns the direction to which the walls of sections are most nearly
// parallel, on the side of a normal. Walls that are not, where another tube
// joins, count ever less.
func axisOf(rings []*ring, normal r3.Vec) (axis r3.Vec, ok bool) {
	for round := range 4 {
		m := mat.NewSymDense(3, nil)
		walls := 0
		for _, r := range rings {
			for _, n := range r.wall {
				if n == (r3.Vec{}) {
					continue
				}
				walls++
				weight := 1.0
				if round > 0 {
					lean := r3.Dot(n, axis) / wallLean
					weight = 1 / (1 + lean*lean*lean*lean)
				}
				u := [3]float64{n.X, n.Y, n.Z}
				for a := range 3 {
					for b := a; b < 3; b++ {
						m.SetSym(a, b, m.At(a, b)+weight*u[a]*u[b])
					}
				}
			}
		}
		var e mat.EigenSym
		if walls < sectors/2 || !e.Factorize(m, true) {
			return axis, false
		}
		var v mat.Dense
		e.VectorsTo(&v)
		axis = r3.Vec{X: v.At(0, 0), Y: v.At(1, 0), Z: v.At(2, 0)}
		if r3.Dot(axis, normal) < 0 {
			axis = r3.Scale(-1, axis)
		}
	}
	return axis, r3.Dot(axis, normal) >= axisCos
}

// follow goes back along the walls, direction by direction.
func follow(rings []*ring, p *Patch, axis r3.Vec) *profile {
	q := &profile{axis: axis}
	cos := r3.Dot(axis, p.Normal)
	radius := math.Sqrt(p.Area * cos / math.Pi)
	step := profileStep * math.Sqrt(p.Area/math.Pi)
	e1, e2 := mesh.Perpendicular(p.Normal)
	begins, walls := 0.0, 0
	for k := range sectors {
		sin, cosine := math.Sincos(2 * math.Pi * ((float64(k)+0.5)/sectors - 0.5))
		out := r3.Add(r3.Scale(cosine, e1), r3.Scale(sin, e2))
		from, to := -1, -1
		for i, r := range rings {
			isWall := r.wall[k] != (r3.Vec{}) && math.Abs(r3.Dot(r.wall[k], axis)) < wallLean && r3.Dot(r.wall[k], out) > 0
			switch {
			case isWall && from < 0:
				from = i
			case from >= 0 && (!isWall || math.Abs(r.reach[k]/rings[from].reach[k]-1) > wallDrift):
				isWall = false
			}
			if isWall {
				to = i
			} else if from >= 0 {
				break
			}
		}
		if from < 0 {
			continue
		}
		length := (rings[to].depth - rings[from].depth + step) / cos / radius
		q.length += length / sectors
		if length > wallLength {
			walls++
			begins += rings[from].depth
		}
	}
	if walls == 0 {
		return q
	}
	begins /= float64(walls)
	q.walls = float64(walls) / sectors
	q.begins = (begins - step) / cos / radius
	at := 0
	for at < len(rings)-1 && rings[at].depth < begins {
		at++
	}
	q.across = p.Area / rings[at].area
	return q
}
