package geometry

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// steps is a duct of cubes of a side in millimetres, 30 mm long, of which the second
// half has those from low to high across.
func steps(side float64, across int, low, high [2]int) *Surface {
	half := int(15 / side)
	full := map[[3]int]bool{}
	for z := range 2 * half {
		for x := range across {
			for y := range across {
				full[[3]int{x, y, z}] = z < half || x >= low[0] && x < high[0] && y >= low[1] && y < high[1]
			}
		}
	}
	s := cubes([3]int{across, across, 2 * half}, full)
	for i, v := range s.Vertices {
		s.Vertices[i] = r3.Scale(side, v)
	}
	return s
}

// alignedShapes are bodies in millimetres with walls along the axes or at 45° to them,
// which lie in planes of cells of 1 mm, ½ mm and ¼ mm for some places of the grid.
func alignedShapes() map[string]*Surface {
	tube := func(radius float64, n int) *Surface { return tubeSurface(r3.Vec{}, r3.Vec{Z: 20}, radius, n, 1, false) }
	slanted := boxSurface(r3.Vec{}, r3.Vec{X: 5, Y: 10, Z: 20})
	for i, v := range slanted.Vertices {
		slanted.Vertices[i].X += 3 + v.Y
	}
	return map[string]*Surface{
		"duct":                   boxSurface(r3.Vec{}, r3.Vec{X: 10, Y: 10, Z: 20}),
		"duct of odd sides":      boxSurface(r3.Vec{}, r3.Vec{X: 7, Y: 10.5, Z: 20}),
		"duct with fine walls":   divided(divided(boxSurface(r3.Vec{}, r3.Vec{X: 10, Y: 5, Z: 20}), false), false),
		"step on all sides":      steps(2.5, 4, [2]int{1, 1}, [2]int{3, 3}),
		"step on one side":       steps(2.5, 4, [2]int{0, 0}, [2]int{3, 4}),
		"steps of all fractions": steps(1.25, 8, [2]int{1, 3}, [2]int{6, 7}),
		"tube":                   tube(5, 64),
		"tube of an odd width":   tube(4.5, 48),
		"tube of flat sides":     tube(5, 8),
		"duct at 45°":            tube(5, 4),
		"slanted duct":           slanted,
	}
}

