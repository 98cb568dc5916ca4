package airflow

import (
	"carina/solver"
	"carina/solver/processor"
)

// SaveState returns a copy of all that the rank's next steps depend on, after any
// step.
func (r *Rank) SaveState() (*solver.State, error) { return r.engine.SaveState() }

// LoadState goes on from a state that any number of ranks have saved with the same
// grid and settings, given what all of them have. Call it on all ranks.
func (r *Rank) LoadState(saved []*solver.State) error {
	if err := r.engine.LoadState(saved); err != nil {
		return err
	}
	r.odd = r.engine.Steps()%2 == 1
	return nil
}

// Move gives cells to other owners, after any step: the domain is the same but for
// these. Call it on all ranks. If it fails, the rank is as it was.
func (r *Rank) Move(domain *solver.Domain) error {
	t := r.engine.Transport()
	flow := *r.airflow
	flow.domain = domain
	e, err := r.engine.Move(domain, solver.Together{&flow}, processor.New(r.settings.Workers, t))
	if err != nil {
		return err
	}
	odd := r.odd
	r.engine, r.bound = e, e.Kernel(0).(*bound)
	r.odd = odd
	return nil
}
