package branch

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// The narrowest section of a tube with a throat, in any direction, is that of the throat;
// of a fork that of the branch with a throat.
func TestNarrowestSections(t *testing.T) {
	const wide, throat, reach = 7., 3.5, 26.
	middle := r3.Vec{X: 30, Y: 30, Z: 30}
	for _, direction := range []r3.Vec{{X: 1}, {X: 1, Y: 1}, {X: 2, Y: 1, Z: 1}, {X: 1, Y: 1, Z: 1}} {
		along := r3.Unit(direction)
		at := func(s float64) r3.Vec { return r3.Add(middle, r3.Scale(s, along)) }
		side := r3.Scale(reach, r3.Unit(r3.Cross(along, r3.Vec{X: 0.3, Y: -1, Z: 1})))
		for name, test := range map[string]struct {
			more   func(r3.Vec) bool
			ends   []r3.Vec
			behind []int
		}{
			"tube": {func(r3.Vec) bool { return false }, []r3.Vec{at(reach)}, []int{1}},
			"fork": {capsule(at(-14), r3.Add(at(-14), side), 5), []r3.Vec{at(reach), r3.Add(at(-14), side)}, []int{1}},
		} {
			l := lumenWhere([3]int32{60, 60, 60}, either(capsule(at(-reach), at(-14), wide), capsule(at(-14), at(14), throat), capsule(at(14), at(reach), wide), test.more))
			nearest := func(place r3.Vec) int32 {
				best := int32(0)
				for i := range l.Cells {
					if r3.Norm(r3.Sub(l.Center(int32(i)), place)) < r3.Norm(r3.Sub(l.Center(best), place)) {
						best = int32(i)
					}
				}
				return best
			}
			ends := map[int32]int{}
			for i, end := range test.ends {
				ends[nearest(end)] = i + 1
			}
			var sources []int32 // a section, as openings are
			for i := range l.Cells {
				if s := r3.Dot(r3.Sub(l.Center(int32(i)), middle), along); s >= 0.5-reach && s < 1.5-reach {
					sources = append(sources, int32(i))
				}
			}
			found := l.Sections(sources, ends)
			i := slices.IndexFunc(found, func(s Section) bool { return slices.Equal(s.Behind, test.behind) })
			if i < 0 {
				t.Errorf("%s along %v: no section behind %v in %v", name, direction, test.behind, found)
				continue
			}
			s := found[i]
			if want := math.Pi * throat * throat; math.Abs(s.Area-want) > 0.2*want || r3.Norm(r3.Sub(s.Center, middle)) > 11 {
				t.Errorf("%s along %v: %g faces at %v, want %g at %v", name, direction, s.Area, s.Center, want, middle)
			}
			for _, other := range found {
				if !slices.Equal(other.Behind, test.behind) && other.Area < 1.3*s.Area {
					t.Errorf("%s along %v: a section of %g faces behind %v, which has no throat", name, direction, other.Area, other.Behind)
				}
			}
		}
	}
}
