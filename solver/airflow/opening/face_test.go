package opening

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/lattice"

	"gonum.org/v1/gonum/spatial/r3"
)

const spacing = 1e-3

// channel is a channel along x of six by four cells across, periodic there, from an
// inlet to an outlet.
func channel() *geometry.Grid {
	normal := r3.Vec{X: 1}
	area := 24 * spacing * spacing
	return generate.LinkedGrid([3]int32{8, 6, 4}, spacing, [3]bool{false, true, true}, func(_, _, _ int32) bool { return true },
		func(x, _, _ int32, d geometry.Offset) (float64, int) {
			return 0.5, map[bool]int{true: 1, false: 2}[x+int32(d.X) < 0]
		},
		[]geometry.Opening{
			{Number: 1, Role: geometry.Inlet, Normal: r3.Scale(-1, normal), Area: area, Center: r3.Vec{Y: 3 * spacing, Z: 2 * spacing}},
			{Number: 2, Role: geometry.Outlet, Normal: normal, Area: area, Center: r3.Vec{X: 8 * spacing, Y: 3 * spacing, Z: 2 * spacing}},
		})
}

// states are those of the channel's openings.
func states(t *testing.T, set *lattice.Set, change func(c *Choice)) *States {
	t.Helper()
	f, err := NewFaces(channel(), set)
	if err != nil {
		t.Fatal(err)
	}
	c := &Choice{FlowRate: 2e-6, Units: Units{TimeStep: 1e-4, Velocity: 10, FlowRate: 1e-5, Pressure: 40}, TauPlus: 0.6, TauMinus: 2.4, Crossing: 14}
	change(c)
	s, err := New(f, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The areas of links add up to the faces of an opening, and their inflows to its area,
// whatever the profile.
func TestAreasOfLinks(t *testing.T) {
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		for _, profile := range append(Profiles, "") {
			s := states(t, set, func(c *Choice) { c.Profile = profile })
			var area, inflow [2]float64
			for y := range int32(6) {
				for z := range int32(4) {
					for d, c := range geometry.Directions[:set.Q-1] {
						if c.X == 0 {
							continue
						}
						o, x := 0, int32(0)
						if c.X > 0 {
							o, x = 1, 7
						}
						link := s.Link(x, y, z, d, o)
						area[o] += link.Weight
						inflow[o] += link.Inflow
						if back := set.Velocities[link.Population]; back != [3]int{-int(c.X), -int(c.Y), -int(c.Z)} || link.Opening != o {
							t.Fatalf("what comes back along %v is %v, from opening %d", c, back, link.Opening)
						}
						if math.Abs(link.Distance-0.5) > 1e-9 || math.Abs(link.along+1) > 1e-12 {
							t.Errorf("the cell is %g inside, c_n is %g", link.Distance, link.along)
						}
					}
				}
			}
			for o := range 2 {
				if math.Abs(area[o]-24) > 1e-12 || math.Abs(inflow[o]-24) > 1e-9 || math.Abs(s.List[o].Area-24) > 1e-12 {
					t.Errorf("%s, %q, opening %d: areas add up to %g and %g, inflows to %g", set.Name, profile, o, area[o], s.List[o].Area, inflow[o])
				}
			}
		}
	}
}

// The developed profile is that of a duct: fastest in its middle, nothing at the walls.
func TestDevelopedProfile(t *testing.T) {
	grid := generate.LinkedGrid([3]int32{4, 21, 21}, spacing, [3]bool{}, func(_, y, z int32) bool { return (y-10)*(y-10)+(z-10)*(z-10) < 81 },
		func(x, _, _ int32, d geometry.Offset) (float64, int) {
			return 0.5, map[bool]int{true: 1}[x+int32(d.X) < 0]
		}, nil)
	o := &geometry.Opening{Number: 1, Normal: r3.Vec{X: -1}, Area: 253 * spacing * spacing, Center: r3.Vec{Y: 10.5 * spacing, Z: 10.5 * spacing}}
	developed, parabolic := newProfile(Developed, grid, o, 0), newProfile(Parabolic, grid, o, 0)
	at := func(y, z float64) r3.Vec { return r3.Vec{Y: (10.5 + y) * spacing, Z: (10.5 + z) * spacing} }
	for _, p := range [][2]float64{{0, 0}, {3, 0}, {0, -5}, {4, 4}} {
		got, want := developed(at(p[0], p[1]))/developed(at(0, 0)), parabolic(at(p[0], p[1]))
		if math.Abs(got-want) > 0.03 {
			t.Errorf("at %v the velocity is %g of that on the axis, in a round pipe %g", p, got, want)
		}
	}
	if v := parabolic(at(0, 20)); v != 0 {
		t.Errorf("outside the pipe the velocity is %g", v)
	}
}

// The developed profile of an opening at any angle to the grid is that of a pipe, and
// of two openings that act as one, that of two pipes.
func TestDevelopedProfileAtAngles(t *testing.T) {
	const diameter, cells = 0.01, 21
	for _, along := range []r3.Vec{{Z: 1}, {X: 1, Z: 1}, {X: 1, Y: 1, Z: 1}, {X: 0.2, Y: 0.3, Z: 1}, {X: -0.3, Y: 0.7, Z: 0.9}} {
		along = r3.Unit(along)
		aside := r3.Unit(r3.Cross(along, r3.Vec{X: 0.1, Y: 1}))
		for _, axes := range [][]r3.Vec{{{}}, {r3.Scale(0.75*diameter, aside), r3.Scale(-0.75*diameter, aside)}} {
			// The pipes end in the plane through the origin.
			dx := diameter / cells
			var size int32 = 4 * cells
			origin := r3.Vec{X: -diameter * 2, Y: -diameter * 2, Z: -diameter * 2}
			distance := func(p r3.Vec) float64 {
				least := math.Inf(1)
				for _, a := range axes {
					d := r3.Sub(p, a)
					least = min(least, r3.Norm(r3.Sub(d, r3.Scale(r3.Dot(d, along), along))))
				}
				return least
			}
			center := func(x, y, z int32) r3.Vec {
				return r3.Add(origin, r3.Scale(dx, r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5}))
			}
			grid := generate.LinkedGrid([3]int32{size, size, size}, dx, [3]bool{}, func(x, y, z int32) bool {
				p := center(x, y, z)
				return distance(p) < diameter/2 && r3.Dot(p, along) < 0 && r3.Dot(p, along) > -4*dx
			}, func(int32, int32, int32, geometry.Offset) (float64, int) { return 0.5, 0 }, nil)
			grid.Origin = origin
			o := &geometry.Opening{Number: 1, Normal: along, Area: float64(len(axes)) * math.Pi / 4 * diameter * diameter}
			developed := newProfile(Developed, grid, o, 1.5*diameter)
			for _, a := range axes {
				peak := developed(a)
				for _, r := range []float64{0.2, 0.4, 0.6, 0.8} {
					at := r3.Add(a, r3.Scale(r*diameter/2, r3.Unit(r3.Cross(along, aside))))
					if got, want := developed(at)/peak, 1-r*r; !(math.Abs(got-want) < 0.1) {
						t.Errorf("%d pipes along %.2g: at %g of the radius the velocity is %.3f of that on the axis, want %.3f", len(axes), along, r, got, want)
					}
				}
			}
		}
	}
}

