package airflow

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// DivergedError says where and when a computation diverged.
type DivergedError struct {
	// Step and Time (in seconds) are when it was noticed, Cell where.
	Step int64
	Time float64
	Cell [3]int32
	// Mach and RelaxationTime are those planned.
	Mach, RelaxationTime float64
	Surroundings
	// Speed is the largest there in the last good state, in m/s; 0 where that is
	// not known.
	Speed float64
	// Unit is the length of a unit of the surface, UnitName its name; 0 where they
	// are not known.
	Unit     float64
	UnitName string

	units     Units
	planned   float64   // peak velocity, m/s
	operator  Collision // that computed
	automatic Collision // that Automatic would take
}

// Cells across a lumen and away from an opening below which they are too few.
const (
	wantedAcross = 8
	nearOpening  = 5
)

// divergedAt is the error of a flow that was found to have diverged at a cell.
func (r *airflow) divergedAt(steps int64, cell [3]int32) *DivergedError {
	automatic := r.settings
	automatic.Collision = Automatic
	tau := r.units.RelaxationTime()
	return &DivergedError{
		Step: steps, Time: float64(steps) * r.units.TimeStep, Cell: cell,
		Mach: Mach(r.expected.peakVelocity / r.units.Velocity()), RelaxationTime: tau,
		Surroundings: surroundingsOf(r.domain, cell), units: r.units, planned: r.expected.peakVelocity,
		operator: r.settings.Collision, automatic: automatic.operator(tau, r.expected.cellReynolds(r.units.Spacing, &r.settings)),
	}
}

// Error says what happened, where, and what to do.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("the flow diverged before step %d (%.4g s) at cell (%d, %d, %d), %s, at the planned Mach number %.3g and relaxation time %.4f; %s",
		e.Step, e.Time, e.Cell[0], e.Cell[1], e.Cell[2], e.where(), e.Mach, e.RelaxationTime, e.advice())
}

// where says where the cell is, and what is known of the flow there.
func (e *DivergedError) where() string {
	unit, name := e.Unit, " "+e.UnitName
	switch {
	case unit == 0:
		unit, name = 1e-3, " mm"
	case strings.ContainsAny(e.UnitName, "0123456789"):
		name = " of the surface's units"
	}
	p := r3.Scale(1/unit, e.Position)
	words := []string{fmt.Sprintf("at (%.5g, %.5g, %.5g)%s", p.X, p.Y, p.Z, name)}
	if e.Opening != "" {
		words = append(words, fmt.Sprintf("%s from %s", cells(e.ToOpening), e.Opening))
	}
	if e.Across > 0 {
		words = append(words, fmt.Sprintf("%s from the wall in a lumen of %s across", cells(e.ToWall), cells(e.Across)))
	}
	if e.Speed > 0 {
		words = append(words, fmt.Sprintf("where air moved at %s (%.2g cells per step) shortly before", quantity.Format(e.Speed, "m/s"), e.Speed/e.units.Velocity()))
	}
	return strings.Join(words, ", ")
}

// cells writes a length in cells.
func cells(n float64) string {
	if n >= 10 {
		return fmt.Sprintf("%.0f cells", n)
	}
	return fmt.Sprintf("%.2g cells", n)
}

// advice names what helps, the likeliest first.
func (e *DivergedError) advice() string {
	var list []string
	if e.Mach > largestMach {
		list = append(list, fmt.Sprintf("reduce the time step below %s", quantity.Format(e.units.TimeStep*largestMach/e.Mach, "s")))
	}
	if e.operator != e.automatic && (e.operator == BGK || e.operator == TRT || e.operator == Regularized) {
		list = append(list, fmt.Sprintf("leave the collision to auto, which takes %s here instead of %s", e.automatic, e.operator))
	}
	if spacing := e.wantedSpacing(); spacing < e.units.Spacing {
		list = append(list, fmt.Sprintf("refine the spacing of %s to %s", quantity.FormatLength(e.units.Spacing), quantity.FormatLength(spacing)))
	} else if len(list) == 0 {
		list = append(list, fmt.Sprintf("refine the spacing of %s", quantity.FormatLength(e.units.Spacing)))
	}
	if e.Opening != "" && e.ToOpening < nearOpening {
		list = append(list, fmt.Sprintf("cut %s where the lumen is wider or straighter, or impose something else there", e.Opening))
	}
	return strings.Join(list, "; ")
}

// wantedSpacing puts enough cells across the lumen and keeps the cell Reynolds
// number where no limiter acts, but asks for no more than four times as fine.
func (e *DivergedError) wantedSpacing() float64 {
	const finest = 4
	dx := e.units.Spacing
	wanted := math.Inf(1)
	if e.Across > 0 && e.Across < wantedAcross {
		wanted = dx * e.Across / wantedAcross
	}
	// What is about to diverge is faster than it would be.
	speed := cmp.Or(e.Speed, e.planned)
	if e.planned > 0 {
		speed = min(speed, e.planned)
	}
	if speed > 0 {
		wanted = min(wanted, resolvedReynolds*e.units.KinematicViscosity/speed)
	}
	return max(wanted, dx/finest)
}

// speedNear is the largest speed within two cells of a cell.
func speedNear(pieces []Piece, f *Fields, cell [3]int32) float64 {
	const reach = 2
	var square float64
	for _, p := range pieces {
		if p.Y < cell[1]-reach || p.Y > cell[1]+reach || p.Z < cell[2]-reach || p.Z > cell[2]+reach {
			continue
		}
		for x := max(p.X0, cell[0]-reach); x < min(p.X1, cell[0]+reach+1); x++ {
			i := p.Local + int(x-p.X0)
			u, v, w := float64(f.Velocity[0][i]), float64(f.Velocity[1][i]), float64(f.Velocity[2][i])
			square = max(square, u*u+v*v+w*w)
		}
	}
	return math.Sqrt(square)
}
