package airflow

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/internal/simd"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// boxesOf are the blocks that scattered cuts a grid into.
func boxesOf(d *solver.Domain, side int32) []cuboid.Cuboid {
	boxes := make([]cuboid.Cuboid, len(d.Owners))
	for _, s := range d.Segments {
		at := [3]int32{s.X0 / side * side, s.Y / side * side, s.Z / side * side}
		boxes[s.Cuboid] = cuboid.Cuboid{Min: at, Max: [3]int32{at[0] + side, at[1] + side, at[2] + side}}
	}
	return boxes
}

// observed is what can be known of a computation.
type observed struct {
	hash     string
	fields   *Fields
	force    r3.Vec
	samples  []Sample
	flow     float64
	openings []OpeningSummary
	cells    int64
}

func observe(t *testing.T, d *solver.Domain, s Settings) *observed {
	t.Helper()
	o := &observed{}
	center := r3.Scale(d.Grid.Spacing, r3.Vec{X: 7.5, Y: float64(d.Grid.Size[1]) / 2, Z: float64(d.Grid.Size[2]) / 2})
	summary, err := RunInProcess(context.Background(), d, s, Plan{Steps: 20, Visit: func(r *Rank) error {
		fields, err := r.Gather()
		if err != nil {
			return err
		}
		force, err := r.WallForce(func(c r3.Vec) bool { return c.X > center.X })
		if err != nil {
			return err
		}
		samples, err := r.Probe([]r3.Vec{center, {}})
		if err != nil {
			return err
		}
		flow, _, err := r.PlaneFlow(center, r3.Vec{X: 1}, 1)
		if r.Number() == 0 {
			o.fields, o.force, o.samples, o.flow = fields, force, samples, flow
		}
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	o.hash, o.openings = summary.StateHash, summary.Openings
	for i := range summary.Ranks {
		o.cells += summary.Ranks[i].FluidCells
	}
	return o
}

// The dense layout gives what the sparse one does, bit for bit, however the
// domain is cut, with boxes given or found, with and without assembly.
func TestDense(t *testing.T) {
	methods := []func(*Settings){
		func(*Settings) {},
		func(s *Settings) { s.Wall, s.Collision = BounceBack, BGK },
		func(s *Settings) { s.Wall = Quadratic },
		func(s *Settings) { s.Precision = Half },
		func(s *Settings) { s.Precision, s.Collision = Double, Cumulant },
	}
	for m, change := range methods {
		for _, periodic := range race.Few([][3]bool{{m%2 == 0, m%2 == 0, m%2 == 0}}, [][3]bool{{}, {true, true, true}}) {
			g := cave(uint64(20+m), periodic)
			s := caveSettings(g)
			change(&s)
			whole := solver.WholeDomain(g)
			whole.Periodic = periodic
			want := observe(t, whole, s)
			s.Layout = Dense
			compare := func(name string, d *solver.Domain) {
				if got := observe(t, d, s); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s %s %s, periodic %v: hash %s, want %s; wall force %v, want %v; flow %g, want %g", name,
						s.Collision, s.Wall, s.Precision, periodic, got.hash, want.hash, got.force, want.force, got.flow, want.flow)
				}
			}
			compare("one box", whole)
			for _, side := range []int32{5, 16} {
				for _, ranks := range []int{1, 3} {
					if race.Enabled && (side != 5 || ranks == 1) {
						continue
					}
					d := scattered(g, side, ranks, uint64(m), periodic)
					compare(fmt.Sprintf("blocks of %d, %d ranks", side, ranks), d)
					d.Boxes = boxesOf(d, side)
					compare(fmt.Sprintf("whole blocks of %d, %d ranks", side, ranks), d)
				}
			}
			if race.Enabled {
				continue
			}
			t.Setenv("CARINA_SIMD", "none")
			compare("plain Go", whole)
			os.Unsetenv("CARINA_SIMD")
			if slices.Contains(simd.Machines(), "AVX2") {
				t.Setenv("CARINA_SIMD", "AVX2")
				compare("AVX2", whole)
				os.Unsetenv("CARINA_SIMD")
			}
		}
	}
}

// A box is stored with its solid cells, which cost memory and change nothing.
func TestDenseMemory(t *testing.T) {
	size := [3]int32{40, 20, 20}
	g := generate.LinkedGrid(size, 1e-4, [3]bool{}, func(x, y, z int32) bool { return x < 10 || y == 5 && z == 5 }, halfWay, nil)
	bytes := map[Layout]int64{}
	for _, l := range Layouts {
		s := caveSettings(g)
		s.Layout = l
		r, err := NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0])
		if err != nil {
			t.Fatal(err)
		}
		bytes[l] = r.engine.Device().Bytes()
		r.Close()
	}
	cells := int64(size[0]) * int64(size[1]) * int64(size[2])
	if want := cells * 76; bytes[Dense] < want || bytes[Dense] > want*11/10 {
		t.Errorf("%d bytes for %d cells in the box", bytes[Dense], cells)
	}
	if want := g.Cells() * 76; bytes[Sparse] < want || bytes[Sparse] > want*11/10 {
		t.Errorf("%d bytes for %d fluid cells", bytes[Sparse], g.Cells())
	}
}

