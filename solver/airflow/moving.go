package airflow

import (
	"carina/solver"
	"carina/solver/transport"
)

// SaveState returns a copy of all that the rank's next steps depend on, after any
// step.
func (r *Rank) SaveState() (*solver.State, error) { return r.engine.SaveState() }

// LoadState goes on from a state that any number of ranks have saved with the same
// grid and settings, given what all of them have. Call it on all ranks.
func (r *Rank) LoadState(saved []*solver.State) error { return r.engine.LoadState(saved) }

// Move gives cells to other owners, after any step: the domain is the same but for
// these. Call it on all ranks. If it fails, the rank is as it was.
func (r *Rank) Move(domain *solver.Domain) error {
	t := r.engine.Transport()
	device, err := r.backend.Open(t)
	if err := transport.Agree(t, err); err != nil {
		if device != nil {
			device.Close()
		}
		return err
	}
	domain, _, err = solver.Rounded(domain, device.Unit(), t)
	if err != nil {
		device.Close()
		return err
	}
	flow := *r.airflow
	flow.domain = domain
	e, err := r.engine.Move(domain, solver.Together{r.backend.Physics(newFlow(&flow))}, device)
	if err != nil {
		return err
	}
	r.airflow = &flow
	return r.take(e)
}
