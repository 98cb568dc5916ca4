package generate_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/mesh"
	"carina/internal/race"
	"carina/internal/yardstick"

	"gonum.org/v1/gonum/spatial/r3"
)

// sweeps is how many damaged airways are tried.
var sweeps = flag.Int("sweeps", 48, "number of damaged airways to try")

// notchedAirways are always tried: an open end has lost triangles of the wall
// beside it, so that one boundary runs around both.
var notchedAirways = []int{1035, 1159}

// Whatever happens to the triangles of a generated airway that leaves its ends
// to be seen, preparing it ends soon and all ends are found.
func TestSweepDamagedAirways(t *testing.T) {
	n := *sweeps
	if testing.Short() {
		n = min(n, 40)
	}
	if race.Enabled {
		n = 8
	}
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	for _, i := range notchedAirways {
		if i >= n && !race.Enabled {
			numbers = append(numbers, i)
		}
	}
	largest, _, err := generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Segments: 40, Generations: 3})
	if err != nil {
		t.Fatal(err)
	}
	whole := yardstick.New(func() {
		if _, err := geometry.Prepare(largest, geometry.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	for _, i := range numbers {
		rng := rand.New(rand.NewPCG(uint64(i), 43))
		s, ends, err := randomAirway(rng)
		if err != nil {
			t.Fatal(err)
		}
		damaged, what := damaged(s, rng)
		ends = move(damaged, ends, math.Pow(10, 2*rng.Float64()-1), rng)
		var p *geometry.Prepared
		if whole.Exceeds(50, func() { p, err = geometry.Prepare(damaged, geometry.Options{}) }) {
			t.Errorf("airway %d (%s) takes more than 50 times as long as a whole one", i, what)
		}
		if err != nil {
			t.Errorf("airway %d (%s): %v", i, what, err)
			continue
		}
		if len(p.Openings) != len(ends) {
			t.Errorf("airway %d (%s): %d openings, want %d; mended %v; warnings %q", i, what, len(p.Openings), len(ends), p.Mended, p.Warnings)
			continue
		}
		for _, want := range ends {
			got := nearest(p.Openings, want.Center)
			radius := math.Sqrt(want.Area / math.Pi)
			if r3.Norm(r3.Sub(got.Center, want.Center)) > 0.3*radius || math.Abs(got.Area/want.Area-1) > 0.15 {
				t.Errorf("airway %d (%s), %s: area %.3g, want %.3g; %.2f radii off", i, what, want.Name, got.Area, want.Area, r3.Norm(r3.Sub(got.Center, want.Center))/radius)
			}
		}
	}
	// What this process has ever held, over all airways.
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.Sys > 500<<20 {
		t.Errorf("%d MB were taken", memory.Sys>>20)
	}
}

func randomAirway(rng *rand.Rand) (*geometry.Surface, []geometry.Opening, error) {
	segments := 16 + 2*rng.IntN(13)
	switch rng.IntN(4) {
	case 0:
		return generate.Pipe(generate.PipeOptions{Segments: segments})
	case 1:
		return generate.Bifurcation(generate.BifurcationOptions{Segments: segments})
	case 2:
		return generate.Airway(generate.AirwayOptions{Segments: segments, Generations: 2})
	}
	return generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Segments: segments, Generations: 2 + rng.IntN(2), Seed: uint64(rng.IntN(50))})
}

// damaged takes the names off a surface, opens some ends, tears, turns over,
// doubles and drops triangles; it says what it did.
func damaged(s *geometry.Surface, rng *rand.Rand) (*geometry.Surface, string) {
	opened := map[int32]bool{}
	for i, name := range s.Solids {
		if name != "wall" && rng.IntN(4) == 0 {
			opened[int32(i)] = true
		}
	}
	tear := 0.0
	if rng.IntN(2) == 0 {
		tear = 2e-7
	}
	share := func() float64 { return float64(rng.IntN(2)) * rng.Float64() }
	lost, turned, doubled, flat := 0.02*share(), 0.3*share(), 0.05*share(), 0.05*share()
	what := fmt.Sprintf("%d triangles, %d ends opened, torn by %g, %.4f lost, %.2f turned, %.2f doubled, %.2f without area", len(s.Triangles), len(opened), tear, lost, turned, doubled, flat)
	out := &geometry.Surface{Mesh: mesh.Mesh{Solids: []string{""}}, Unit: geometry.Metre}
	index := map[int32]int32{}
	vertex := func(v int32) int32 {
		if n, ok := index[v]; ok && tear == 0 {
			return n
		}
		index[v] = int32(len(out.Vertices))
		d := r3.Vec{X: rng.Float64() - 0.5, Y: rng.Float64() - 0.5, Z: rng.Float64() - 0.5}
		out.Vertices = append(out.Vertices, r3.Add(s.Vertices[v], r3.Scale(tear, d)))
		return index[v]
	}
	for _, tr := range s.Triangles {
		wall := s.Solids[tr.Solid] == "wall"
		if opened[tr.Solid] || wall && rng.Float64() < lost {
			continue
		}
		v := tr.V
		if rng.Float64() < turned {
			v[1], v[2] = v[2], v[1]
		}
		for k := 0; k < 1 || k < 2 && rng.Float64() < doubled; k++ {
			out.Triangles = append(out.Triangles, mesh.Triangle{V: [3]int32{vertex(v[0]), vertex(v[1]), vertex(v[2])}})
		}
		if rng.Float64() < flat {
			a := vertex(v[0])
			out.Triangles = append(out.Triangles, mesh.Triangle{V: [3]int32{a, vertex(v[1]), a}})
		}
	}
	return out, what
}
