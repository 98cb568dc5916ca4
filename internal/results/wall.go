package results

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"carina/internal/run"
	"carina/solver/airflow/answers"
	"carina/solver/transport"
)

// prepareWall prepares to follow the stress on the wall of a flow that changes, where the
// surface is known. All ranks call it.
func (r *Results) prepareWall() error {
	of := &r.of
	if !of.Changing || of.Instant {
		return nil
	}
	if r.target.rank() == 0 && r.HasPage() && of.Surface != nil {
		var err error
		if r.wall, err = answers.NewWallSeries(of.Grid, of.Surface, of.Period); err != nil {
			of.Warn(fmt.Sprintf("no oscillatory shear index: %v", err))
		}
	}
	there := int64(0)
	if r.wall != nil {
		there = 1
	}
	all, err := r.target.reduce(transport.Max, there)
	r.walls = all[0] != 0
	return err
}

// wallInterval is how often the wall is looked at.
func (r *Results) wallInterval() Interval {
	if r.of.Period > 0 {
		return Interval{Seconds: r.of.Period / answers.CycleSamples}
	}
	const steps = 1000
	return Interval{Steps: steps}
}

// watchWall takes a sample of the stress on the wall where it is time for one.
func (r *Results) watchWall(v *run.View) error {
	if !r.walls || !r.wallInterval().due(v.Step(), v.TimeStep()) {
		return nil
	}
	own, err := v.Fields()
	if err := transport.Agree(v.Transport(), err); err != nil {
		return err
	}
	all, err := v.Gather(own)
	if err == nil && v.Rank() == 0 {
		r.wall.Add(v.Time(), &all.Velocity, v.Viscosity())
	}
	return err
}

// seen is what rank 0 has seen of a flow, in a checkpoint.
type seen struct{ History, Wall []byte }

// saveSeen returns what loadSeen takes over.
func (r *Results) saveSeen() []byte {
	s := seen{History: r.history.save()}
	if r.wall != nil {
		s.Wall = r.wall.Save()
	}
	var data bytes.Buffer
	// Bytes are always written to memory.
	_ = gob.NewEncoder(&data).Encode(s)
	return data.Bytes()
}

func (r *Results) loadSeen(data []byte) error {
	var s seen
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return fmt.Errorf("reading what a checkpoint has seen: %w", err)
	}
	if err := r.history.load(s.History); err != nil {
		return err
	}
	if r.wall == nil || s.Wall == nil {
		return nil
	}
	return r.wall.Load(s.Wall)
}