// Boxes that do not hold their cells, or are too large to number, are refused.
func TestDenseRefusals(t *testing.T) {
	g := &geometry.Grid{Spacing: 1e-4, Size: [3]int32{2000, 2000, 2000},
		Runs: []geometry.Run{{X0: 0, X1: 2}, {X0: 1998, X1: 2000, Y: 1999, Z: 1999}}}
	s := DefaultSettings()
	s.Layout = Dense
	d := solver.WholeDomain(g)
	if _, err := NewRank(d, s, transport.NewLocal(1)[0]); err == nil || !strings.Contains(err.Error(), "smaller cuboids") {
		t.Errorf("a box of 8·10⁹ cells: %v", err)
	}
	d.Boxes = []cuboid.Cuboid{{Max: [3]int32{10, 10, 10}}}
	if _, err := NewRank(d, s, transport.NewLocal(1)[0]); err == nil || !strings.Contains(err.Error(), "does not hold its own cells") {
		t.Errorf("a box without its cells: %v", err)
	}
	s.Layout = "denser"
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "no layout") {
		t.Errorf("a layout that does not exist: %v", err)
	}
}

// CountWindows of package cuboid knows the windows that a rank computes, cut
// where neighbours lie in other cuboids, and the cells that even steps pass over.
func TestCountWindows(t *testing.T) {
	g := cave(30, [3]bool{})
	for _, side := range []int32{5, 13, 16, 1000} {
		d := scattered(g, side, 1, 3, [3]bool{})
		d.Boxes = boxesOf(d, side)
		for i := range d.Boxes {
			d.Boxes[i] = d.Boxes[i].Intersect(cuboid.Box(g))
		}
		s := caveSettings(g)
		s.Layout = Dense
		r, err := NewRank(d, s, transport.NewLocal(1)[0])
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		l := r.kernel.(*bound).layout
		passed := int64(l.Cells)
		for _, c := range l.Blocks {
			passed -= int64(c.End - c.First)
		}
		counts := cuboid.Count(g, d.Boxes, d.Segments)
		balance.CountWindows(d.Boxes, d.Segments, counts)
		var lanes, counted int64
		for _, n := range counts {
			lanes += n.Lanes
			counted += n.Passed
		}
		// It is wrong about a few windows beside rows with gaps.
		if want := int64(kernel.WindowCells*l.Windows() - l.Fluid); max(lanes-want, want-lanes) > want/200 {
			t.Errorf("blocks of %d: %d lanes without fluid, want %d", side, lanes, want)
		}
		// Several cuboids share the runs of cells that even steps compute.
		if len(d.Boxes) == 1 && counted != passed {
			t.Errorf("one block: %d cells are passed over, want %d", counted, passed)
		}
	}
}
