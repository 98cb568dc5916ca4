package geometry

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/spatial/r3"
)

// Prepared is a surface made ready for voxelization: mended, wound outwards,
// closed, with its openings found.
type Prepared struct {
	Surface *Surface
	// Opening is, for every triangle, the number of the opening that it
	// closes, 0 for wall.
	Opening []uint16
	// Openings are numbered from 1 in this order.
	Openings []Opening
	// Volume enclosed in cubic metres and area in square metres.
	Volume, Area float64
}

// Prepare mends a surface and finds its openings.
func Prepare(s *Surface, o Options) (*Prepared, error) {
	p := &Prepared{Surface: s}
	if s.Volume() < 0 {
		p.Surface = flipped(s)
	}
	p.Volume, p.Area = p.Surface.Volume(), p.Surface.Area()
	patches := findOpenings(p.Surface)
	if len(patches) > math.MaxUint16 {
		return nil, fmt.Errorf("%d openings are more than the %d possible", len(patches), math.MaxUint16)
	}
	p.name(patches)
	if err := p.chooseInlet(o.Inlet); err != nil {
		return nil, err
	}
	return p, nil
}

// flipped returns the surface with every triangle wound the other way.
func flipped(s *Surface) *Surface {
	out := *s
	out.Triangles = slices.Clone(s.Triangles)
	for i := range out.Triangles {
		v := &out.Triangles[i].V
		v[1], v[2] = v[2], v[1]
	}
	return &out
}

// findOpenings returns the ends of the lumen, largest first: the flat solids
// that the file names, or else the flat ends found by shape.
func findOpenings(s *Surface) []patch {
	f := newCapFinder(s, newTopology(s))
	if named := f.namedSolids(); len(named) > 0 {
		return named
	}
	return f.find()
}

// namedSolids returns the flat solids of a file that names its wall apart
// from its ends.
func (f *capFinder) namedSolids() []patch {
	if len(f.surface.Solids) < 2 {
		return nil
	}
	by := make([]patch, len(f.surface.Solids))
	for t := range f.surface.Triangles {
		i := f.surface.Triangles[t].Solid
		by[i].triangles = append(by[i].triangles, int32(t))
	}
	var named []patch
	for i := range by {
		p := &by[i]
		if len(p.triangles) == 0 {
			continue
		}
		f.fit(p)
		p.name = f.surface.Solids[i]
		var sum r3.Vec
		for _, t := range p.triangles {
			sum = r3.Add(sum, f.area[t])
		}
		// A flat solid's vector area is as long as its area; a wall's is not.
		if r3.Norm(sum) > 0.9*p.area && !strings.Contains(strings.ToLower(p.name), "wall") {
			named = append(named, *p)
		}
	}
	slices.SortStableFunc(named, func(a, b patch) int { return cmp.Compare(b.area, a.area) })
	return named
}

// name numbers the patches as openings.
func (p *Prepared) name(patches []patch) {
	p.Opening = make([]uint16, len(p.Surface.Triangles))
	for i, e := range patches {
		for _, t := range e.triangles {
			p.Opening[t] = uint16(i + 1)
		}
		p.Openings = append(p.Openings, Opening{
			Number: i + 1, Name: e.name, Role: Outlet, Center: e.center, Normal: e.normal, Area: e.area,
		})
	}
}

// chooseInlet gives the roles: the inlet is the given number, or the one
// opening that is named so, or the first.
func (p *Prepared) chooseInlet(number int) error {
	if number < 0 || number > len(p.Openings) {
		return fmt.Errorf("there is no opening %d to make the inlet: the surface has %d openings", number, len(p.Openings))
	}
	if number == 0 && len(p.Openings) > 0 {
		number = 1
		for _, o := range p.Openings {
			if strings.Contains(strings.ToLower(o.Name), "inlet") {
				number = o.Number
				break
			}
		}
	}
	for i := range p.Openings {
		o := &p.Openings[i]
		if o.Number == number {
			o.Role = Inlet
		}
		if o.Name == "" {
			o.Name = fmt.Sprintf("%s_%02d", o.Role, o.Number)
			if o.Role == Inlet {
				o.Name = "inlet"
			}
		}
	}
	return nil
}

// inlet returns the inlet's number, 0 where there are no openings.
func (p *Prepared) inlet() uint16 {
	for _, o := range p.Openings {
		if o.Role == Inlet {
			return uint16(o.Number)
		}
	}
	return 0
}
