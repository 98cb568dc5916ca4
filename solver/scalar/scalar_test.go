package scalar

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/enginetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// carried is a scalar on air with a force.
func carried(d *solver.Domain, s *Scalar, settings airflow.Settings) (solver.Together, error) {
	air, err := airflow.Carrier(d, settings)
	return solver.Together{air, s}, err
}

// forced are settings of air that a force moves.
func forced() airflow.Settings {
	s := airflow.DefaultSettings()
	s.FlowRate, s.RampTime, s.Wall = 0, -1, airflow.BounceBack
	s.TimeStep = 2e-3
	s.BodyForce = [3]float64{0.3, 0.2, 0.1}
	return s
}

func scalarCase(precision airflow.Precision) *enginetest.Case {
	grid := generate.BallsGrid([3]int32{28, 20, 18}, 9, 3)
	return &enginetest.Case{Grid: grid, Periodic: [3]bool{true, false, false}, Steps: 21,
		Physics: func(d *solver.Domain) (solver.Together, error) {
			settings := forced()
			settings.Precision = precision
			return carried(d, &Scalar{Diffusivity: 0.03, Initial: func(p r3.Vec) float64 { return math.Sin(3e3 * (p.X + 2*p.Y - p.Z)) }}, settings)
		}}
}

func TestScalarOnRanks(t *testing.T) {
	precisions := []airflow.Precision{airflow.Single, airflow.Half}
	for _, precision := range race.Few(precisions[:1], precisions) {
		scalarCase(precision).Accept(t)
	}
}

// box is a periodic one with air that moves as one along x.
func box() *geometry.Grid { return generate.FullGrid([3]int32{40, 4, 4}) }

// wave computes the scalar's sine in a box for so many steps with a velocity, in
// cells per step, and returns its amplitude and phase, in cells.
func wave(t *testing.T, diffusivity, velocity float64, steps int) (amplitude, phase, mean float64) {
	t.Helper()
	g := box()
	n := float64(g.Size[0])
	c := enginetest.Case{Grid: g, Physics: func(d *solver.Domain) (solver.Together, error) {
		settings := forced()
		settings.BodyForce = [3]float64{}
		settings.Initial = func(r3.Vec) (float64, r3.Vec) {
			return 0, r3.Vec{X: velocity * g.Spacing / settings.TimeStep}
		}
		return carried(d, &Scalar{Diffusivity: diffusivity, Initial: func(p r3.Vec) float64 {
			return 1 + math.Sin(2*math.Pi*(p.X-g.Origin.X)/g.Spacing/n)
		}}, settings)
	}}
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		d := solver.WholeDomain(g)
		d.Periodic = [3]bool{true, true, true}
		r, err := c.New(d, 1, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		for range steps {
			if err := r.Step(); err != nil {
				return err
			}
		}
		var sine, cosine float64
		k := r.Kernel(1).(*Kernel)
		r.Layout().EachCell(func(cell, x, _, _ int32) {
			angle := 2 * math.Pi * (float64(x) + 0.5) / n
			sine += 2 * math.Sin(angle) * k.Concentration(cell)
			cosine += 2 * math.Cos(angle) * k.Concentration(cell)
			mean += k.Concentration(cell)
		})
		cells := float64(r.Layout().Cells)
		amplitude, phase, mean = math.Hypot(sine, cosine)/cells, -math.Atan2(cosine, sine)/(2*math.Pi)*n, mean/cells
		return nil
	})
	return amplitude, phase, mean
}

// A sine fades with exp(−Dk²t), and moves with the air.
func TestSineFadesAndMoves(t *testing.T) {
	const steps = 200
	k := 2 * math.Pi / 40
	for _, diffusivity := range []float64{0.02, 0.1} {
		for _, velocity := range []float64{0, 0.05} {
			amplitude, phase, mean := wave(t, diffusivity, velocity, steps)
			if want := math.Exp(-diffusivity * k * k * steps); math.Abs(amplitude/want-1) > 0.02 {
				t.Errorf("D = %g, u = %g: amplitude %.4f, want %.4f", diffusivity, velocity, amplitude, want)
			}
			if want := velocity * steps; math.Abs(phase-want) > 0.02*want+1e-3 {
				t.Errorf("D = %g, u = %g: the sine moved %.3f cells, want %g", diffusivity, velocity, phase, want)
			}
			if math.Abs(mean-1) > 1e-5 {
				t.Errorf("D = %g, u = %g: the mean became %.7f", diffusivity, velocity, mean)
			}
		}
	}
}

// The air does not feel what it carries.
func TestAirIsTheSame(t *testing.T) {
	c := scalarCase(airflow.Single)
	states := map[int]*solver.State{}
	for _, count := range []int{1, 2} {
		enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
			alone := enginetest.Case{Grid: c.Grid, Physics: func(d *solver.Domain) (solver.Together, error) {
				both, err := c.Physics(d)
				return both[:count], err
			}}
			r, err := alone.New(solver.WholeDomain(c.Grid), 1, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			for range c.Steps {
				if err := r.Step(); err != nil {
					return err
				}
			}
			states[count], err = r.SaveState()
			return err
		})
	}
	alone, both := states[1], states[2]
	for cell := range len(alone.Records) / alone.RecordBytes {
		a, b := alone.Records[cell*alone.RecordBytes:][:alone.RecordBytes], both.Records[cell*both.RecordBytes:][:alone.RecordBytes]
		if string(a) != string(b) {
			t.Fatalf("cell %d differs", cell)
		}
	}
}

func TestNothingCarries(t *testing.T) {
	c := enginetest.Case{Physics: func(*solver.Domain) (solver.Together, error) {
		return solver.Together{&Scalar{Diffusivity: 0.1, Initial: func(r3.Vec) float64 { return 1 }}}, nil
	}}
	if _, err := c.New(solver.WholeDomain(box()), 1, transport.NewLocal(1)[0]); err == nil {
		t.Error("a scalar without air is taken")
	}
}

// Of values that make no sense the cell with the lowest number is told.
func TestCheckTellsTheFirstCell(t *testing.T) {
	grid := box()
	layout := &solver.Layout{Cells: int(grid.Cells()), Fluid: int(grid.Cells())}
	first := int32(0)
	for _, r := range grid.Runs {
		layout.Pieces = append(layout.Pieces, solver.Piece{Run: r, Global: int64(first), Local: first, Index: first})
		first += r.X1 - r.X0
	}
	layout.Stored = layout.Pieces
	k := &Kernel{layout: layout}
	for i := range k.f {
		k.f[i] = make([]float32, first)
	}
	whole := &solver.Block{End: first}
	if _, bad := k.Check(whole, 0); bad != solver.NoCell {
		t.Errorf("cell %d of sound ones is told", bad)
	}
	k.f[3][29], k.f[1][17], k.f[0][40] = float32(math.NaN()), float32(math.Inf(-1)), float32(math.NaN())
	if _, bad := k.Check(whole, 0); bad != 17 {
		t.Errorf("cell %d is told, want 17", bad)
	}
}
