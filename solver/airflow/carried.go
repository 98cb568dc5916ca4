package airflow

import (
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/update"
)

// carried is the velocity in the block, from its first cell on, that a worker has last
// computed, for others that run together with the air.
type carried struct {
	first    int32
	velocity [3][]float32
	// set puts there what belongs to a window.
	set func(cell, count int32, populations *update.Window)
}

func (r *bound) newCarried() *carried {
	c := &carried{}
	for axis := range c.velocity {
		c.velocity[axis] = make([]float32, kernel.BlockCells+kernel.WindowCells)
	}
	c.set = func(cell, count int32, populations *update.Window) {
		for lane := range count {
			for a := range c.velocity {
				u := r.force[a] / 2
				for i := range r.set.Q {
					u += float64(r.set.Velocities[i][a]) * populations[i][lane]
				}
				c.velocity[a][cell+lane-c.first] = float32(u)
			}
		}
	}
	return c
}

// carry leaves the velocity in a block, before its step.
func (r *bound) carry(b *solver.Block, odd bool, worker int) {
	c := r.carried[worker]
	c.first = b.First
	r.populations.Arriving(b.Number, odd, r.workspaces[worker], c.set)
}

// Velocity is that in the cells of the block that a worker has last computed, in
// cells per step, from its first cell on.
func (r *bound) Velocity(worker int) *[3][]float32 { return &r.carried[worker].velocity }
