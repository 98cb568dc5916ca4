package cuda

import (
	"math/bits"

	"carina/solver/airflow"
)

// steadyWatch finds out on the devices whether the flow has become steady.
type steadyWatch struct {
	*airflow.SteadyWatch
	solver   *Solver
	observed bool
	// parts are the samples of each part: masks of the cells of its tiles, where
	// the samples of a tile begin, and the velocities of the last observation.
	parts map[*part]*watched
}

type watched struct{ sampled, starts, before address }

func newSteadyWatch(s *Solver, tolerance float64) *steadyWatch {
	return &steadyWatch{SteadyWatch: s.flow.WatchSteady(s.steps, tolerance), solver: s, parts: map[*part]*watched{}}
}

// prepare chooses the cells.
func (w *steadyWatch) prepare() error {
	s := w.solver
	masks := make([]uint64, len(s.tiles.position))
	starts := s.flow.Domain.RunStarts()
	for i, r := range s.flow.Domain.Grid.Runs {
		begin := starts[i]
		global := (begin + airflow.SampleStride - 1) / airflow.SampleStride * airflow.SampleStride
		for end := begin + int64(r.X1-r.X0); global < end; global += airflow.SampleStride {
			x := r.X0 + int32(global-begin)
			masks[s.tiles.find(x/tileSide, r.Y/tileSide, r.Z/tileSide)] |= 1 << cellBit(x, r.Y, r.Z)
		}
	}
	for _, p := range s.parts {
		own := inOrder(masks, p.tiles)
		starts := make([]uint32, len(own))
		samples := uint32(0)
		for i, m := range own {
			starts[i] = samples
			samples += uint32(bits.OnesCount64(m))
		}
		v := &watched{}
		for _, list := range []struct {
			to      *address
			bytes   int64
			content []byte
		}{
			{&v.sampled, 0, bytesOf(own)},
			{&v.starts, 0, bytesOf(starts)},
			{&v.before, int64(samples) * 3 * int64(realBytes(s.bits)), nil},
		} {
			var err error
			if *list.to, err = p.allocate(list.bytes, list.content); err != nil {
				return err
			}
		}
		w.parts[p] = v
	}
	return nil
}

// observe compares with the last observation and tells whether the flow is steady.
func (w *steadyWatch) observe() (bool, error) {
	s := w.solver
	if !w.Due(s.steps) {
		return false, nil
	}
	if !w.observed {
		if err := w.prepare(); err != nil {
			return false, err
		}
	}
	var change, square int64
	err := s.find(s.observer("change", 0), [foundWords]uint64{},
		func(p *part) [][]uint64 {
			v := w.parts[p]
			return words(uint64(v.sampled), uint64(v.starts), uint64(v.before))
		},
		func(found [foundWords]uint64) {
			change += int64(found[0])
			square += int64(found[1])
		})
	if err != nil {
		return false, err
	}
	if !w.observed { // there was nothing to compare with
		w.observed = true
		return false, nil
	}
	return w.Judge(change, square), nil
}
