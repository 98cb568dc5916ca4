package validate

import (
	"context"
	"math"
	"testing"

	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Still air stays still between walls: with the operators that are chosen at
// low viscosity, in tubes at any angle to the lattice. Every viscosity comes with every
// width and direction, and every width with every direction.
func TestClosedTubesAtRest(t *testing.T) {
	race.SkipArithmetic(t)
	for _, collision := range []airflow.Collision{airflow.Recursive, airflow.Cumulant} {
		t.Run(string(collision), func(t *testing.T) {
			for v, viscosity := range []float64{1e-5, 2.5e-4, 1e-3} {
				for a, across := range []int32{4, 5, 6, 8} {
					for d, direction := range closedDirections {
						if (v+a+d)%2 > 0 && !*whole {
							continue
						}
						testRest(t, restCase{collision, airflow.Interpolated, direction, across, viscosity, 1e-6, false}, 2000, 8000)
					}
				}
			}
		})
	}
	sayLeftOut(t, "the other half of viscosities, widths and directions of closed tubes")
}

// Neither do pressure openings move it. -whole takes longer and more.
func TestOpenTubesAtRest(t *testing.T) {
	race.SkipArithmetic(t)
	late := int64(3000)
	viscosities := []float64{1e-4}
	if *whole {
		late, viscosities = 30000, []float64{1e-3, 1e-4}
	}
	for _, viscosity := range viscosities {
		for _, across := range []int32{6, 9} {
			for _, direction := range openDirections {
				testRest(t, restCase{airflow.Recursive, airflow.Interpolated, direction, across, viscosity, 5e-5, true}, 1000, late)
			}
		}
	}
}

// rounding is the part of a disturbance that is at rest.
const rounding = 1e-12

func testRest(t *testing.T, c restCase, early, late int64) {
	t.Helper()
	peaks, err := c.peaks(context.Background(), early, late)
	if err != nil {
		t.Errorf("%v: %v", c, err)
	} else if !(peaks[1] <= max(peaks[0], rounding*c.disturbance)) {
		t.Errorf("%v: the largest speed grows from %.3g to %.3g cells a step", c, peaks[0], peaks[1])
	}
}

// Nor do they, whatever their condition, keep a flow from settling that is coarse for its
// viscosity, in tubes at angles to the lattice: what changes dies away.
func TestFlowThroughOpeningsSettles(t *testing.T) {
	race.SkipArithmetic(t)
	const every, latticeVelocity, cellReynolds, decay = 2000, 0.1, 22, 0.1
	// A tube of diameter one has a peak of twice the mean velocity.
	flow := math.Pi / 8 * cellReynolds // over the cells across
	for name, condition := range map[string]opening.Condition{
		"pressure":   {Kind: opening.ImposedPressure},
		"share":      {Kind: opening.FlowShare, Share: 1},
		"Windkessel": {Kind: opening.Windkessel, ProximalResistance: 1},
	} {
		for _, c := range []struct {
			across    int32
			direction r3.Vec
		}{{4, r3.Vec{X: 0.801, Y: -0.231, Z: -0.553}}, {5, r3.Vec{X: 0.801, Y: -0.231, Z: -0.553}}, {6, r3.Vec{X: -0.38, Y: 0.523, Z: -0.763}}} {
			sh := pipeShape(c.across, c.direction, 3)
			s := airflow.DefaultSettings()
			s.Collision, s.Precision, s.Workers = airflow.Recursive, airflow.Double, 1
			s.KinematicViscosity, s.Density, s.FlowRate = 1, 1, flow*float64(c.across)
			s.TimeStep = latticeStep(latticeVelocity/cellReynolds, sh.spacing, 1)
			s.Conditions = map[int]opening.Condition{2: condition}
			changes, err := changesEvery(s, sh, every, 4)
			if err != nil {
				t.Fatalf("%s, %d cells across: %v", name, c.across, err)
			}
			if !(changes[2] <= decay*changes[0]) {
				t.Errorf("%s, %d cells across along %v: in %d steps the velocity changes by %.3g m/s, later by %.3g", name, c.across, c.direction, every, changes[0], changes[2])
			}
		}
	}
}

// changesEvery is by how much the velocity changes at most in every so many steps but the
// first.
func changesEvery(s airflow.Settings, sh *shape, every int64, times int) (changes []float64, err error) {
	r, err := airflow.NewRank(solver.WholeDomain(sh.grid()), s, transport.NewLocal(1)[0])
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var before *airflow.Fields
	for range times {
		if err := r.Advance(context.Background(), every, nil); err != nil {
			return nil, err
		}
		now, err := r.Fields()
		if err != nil {
			return nil, err
		}
		if before != nil {
			var change float64
			for a := range now.Velocity {
				for i, v := range now.Velocity[a] {
					change = max(change, math.Abs(float64(v-before.Velocity[a][i])))
				}
			}
			changes = append(changes, change)
		}
		before = now
	}
	return changes, nil
}
