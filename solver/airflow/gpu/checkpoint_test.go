package gpu

import (
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/checkpoint"
	"carina/solver/cuda/devicetest"
)

// A flow whose state is kept on one GPU goes on on two and, kept there, on one again, as
// one that was left alone, bit for bit.
func TestCheckpointsOnGPUs(t *testing.T) {
	devicetest.BesideOthers(t)
	domain := solver.WholeDomain(cave(9, [3]bool{}))
	settings := caveSettings(domain.Grid)
	const steps = 20
	// hash after some more steps, on so many devices, from and to a checkpoint
	goOn := func(devices, steps int, from, to string) (hash uint64) {
		onGPUs(t, domain, settings, devices, func(r *airflow.Rank) error {
			tr := r.Engine().Transport()
			if from != "" {
				c, err := checkpoint.Open(from)
				if err != nil {
					return err
				}
				state, err := c.Load(r.Engine().Layout().Ranges())
				if err != nil {
					return err
				}
				if err := r.LoadState([]*solver.State{state}); err != nil {
					return err
				}
			}
			for range steps {
				if err := r.Engine().Step(); err != nil {
					return err
				}
			}
			h, err := r.Hash()
			if r.Number() == 0 {
				hash = h
			}
			if err != nil || to == "" {
				return err
			}
			w, err := checkpoint.NewWriter(to, tr)
			if err != nil {
				return err
			}
			state, err := r.SaveStateInto(w.Spare())
			if err != nil {
				return err
			}
			w.Begin(state, nil)
			_, err = w.Finish()
			return err
		})
		return hash
	}
	want := goOn(1, 3*steps, "", "")
	first, second := t.TempDir(), t.TempDir()
	goOn(1, steps, "", first)
	goOn(2, steps, first, second)
	if got := goOn(1, steps, second, ""); got != want {
		t.Errorf("it ends with %016x and not with %016x", got, want)
	}
}
