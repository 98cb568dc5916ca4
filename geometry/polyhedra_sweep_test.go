package geometry

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"
	"carina/internal/race"
	"carina/internal/yardstick"

	"gonum.org/v1/gonum/spatial/r3"
)

// sweeps is how many surfaces the sweeps of this package try.
var sweeps = flag.Int("sweeps", 48, "number of random polyhedra to try")

const (
	// What one surface may take: the time of so many plain tubes and bytes of heap.
	sweepTubes  = 250
	sweepMemory = 500 << 20
)

// slowPolyhedra are always tried: plates of 9,048 and 13,996 triangles, whose
// flat faces fall into many pieces that join one by one.
var slowPolyhedra = []int{962, 1698}

// Whatever is given as a surface, preparing, diagnosing and filling it ends
// soon, takes little memory and does not panic; where it is refused, a
// sentence says why; and what comes out is closed, with sound openings.
func TestSweepPolyhedra(t *testing.T) {
	n := *sweeps
	if testing.Short() {
		n = min(n, 24)
	}
	if race.Enabled {
		n = len(polyhedronKinds) // one of each
	}
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	for _, i := range slowPolyhedra {
		if i >= n && !testing.Short() && !race.Enabled {
			numbers = append(numbers, i)
		}
	}
	plain := &Surface{Mesh: *meshtest.Tube(r3.Vec{}, r3.Vec{Z: 12}, 1, 24, 24, true)}
	tube := yardstick.New(func() { sweepOne(t, plain) })
	for _, i := range numbers {
		kind := polyhedronKinds[i%len(polyhedronKinds)]
		t.Run(fmt.Sprintf("%s/%d", kind.name, i), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(i), 41))
			s := spoiled(kind.make(rng), rng)
			if len(s.Triangles) == 0 {
				return
			}
			var peak uint64
			if tube.Exceeds(sweepTubes, func() { peak = peakHeap(func() { sweepOne(t, s) }) }) {
				t.Errorf("%d triangles take the time of more than %d tubes", len(s.Triangles), sweepTubes)
			}
			if peak > sweepMemory {
				t.Errorf("%d triangles took %d MB", len(s.Triangles), peak>>20)
			}
		})
	}
}

func sweepOne(t *testing.T, s *Surface) {
	p, err := Prepare(s, Options{})
	if err != nil {
		return
	}
	if n := len(mesh.BoundaryEdges(&p.Surface.Mesh)); n > 0 {
		t.Errorf("%d edges of the prepared surface are open", n)
	}
	area := make([]r3.Vec, len(p.Openings)+1)
	for i, o := range p.Opening {
		area[o] = r3.Add(area[o], p.Surface.AreaVector(i))
	}
	for i, o := range p.Openings {
		if o.Number != i+1 || o.Name == "" || math.Abs(r3.Norm(o.Normal)-1) > 1e-6 || !(o.Area > 0) || math.IsInf(o.Area, 0) {
			t.Errorf("opening %+v", o)
		}
		if got := r3.Norm(area[i+1]); math.Abs(got-o.Area) > 1e-6*o.Area {
			t.Errorf("%s: area %g, its triangles have %g", o.Name, o.Area, got)
		}
	}
	if _, err := json.Marshal(p.Diagnose(s)); err != nil {
		t.Errorf("the diagnosis cannot be written: %v", err)
	}
	g, _, err := VoxelizePrepared(context.Background(), p, Options{FluidCells: 3_000})
	if err == nil && g.Cells() == 0 {
		t.Error("a grid without cells")
	}
}
