package carina

import (
	"fmt"

	"carina/internal/quantity"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
	"carina/solver/airflow/wallshear"
)

// Summary is the outcome of a computation, in SI units: what summary.json holds.
type Summary struct {
	*airflow.Summary
	// Refinement is what this flow and those on other spacings tend to; or nil.
	Refinement *Refinement `json:"refinement,omitempty"`
	// Speeds are those of the ranks by the last look at the balance, relative to their
	// mean, as Case.Speeds wants them; nil where nobody looked.
	Speeds []float64 `json:"speeds,omitempty"`
	// Branches are those of the airway, Lobes those that the case names, Ends the openings
	// with what a branch has, and WallShear the stress on its wall, where results
	// are written and known in one place.
	Branches  []answers.Branch      `json:"branches,omitempty"`
	Lobes     []answers.LobeFigures `json:"lobes,omitempty"`
	Ends      []answers.End         `json:"ends,omitempty"`
	WallShear *wallshear.Figures    `json:"wall_shear,omitempty"`
	// Provenance is there in the process of rank 0.
	Provenance *Provenance `json:"provenance"`
}

// String says the same in a line.
func (s *Summary) String() string {
	return fmt.Sprintf("%d cells, %d steps of %s in %.1f s, %.1f MLUPS; Reynolds number %.4g, pressure drop %s, inflow and outflow differ by %s",
		s.FluidCells, s.Steps, quantity.Format(s.TimeStep, "s"), s.Seconds, s.MLUPS, s.Reynolds, quantity.FormatFrom(s.LeastPressure(), s.PressureDrop, "Pa"), quantity.FormatPart(s.MassBalance, 3))
}

// StoppedError says after which step somebody has stopped a flow, and where what was
// reached is.
type StoppedError struct {
	Steps int64
	// Folder holds the results; it is empty where none are written.
	Folder string
	// Cause is that of the context.
	Cause error
	// Spacing is that of the level, in metres, where a refinement was stopped; else 0.
	Spacing float64
	// Complete is the spacing of the last level of an accuracy whose results are there, in
	// metres; it is 0 where the results, if there are any, are those of the stopped flow.
	Complete float64
}

// Error says when, and where the results are.
func (e *StoppedError) Error() string {
	flow, complete := "the flow", quantity.FormatLength(e.Complete)
	if e.Spacing > 0 {
		flow += " on a spacing of " + quantity.FormatLength(e.Spacing)
	}
	switch {
	case e.Complete > 0 && e.Folder != "":
		return fmt.Sprintf("stopped by the user after step %d of %s; %s has the complete results of that on %s", e.Steps, flow, e.Folder, complete)
	case e.Complete > 0:
		return fmt.Sprintf("stopped by the user after step %d of %s; what is known is that on %s", e.Steps, flow, complete)
	case e.Spacing > 0 && e.Folder == "":
		return fmt.Sprintf("stopped by the user after step %d of %s; no results are kept of it", e.Steps, flow)
	case e.Folder == "":
		return fmt.Sprintf("stopped after step %d: %v", e.Steps, e.Cause)
	}
	return fmt.Sprintf("stopped by the user after step %d of %s; what was reached is in %s, marked as interrupted", e.Steps, flow, e.Folder)
}

// Unwrap returns the cause.
func (e *StoppedError) Unwrap() error { return e.Cause }
