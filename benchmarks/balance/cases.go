package balancebench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"gonum.org/v1/gonum/spatial/r3"
)

// box returns a grid of a box of which cells are fluid for which fluid is true
// for their row, from x0 to x1.
func box(size [3]int32, row func(y, z int32) (x0, x1 int32)) *geometry.Grid {
	g := &geometry.Grid{Spacing: 1e-3, Size: size, Origin: r3.Vec{}}
	for z := range size[2] {
		for y := range size[1] {
			if x0, x1 := row(y, z); x0 < x1 {
				g.Runs = append(g.Runs, geometry.Run{X0: x0, X1: x1, Y: y, Z: z})
			}
		}
	}
	return g
}

// plainGrids are grids with different shares of inner, boundary and empty
// cells.
var plainGrids = []struct {
	name string
	row  func(y, z, side int32) (x0, x1 int32)
}{
	{"full", func(_, _, side int32) (int32, int32) { return 0, side }},
	{"half", func(_, z, side int32) (int32, int32) {
		if z < side/2 {
			return 0, side
		}
		return 0, 0
	}},
	{"plates", func(y, _, side int32) (int32, int32) {
		if y%4 == 3 {
			return 0, 0
		}
		return 0, side
	}},
	{"tubes", func(y, z, side int32) (int32, int32) {
		if y%8 < 5 && z%8 < 5 {
			return 0, side
		}
		return 0, 0
	}},
	{"stairs", func(y, z, side int32) (int32, int32) {
		return (y + z) / 4 % (side / 2), side/2 + (y+2*z)/8%(side/2)
	}},
}

// cut is a way to cut a grid into cuboids of equal sides, which are shrunk to
// their fluid or not.
type cut struct {
	name   string
	side   [3]int32
	shrink bool
}

// entire is a side that no grid reaches.
const entire = 1 << 20

// plainCuts tell the costs of cells, cuboids and copies apart, solverCuts those
// of lanes too; their shrunk cuboids are what decompositions make. fewCuts and
// fewShrunk show what caches do.
var (
	plainCuts = []cut{
		{"in one cuboid", [3]int32{entire, entire, entire}, false}, {"in cubes of 32", [3]int32{32, 32, 32}, false},
		{"in cubes of 16", [3]int32{16, 16, 16}, false}, {"in cubes of 8", [3]int32{8, 8, 8}, false},
	}
	solverCuts = []cut{
		{"in cubes of 64", [3]int32{64, 64, 64}, false}, {"in cubes of 64, shrunk", [3]int32{64, 64, 64}, true}, {"in cubes of 24, shrunk", [3]int32{24, 24, 24}, true},
		{"in cubes of 12, shrunk", [3]int32{12, 12, 12}, true}, {"in slices of 12×64×64, shrunk", [3]int32{12, 64, 64}, true},
	}
	fewCuts   = []cut{{"in cubes of 64", [3]int32{64, 64, 64}, false}, {"in cubes of 16, shrunk", [3]int32{16, 16, 16}, true}}
	fewShrunk = []cut{{"in cubes of 64, shrunk", [3]int32{64, 64, 64}, true}, {"in cubes of 16, shrunk", [3]int32{16, 16, 16}, true}}
)

// cutCases cuts grids in several ways.
func cutCases(grids []balance.Case, cuts []cut) ([]balance.Case, error) {
	var cases []balance.Case
	for _, c := range grids {
		for _, by := range cuts {
			side := by.side
			for axis := range 3 {
				side[axis] = min(side[axis], c.Grid.Size[axis])
			}
			cuboids, err := cuboid.Bricks(c.Grid, side)
			if err != nil {
				return nil, err
			}
			if by.shrink {
				segments, err := cuboid.Label(c.Grid, cuboids)
				if err != nil {
					return nil, err
				}
				cuboids = cuboid.Occupied(cuboids, segments, true)
			}
			cases = append(cases, balance.Case{Name: c.Name + " " + by.name, Grid: c.Grid, Cuboids: cuboids})
		}
	}
	return cases, nil
}

// plainCases are the plain kernel's, in cubes of so many cells.
func plainCases(cells int64, cuts []cut) ([]balance.Case, error) {
	side := int32(math.Round(math.Cbrt(float64(cells))))
	var grids []balance.Case
	for _, shape := range plainGrids {
		g := box([3]int32{side, side, side}, func(y, z int32) (int32, int32) { return shape.row(y, z, side) })
		grids = append(grids, balance.Case{Name: shape.name, Grid: g})
	}
	return cutCases(grids, cuts)
}

