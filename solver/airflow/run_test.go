package airflow

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/transport"
)

// The operators for high Reynolds numbers stay stable where TRT and BGK do
// not: at τ = 0.5004 in a pipe of nine cells, Re about 1700.
func TestStability(t *testing.T) {
	race.SkipArithmetic(t)
	for _, c := range []struct {
		collision Collision
		stable    bool
	}{{Automatic, true}, {Regularized, true}, {Cumulant, true}, {TRT, false}, {BGK, false}} {
		s := DefaultSettings()
		s.FlowRate, s.LatticeVelocity, s.Profile, s.Collision = 2e-4, 0.05, opening.Parabolic, c.collision
		summary, err := RunInProcess(context.Background(), solver.WholeDomain(pipe(0, 9, 60, 0.01)), s, Plan{Steps: 2500})
		if (err == nil) != c.stable {
			t.Errorf("%s: stable: %v, want %v", c.collision, err == nil, c.stable)
		}
		if err == nil {
			t.Logf("%s: Re %.4g, τ %.4f", c.collision, summary.Reynolds, summary.RelaxationTime)
		}
	}
}

// A flow far too fast is warned of and stopped with time and place.
func TestDivergence(t *testing.T) {
	g := cave(1, [3]bool{})
	s := caveSettings(g)
	s.FlowRate, s.TimeStep, s.Collision = 1e-4, 1e-4, TRT
	for _, d := range []*solver.Domain{solver.WholeDomain(g), scattered(g, 4, 3, 1, [3]bool{})} {
		_, err := RunInProcess(context.Background(), d, s, Plan{Steps: 1000})
		var diverged *DivergedError
		if !errors.As(err, &diverged) {
			t.Fatalf("got %v, want a DivergedError", err)
		}
		if diverged.Step > 100 || !g.Contains(diverged.Cell[0], diverged.Cell[1], diverged.Cell[2]) {
			t.Errorf("noticed at step %d in cell %v", diverged.Step, diverged.Cell)
		}
	}
	r, err := NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if w := strings.Join(r.Warnings(), "\n"); !strings.Contains(w, "Mach") || !strings.Contains(w, "relaxation time") {
		t.Errorf("warnings lack the Mach number or relaxation time: %q", w)
	}
}