// A pipe whose axis lies between cells has a profile that is the same on both sides,
// wherever the grid lies.
func TestDevelopedProfileBetweenCells(t *testing.T) {
	const cells = 12
	grid := generate.LinkedGrid([3]int32{4, cells, cells}, spacing, [3]bool{}, func(_, y, z int32) bool {
		return (2*y+1-cells)*(2*y+1-cells)+(2*z+1-cells)*(2*z+1-cells) < cells*cells
	}, func(int32, int32, int32, geometry.Offset) (float64, int) { return 0.5, 0 }, nil)
	for _, at := range []r3.Vec{{}, {X: 0.3, Y: -0.7, Z: 0.11}, {X: -0.01, Y: 0.2, Z: -0.9}} {
		grid.Origin = at
		o := &geometry.Opening{Number: 1, Normal: r3.Vec{X: -1}, Area: math.Pi / 4 * cells * cells * spacing * spacing,
			Center: r3.Add(at, r3.Vec{Y: cells / 2 * spacing, Z: cells / 2 * spacing})}
		developed := newProfile(Developed, grid, o, 0)
		for z := range int32(cells) {
			for y := range int32(cells) {
				v := developed(grid.Center(0, y, z))
				for _, mirrored := range [][2]int32{{cells - 1 - y, z}, {y, cells - 1 - z}, {z, y}} {
					if w := developed(grid.Center(0, mirrored[0], mirrored[1])); math.Abs(v-w) > 1e-6*developed(o.Center) {
						t.Fatalf("a grid at %v: the velocity at (%d, %d) is %g, at %v it is %g", at, y, z, v, mirrored, w)
					}
				}
			}
		}
	}
}
