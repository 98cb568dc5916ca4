package carina

import (
	"math"

	"carina/geometry"
	"carina/solver/airflow"
)

// Plan is what a run of a case will take, by the rules by which it is computed.
type Plan struct {
	// Cells are the fluid cells, TimeStep is in seconds.
	Cells    int64
	TimeStep float64
	// Start are the steps in which the flow rises, part of all others. Least are those in
	// which the air is exchanged once after them, before which no flow has developed, Usual
	// those after which a flow ends that fluctuates too much for more time to help, and Most
	// those at which the computation ends at last; they are the same where the case says how
	// long.
	Start, Least, Usual, Most int64
	// PressureDrops says how far those may be off; empty where cells resolve the flow.
	PressureDrops string
	// Memory is that of the flow, Branches what finding the branches in it takes besides,
	// in bytes.
	Memory, Branches int64
}

// PlanOn is the plan of the case on a grid whose spacing is multiplied by a factor, below
// 1 for finer ones.
func (c *Case) PlanOn(g *geometry.Grid, factor float64) (Plan, error) {
	settings, plan, err := c.FlowOn(g, g.Cells())
	if err != nil {
		return Plan{}, err
	}
	scaled := *g
	scaled.Spacing *= factor
	for axis := range scaled.Size {
		scaled.Size[axis] = int32(math.Ceil(float64(g.Size[axis]) / factor))
	}
	seen, err := airflow.Foresee(&scaled, settings)
	if err != nil {
		return Plan{}, err
	}
	start := 0.0
	if plan.AfterStart {
		start = seen.Start
	}
	steps := func(time float64) int64 { return int64((start + time) / seen.TimeStep) }
	p := Plan{Cells: int64(float64(g.Cells()) / (factor * factor * factor)), TimeStep: seen.TimeStep, PressureDrops: seen.PressureDrops}
	p.Start = steps(0)
	if p.Most = plan.Steps; p.Most == 0 {
		p.Most = steps(plan.Time)
	}
	if p.Least, p.Usual = p.Most, p.Most; plan.Tolerance > 0 {
		exchange := float64(g.Cells()) * g.Spacing * g.Spacing * g.Spacing / settings.Inflow(g)
		p.Least = min(p.Most, steps(exchange))
		if plan.Least > 0 {
			p.Usual = min(p.Most, max(p.Least, steps(plan.Least)-p.Start))
		}
	}
	p.Memory, p.Branches = airflow.MemoryEstimate(p.Cells, settings), branchMemory(p.Cells)
	return p, nil
}