func TestCancel(t *testing.T) {
	g := cave(1, [3]bool{})
	ctx, cancel := context.WithCancel(context.Background())
	_, err := RunInProcess(ctx, scattered(g, 4, 3, 1, [3]bool{}), caveSettings(g), Plan{Steps: 1 << 40, Report: func(p Progress) {
		if p.Step >= 100 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A stop that comes after the last step has interrupted nothing.
func TestInterruptedMeansThatStepsAreMissing(t *testing.T) {
	g := cave(1, [3]bool{})
	for _, steps := range []int64{2*checkInterval - 1, 2 * checkInterval, 3 * checkInterval} {
		ctx, stop := context.WithCancel(context.Background())
		s, err := RunInProcess(ctx, scattered(g, 4, 2, 1, [3]bool{}), caveSettings(g), Plan{Steps: steps, KeepStopped: true, Report: func(Progress) { stop() }})
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if s.Steps != 2*checkInterval || s.Interrupted != (s.Steps < steps) {
			t.Errorf("%d of %d steps, interrupted: %v", s.Steps, steps, s.Interrupted)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"collision": func(s *Settings) { s.Collision = "mrt?" },
		"wall":      func(s *Settings) { s.Wall = "" },
		"precision": func(s *Settings) { s.Precision = "16" },
		"viscosity": func(s *Settings) { s.KinematicViscosity = 0 },
		"density":   func(s *Settings) { s.Density = math.NaN() },
		"magic":     func(s *Settings) { s.Magic = -1 },
		"flow rate": func(s *Settings) { s.FlowRate = math.Inf(1) },
		"time step": func(s *Settings) { s.TimeStep = -1 },
		"workers":   func(s *Settings) { s.Workers = -1 },
	} {
		s := DefaultSettings()
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	s := DefaultSettings()
	if err := s.Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

// Collisions that are not computed with the velocities are refused with what to do,
// the others are not.
func TestCollisionsOfLattices(t *testing.T) {
	refused := map[Collision]Lattice{BGK: D3Q27, Regularized: D3Q27, Recursive: D3Q27, Cumulant: D3Q19}
	for _, collision := range Collisions {
		for _, set := range append([]Lattice{""}, Lattices...) {
			s := DefaultSettings()
			s.Collision, s.Lattice = collision, set
			err := s.Validate()
			if none := refused[collision] == set && set != ""; none != (err != nil) || none && !strings.Contains(err.Error(), "leave the lattice out") {
				t.Errorf("%s with %q: %v", collision, set, err)
			}
		}
	}
}

// A domain whose cells are owned twice or by nobody is refused.
func TestDomainIsChecked(t *testing.T) {
	g := cave(1, [3]bool{})
	for name, damage := range map[string]func(*solver.Domain){
		"missing segment": func(d *solver.Domain) { d.Segments = d.Segments[1:] },
		"last missing":    func(d *solver.Domain) { d.Segments = d.Segments[:len(d.Segments)-1] },
		"twice":           func(d *solver.Domain) { d.Segments = append(d.Segments, d.Segments[0]) },
		"too short":       func(d *solver.Domain) { d.Segments[3].X1-- },
		"empty":           func(d *solver.Domain) { d.Segments[3].X1 = d.Segments[3].X0 },
		"outside":         func(d *solver.Domain) { d.Segments[3].X1 += 100 },
		"cuboid":          func(d *solver.Domain) { d.Segments[3].Cuboid = 1000 },
		"rank":            func(d *solver.Domain) { d.Owners[0] = 3 },
		"negative rank":   func(d *solver.Domain) { d.Owners[0] = -1 },
		"no cells":        func(d *solver.Domain) { d.Grid = &geometry.Grid{} },
		"not in the grid": func(d *solver.Domain) {
			d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: 1, X1: 2, Y: 99}})
		},
		"number of ranks ": func(d *solver.Domain) { d.Ranks = 2 },
	} {
		d := solver.WholeDomain(g)
		damage(d)
		r, err := NewRank(d, caveSettings(g), transport.NewLocal(1)[0])
		if err == nil {
			t.Errorf("%s: accepted", name)
			r.Close()
		}
	}
}

// Ranks without cells are allowed.
func TestEmptyRank(t *testing.T) {
	g := cave(1, [3]bool{})
	want, _ := hashOf(t, solver.WholeDomain(g), caveSettings(g), 10)
	d := solver.WholeDomain(g)
	d.Ranks, d.Owners = 3, []int32{1}
	if got, _ := hashOf(t, d, caveSettings(g), 10); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// A rank that fails alone in its set-up ends all of them.
func TestRankThatFailsAloneEndsAll(t *testing.T) {
	const ranks = 3
	grid := generate.FullGrid([3]int32{6, 6, 6})
	domain := scattered(grid, 2, ranks, 1, [3]bool{})
	failures := make([]error, ranks)
	var all sync.WaitGroup
	for i, local := range transport.NewLocal(ranks) {
		all.Go(func() {
			settings := caveSettings(grid)
			settings.Wall = Quadratic // whose set-up exchanges messages
			if i == 1 {
				settings.Density = math.NaN()
			}
			_, failures[i] = RunRankOn(context.Background(), nil, domain, settings, Plan{Steps: 2}, local)
		})
	}
	all.Wait()
	for i, err := range failures {
		if err == nil || !strings.Contains(err.Error(), "density") || i != 1 && !strings.HasPrefix(err.Error(), "rank 1: ") {
			t.Errorf("rank %d: %v", i, err)
		}
	}
}
