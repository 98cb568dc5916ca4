package carina

import (
	"carina/geometry"
	"carina/solver/airflow"
)

// Plan is what a run of a case will take, by the rules by which it is computed.
type Plan struct {
	// Cells are the fluid cells, TimeStep is in seconds.
	Cells    int64
	TimeStep float64
	// Least and Most are the steps in which the air is exchanged once, before which no flow
	// has developed, and those at which the computation ends at last; they are the same
	// where the case says how long.
	Least, Most int64
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
	step, err := airflow.PlannedTimeStep(&scaled, settings)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Cells: int64(float64(g.Cells()) / (factor * factor * factor)), TimeStep: step}
	if p.Most = plan.Steps; p.Most == 0 {
		p.Most = int64(plan.Time / step)
	}
	if p.Least = p.Most; plan.Tolerance > 0 {
		exchange := float64(g.Cells()) * g.Spacing * g.Spacing * g.Spacing / settings.Inflow(g)
		p.Least = int64(min(float64(p.Most), exchange/step))
	}
	p.Memory, p.Branches = airflow.MemoryEstimate(p.Cells, settings), branchMemory(p.Cells)
	return p, nil
}