// inFile is a surface in millimetres as a file of STL holds it, with coordinate i being
// sign·axis[i] of it, moved by an offset.
func inFile(t testing.TB, s *Surface, axes [3]int, sign float64, offset r3.Vec) *Surface {
	t.Helper()
	moved := &Surface{Mesh: s.Mesh}
	moved.Vertices = nil
	for _, v := range s.Vertices {
		c := array(v)
		moved.Vertices = append(moved.Vertices, r3.Add(r3.Vec{X: sign * c[axes[0]], Y: c[axes[1]], Z: c[axes[2]]}, offset))
	}
	var file bytes.Buffer
	if err := WriteSTL(&file, moved, Metre); err != nil { // so that the numbers stay
		t.Fatal(err)
	}
	read, err := ReadSTL(&file, Millimetre)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// somewhere is an offset in millimetres, in tenths: near, or up to 10⁵ cells away; for
// bodies whose sides or edges rounding turns less.
func somewhere(random *rand.Rand, name string, spacing float64) r3.Vec {
	digits := 5.
	switch {
	case strings.HasPrefix(name, "tube"):
		digits = 3
	case strings.HasPrefix(name, "step"):
		digits = 4
	}
	most := spacing * math.Pow(10, digits*random.Float64())
	at := func() float64 { return math.Round(10*most*(2*random.Float64()-1)) / 10 }
	return r3.Vec{X: at(), Y: at(), Z: at()}
}

// Wherever a body lies it is filled with the same cells, and its links cross the same
// walls and openings at the same places, but for what was rounded.
func TestGridsAreTheSameEverywhere(t *testing.T) {
	race.SkipArithmetic(t)
	random := rand.New(rand.NewPCG(5, 33))
	for name, s := range alignedShapes() {
		for _, spacing := range []float64{1, 0.5, 0.25} {
			positions, few := 50, name != "duct" && (name != "tube" || spacing < 0.5)
			switch {
			case few && spacing < 0.5:
				continue // to be quick
			case few || testing.Short():
				positions = 6
			}
			o := Options{Spacing: spacing * 1e-3, Directions: map[bool]int{true: 26, false: 18}[spacing == 1]}
			want := mustVoxelize(t, inFile(t, s, [3]int{0, 1, 2}, 1, r3.Vec{}), o)
			for range positions {
				offset := somewhere(random, name, spacing)
				got := mustVoxelize(t, inFile(t, s, [3]int{0, 1, 2}, 1, offset), o)
				if !slices.Equal(got.Runs, want.Runs) || got.Size != want.Size {
					t.Fatalf("%s, cells of %g mm, moved by %v mm: %d cells in %v, unmoved %d in %v", name, spacing, offset, got.Cells(), got.Size, want.Cells(), want.Size)
				}
				if !slices.Equal(got.Links.Mask, want.Links.Mask) {
					t.Fatalf("%s, cells of %g mm, moved by %v mm: other links", name, spacing, offset)
				}
				ends := func(g *Grid) (links []int64) {
					for _, l := range g.Links.Openings {
						links = append(links, l.Link)
					}
					return links
				}
				// Whether the ends of steps are ends is not asked here.
				if a, b := ends(got), ends(want); !slices.Equal(a, b) && !strings.Contains(name, "step") {
					t.Fatalf("%s, cells of %g mm, moved by %v mm: %d links end at openings, unmoved %d", name, spacing, offset, len(a), len(b))
				}
				rounded := 8 * roundingOf(&inFile(t, s, [3]int{0, 1, 2}, 1, offset).Mesh, o.Spacing)
				for i := range got.Links.Distance {
					if math.Abs(got.Links.Fraction(int64(i))-want.Links.Fraction(int64(i))) > rounded+2./65536 {
						t.Fatalf("%s, cells of %g mm, moved by %v mm: the fraction of link %d is %g, unmoved %g", name, spacing, offset, i, got.Links.Fraction(int64(i)), want.Links.Fraction(int64(i)))
					}
				}
			}
		}
	}
}

// So it is for bodies turned by a right angle or mirrored, whichever way they are voxelized.
func TestGridsAreTheSameTurned(t *testing.T) {
	race.SkipArithmetic(t)
	random := rand.New(rand.NewPCG(5, 33))
	for name, s := range alignedShapes() {
		for _, method := range Methods {
			o := Options{Spacing: 1e-3, Method: method}
			want := mustVoxelize(t, inFile(t, s, [3]int{0, 1, 2}, 1, r3.Vec{}), o)
			for _, axes := range [][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}} {
				for _, sign := range []float64{1, -1} {
					got := mustVoxelize(t, inFile(t, s, axes, sign, somewhere(random, name, 1)), o)
					var size [3]int32
					for i, axis := range axes {
						size[axis] = got.Size[i]
					}
					if got.Cells() != want.Cells() || size != want.Size {
						t.Errorf("%s by %s, axes %v, sign %g: %d cells in %v, want %d in %v", name, method, axes, sign, got.Cells(), size, want.Cells(), want.Size)
					}
				}
			}
		}
	}
}

// The volume of the cells is near to that which the surface encloses, where bodies
// overlap and parts are dropped, too: each counts as the cells do.
func TestEnclosedVolumeIsThatOfTheCells(t *testing.T) {
	box := func(x, y, z float64) *Surface {
		return boxSurface(r3.Vec{X: x, Y: y, Z: z}, r3.Vec{X: x + 10.02e-3, Y: y + 10.02e-3, Z: z + 40.02e-3})
	}
	alone := box(0, 0, 0).Volume()
	for _, c := range []struct {
		name    string
		surface *Surface
		want    float64
	}{
		{"one", box(0, 0, 0), alone},
		{"two that overlap", joined(box(0, 0, 0), box(0, 0, 20e-3)), alone * 60.02 / 40.02},
		{"two apart", joined(box(0, 0, 0), box(30e-3, 0, 0)), alone},
	} {
		p, err := Prepare(c.surface, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, spacing := range []float64{1e-3, 0.45e-3} {
			g, _, err := VoxelizePrepared(t.Context(), p, Options{Spacing: spacing})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(g.Enclosed/c.want-1) > 0.01 {
				t.Errorf("%s: %.4g mL are enclosed, want %.4g, in cells %.4g", c.name, 1e6*g.Enclosed, 1e6*c.want, 1e6*g.Volume())
			}
		}
	}
}
