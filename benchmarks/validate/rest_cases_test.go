package validate

import (
	"context"
	"fmt"
	"math"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// restCase is a tube of still air, disturbed at random, in which nothing may
// grow: walls, openings and operators can be linearly unstable at low
// viscosity, long before there is any flow.
type restCase struct {
	collision airflow.Collision
	wall      airflow.Wall
	direction r3.Vec
	across    int32
	// viscosity is that of the lattice, disturbance the velocity in cells a step.
	viscosity, disturbance float64
	// open tells that both ends are openings at pressure zero.
	open bool
}

func (c restCase) String() string {
	ends := "closed"
	if c.open {
		ends = "open"
	}
	return fmt.Sprintf("%s tube of %d cells along (%g, %g, %g), viscosity %g, %s, %s walls", ends, c.across,
		c.direction.X, c.direction.Y, c.direction.Z, c.viscosity, c.collision, c.wall)
}

// The directions of closed tubes and of those between openings.
var (
	closedDirections = []r3.Vec{{X: 1}, {X: 1, Y: 1}, {X: 1, Y: 1, Z: 1}, {X: 1, Y: 0.6, Z: 0.35}}
	openDirections   = []r3.Vec{{X: 1}, {X: 1, Y: 0.6, Z: 0.35}, {X: 1, Y: 1, Z: 0.1}, {X: 0.3, Y: 1, Z: 0.8}, {X: 1, Y: 0.3, Z: 0.1}, {X: 1, Y: 1, Z: 1}}
)

// tubeLength is in diameters.
const tubeLength = 2.0

// shape is the tube.
func (c restCase) shape() *shape {
	sh := pipeShape(c.across, c.direction, tubeLength)
	if c.open {
		return sh
	}
	axis, start, tube := r3.Unit(c.direction), sh.openings[0].Center, sh.inside
	sh.openings = nil
	sh.inside = func(p r3.Vec) float64 {
		along := r3.Dot(r3.Sub(p, start), axis)
		return min(tube(p), along, tubeLength-along)
	}
	return sh
}

// peaks computes so many steps and returns the largest speed after each of the
// given numbers of them, in cells a step.
func (c restCase) peaks(ctx context.Context, after ...int64) ([]float64, error) {
	sh := c.shape()
	settings := airflow.DefaultSettings()
	settings.Collision, settings.Wall = c.collision, c.wall
	settings.KinematicViscosity, settings.Density, settings.FlowRate = 1, 1, 0
	settings.TimeStep = latticeStep(c.viscosity, sh.spacing, settings.KinematicViscosity)
	if c.open {
		zero := opening.Condition{Kind: opening.ImposedPressure}
		settings.Conditions = map[int]opening.Condition{1: zero, 2: zero}
	}
	unit := sh.spacing / settings.TimeStep
	settings.Initial = func(p r3.Vec) (float64, r3.Vec) {
		return 0, r3.Scale(c.disturbance*unit, r3.Vec{X: scatter(p, 1), Y: scatter(p, 1.7), Z: scatter(p, 2.3)})
	}
	peaks := make([]float64, len(after))
	_, err := airflow.RunInProcess(ctx, solver.WholeDomain(sh.grid()), settings, airflow.Plan{Steps: after[len(after)-1],
		Report: func(p airflow.Progress) {
			for i, step := range after {
				if p.Step == step {
					peaks[i] = p.PeakVelocity / unit
				}
			}
		}})
	return peaks, err
}

// scatter is a number between −1 and 1 that looks random.
func scatter(p r3.Vec, stretch float64) float64 {
	v := math.Sin(p.X*127.1*stretch+p.Y*311.7+p.Z*74.7*stretch) * 43758.5453
	return 2*(v-math.Floor(v)) - 1
}