// sparseShapes are those that the sparse layout is measured with, denseShapes
// those for the solver's dense layout: their cuboids are neither all fluid nor
// mostly empty, and those of the slanted bar and of the airway hold empty and
// fluid cells in the same rows. smallShapes can be made of a few thousand cells;
// they have no openings, which would take most of the time then.
var (
	sparseShapes = []string{"wide tube", "long tube", "very long tube", "disc between two openings", "thicker disc", "airway of 3 generations", "airway of 8 generations"}
	denseShapes  = []string{"wide tube", "very long tube", "disc between two openings", "airway of 3 generations", "slanted bar"}
	smallShapes  = []string{"cube", "slanted bar"}
)

// solverCases are those of the solver's dense layout with about so many fluid
// cells.
func (s *shapes) solverCases(ctx context.Context, cells int64, names []string, cuts []cut) ([]balance.Case, error) {
	grids, err := s.cases(ctx, cells, names...)
	if err != nil {
		return nil, err
	}
	return cutCases(grids, cuts)
}

// knownShapes are surfaces with different shares of inner, boundary and
// opening cells once they are voxelized: tubes that are wide, long or next to
// nothing but openings, airways with real branches, and closed boxes.
var knownShapes = []struct {
	name string
	make func() (*geometry.Surface, []geometry.Opening, error)
}{
	{"wide tube", tube(3)},
	{"long tube", tube(100)},
	{"very long tube", tube(1000)},
	{"disc between two openings", tube(0.05)},
	{"thicker disc", tube(0.2)},
	{"airway of 3 generations", airwayOf(3)},
	{"airway of 8 generations", airwayOf(8)},
	{"cube", bar(1, 0)},
	{"slanted bar", bar(3, math.Pi/5)},
}

// tube generates a tube that is so many diameters long.
func tube(diameters float64) func() (*geometry.Surface, []geometry.Opening, error) {
	const diameter = 18e-3
	return func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: diameters * diameter})
	}
}

// bar generates a closed square bar that is so many widths long and lies slanted
// to all axes by an angle.
func bar(widths, angle float64) func() (*geometry.Surface, []geometry.Opening, error) {
	const width = 10e-3
	return func() (*geometry.Surface, []geometry.Opening, error) {
		surface, openings, err := generate.Cavity(generate.CavityOptions{Size: r3.Vec{X: widths * width, Y: width, Z: width}})
		if err != nil {
			return nil, nil, err
		}
		turned := r3.NewRotation(angle, r3.Vec{X: 1, Y: 2, Z: 3})
		for i, v := range surface.Vertices {
			surface.Vertices[i] = turned.Rotate(v)
		}
		for i := range surface.Triangles {
			surface.Triangles[i].Solid = 0 // no lid
		}
		return surface, openings, nil
	}
}

func airwayOf(generations int) func() (*geometry.Surface, []geometry.Opening, error) {
	return func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.Airway(generate.AirwayOptions{Generations: generations})
	}
}

// shapes keeps prepared surfaces of shapes and grids of them, which are used again.
type shapes struct {
	prepared map[string]*geometry.Prepared
	made     []balance.Case
}

// prepare returns the surface of a shape, ready to be voxelized.
func (s *shapes) prepare(name string, create func() (*geometry.Surface, []geometry.Opening, error)) (*geometry.Prepared, error) {
	if p := s.prepared[name]; p != nil {
		return p, nil
	}
	surface, _, err := create()
	if err != nil {
		return nil, err
	}
	p, err := geometry.Prepare(surface, geometry.Options{})
	if err != nil {
		return nil, err
	}
	if s.prepared == nil {
		s.prepared = map[string]*geometry.Prepared{}
	}
	s.prepared[name] = p
	return p, nil
}

// cases voxelizes the named shapes with about so many cells.
func (s *shapes) cases(ctx context.Context, cells int64, names ...string) ([]balance.Case, error) {
	var cases []balance.Case
	for _, shape := range knownShapes {
		if !slices.Contains(names, shape.name) {
			continue
		}
		same := func(c balance.Case) bool {
			n := float64(c.Grid.Cells()) / float64(cells)
			return c.Name == shape.name && n > 0.75 && n < 1.5
		}
		if i := slices.IndexFunc(s.made, same); i >= 0 {
			cases = append(cases, s.made[i])
			continue
		}
		p, err := s.prepare(shape.name, shape.make)
		if err != nil {
			return nil, fmt.Errorf("the shape of %s: %w", shape.name, err)
		}
		g, _, err := geometry.VoxelizePrepared(ctx, p, geometry.Options{FluidCells: cells})
		if err != nil {
			return nil, fmt.Errorf("the grid of %s: %w", shape.name, err)
		}
		cases = append(cases, balance.Case{Name: shape.name, Grid: g, Cuboids: []cuboid.Cuboid{cuboid.Box(g)}})
		s.made = append(s.made, cases[len(cases)-1])
	}
	return cases, nil
}
