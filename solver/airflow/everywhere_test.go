package airflow

import (
	"bytes"
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/meshtest"
	"carina/internal/race"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

var everywhere = flag.Bool("everywhere", false, "compute ducts and tubes at 50 places with 3 spacings, and not a few, and all divisions of all methods, and all breaths")

// channel is a straight duct or tube along x, its middle at y = z = 0, with the developed
// velocity in it for a force and a viscosity of one, in mm.
type channel struct {
	name   string
	mesh   func() geometry.Surface
	exact  func(y, z float64) float64 // from the middle, in mm
	across float64                    // in mm
}

func boxChannel(name string, a, b float64) channel {
	return channel{name, func() geometry.Surface {
		return geometry.Surface{Mesh: *meshtest.Box(r3.Vec{Y: -a / 2, Z: -b / 2}, r3.Vec{X: 40, Y: a / 2, Z: b / 2})}
	}, func(y, z float64) (u float64) {
		for i := 1; i < 100; i += 2 {
			k := float64(i) * math.Pi / a
			u += 4 / (float64(i) * math.Pi * k * k) * (1 - math.Cosh(k*z)/math.Cosh(k*b/2)) * math.Sin(k*(y+a/2))
		}
		return u
	}, min(a, b)}
}

// channels are 10 mm wide or high.
var channels = []channel{
	boxChannel("square duct", 10, 10),
	boxChannel("duct", 20, 10),
	{"tube", func() geometry.Surface {
		return geometry.Surface{Mesh: *meshtest.Tube(r3.Vec{}, r3.Vec{X: 40}, 5, 256, 1, false)}
	}, func(y, z float64) float64 { return max(25-y*y-z*z, 0) / 4 }, 10},
}

// layerOf is the layer of cells halfway along a channel, periodic, with the links that
// it has there.
func layerOf(t *testing.T, g *geometry.Grid) *geometry.Grid {
	t.Helper()
	middle := g.Size[0] / 2
	fluid, links := map[[2]int32]bool{}, map[[3]int32]map[geometry.Offset]float64{}
	next := 0
	for i, c := range cellsOf(g) {
		at := next
		isBoundary := next < g.Links.Len() && g.Links.Cell(next) == int64(i)
		if isBoundary {
			next++
		}
		if c[0] != middle {
			continue
		}
		fluid[[2]int32{c[1], c[2]}] = true
		if !isBoundary {
			continue
		}
		own := map[geometry.Offset]float64{}
		link := g.Links.First(at)
		for d := range g.Links.Directions {
			if g.Links.Mask[at]>>d&1 == 1 {
				own[geometry.Directions[d]] = g.Links.Fraction(link)
				link++
			}
		}
		links[[3]int32{0, c[1] + 1, c[2] + 1}] = own
	}
	isFluid := func(_, y, z int32) bool { return fluid[[2]int32{y - 1, z - 1}] }
	wall := func(x, y, z int32, d geometry.Offset) (float64, int) {
		q, ok := links[[3]int32{x, y, z}][d]
		if !ok {
			q = 0.5 // beyond the directions that are used
		}
		return q, 0
	}
	return generate.LinkedGrid([3]int32{1, g.Size[1] + 2, g.Size[2] + 2}, 1, [3]bool{true, false, false}, isFluid, wall, nil)
}

// layerAt is the layer of cells halfway along a channel at a place, and where the middle
// of the channel lies in it, in mm.
func (c *channel) layerAt(t *testing.T, spacing float64, offset r3.Vec) (layer *geometry.Grid, y, z float64) {
	t.Helper()
	moved := c.mesh()
	for i := range moved.Vertices {
		moved.Vertices[i] = r3.Add(moved.Vertices[i], offset)
	}
	var file bytes.Buffer
	if err := geometry.WriteSTL(&file, &moved, geometry.Metre); err != nil { // so that the numbers stay
		t.Fatal(err)
	}
	surface, err := geometry.ReadSTL(&file, geometry.Millimetre)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{Spacing: spacing * 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	return layerOf(t, grid), offset.Y - 1e3*grid.Origin.Y, offset.Z - 1e3*grid.Origin.Z
}

// resistance is what the force over the flow is in a layer around a middle, over the
// exact one.
func (c *channel) resistance(t *testing.T, layer *geometry.Grid, wall Wall, spacing, y, z float64) float64 {
	t.Helper()
	s := DefaultSettings()
	s.Wall, s.Precision, s.FlowRate = wall, Double, 0
	s.KinematicViscosity, s.Density, s.TimeStep = 1./6, 1, 1
	s.BodyForce = [3]float64{1e-6, 0, 0}
	domain := solver.WholeDomain(layer)
	domain.Periodic = [3]bool{true, false, false}
	n := c.across / spacing
	var f *Fields
	if _, err := RunInProcess(context.Background(), domain, s, Plan{Steps: 2 * int64(3*n*n), Visit: func(r *Rank) error {
		f = must(r.Fields())
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	var flow, want float64
	for i, cell := range cellsOf(layer) {
		flow += float64(f.Velocity[0][i])
		want += c.exact((float64(cell[1])-0.5)*spacing-y, (float64(cell[2])-0.5)*spacing-z) / (spacing * spacing) * s.BodyForce[0] / s.KinematicViscosity
	}
	return want / flow
}

// Wherever a channel along an axis lies its layers have the same cells, and its resistance
// is the same within 2 % and, of ten cells across and more, the exact one within 3 %.
func TestResistanceIsTheSameEverywhere(t *testing.T) {
	race.SkipArithmetic(t)
	random := rand.New(rand.NewPCG(8, 53))
	places, spacings, walls := 50, []float64{2, 1, 0.5}, []Wall{Interpolated, BounceBack}
	if !*everywhere {
		places, spacings = 3, spacings[:2]
	}
	for i := range channels {
		c := &channels[i]
		for _, spacing := range spacings {
			low, high, first := map[Wall]float64{}, map[Wall]float64{}, int64(0)
			for place := range places {
				offset := r3.Vec{X: 200*random.Float64() - 100, Y: 200*random.Float64() - 100, Z: 200*random.Float64() - 100}
				if place == 0 {
					offset = r3.Vec{}
				} else if place%2 == 0 { // walls in planes of cells
					offset = r3.Scale(spacing/2, r3.Vec{X: math.Round(offset.X), Y: math.Round(offset.Y), Z: math.Round(offset.Z)})
				}
				layer, y, z := c.layerAt(t, spacing, offset)
				cells := layer.Cells()
				if first == 0 {
					first = cells
				}
				if cells != first {
					t.Errorf("%s, cells of %g mm, at %v mm: %d cells in a layer, else %d", c.name, spacing, offset, cells, first)
				}
				for _, wall := range walls {
					share := c.resistance(t, layer, wall, spacing, y, z)
					if low[wall] == 0 {
						low[wall] = share
					}
					low[wall], high[wall] = min(low[wall], share), max(high[wall], share)
				}
			}
			for _, wall := range walls {
				t.Logf("%s, %s walls, %g cells across: %d in a layer, %.4f to %.4f of the exact resistance at %d places", c.name, wall, c.across/spacing, first, low[wall], high[wall], places)
				if high[wall] > 1.02*low[wall] || c.across/spacing >= 10 && (low[wall] < 0.97 || high[wall] > 1.03) {
					t.Errorf("%s, %s walls, %g cells across: %.4f to %.4f of the exact resistance", c.name, wall, c.across/spacing, low[wall], high[wall])
				}
			}
		}
	}
}
