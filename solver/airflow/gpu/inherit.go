package gpu

import (
	"errors"
	"sync"
	"sync/atomic"

	"carina/internal/crash"
	"carina/solver"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiles"
	"carina/solver/cuda/tiling"
)

// Reaches tells whether kernels here can read the tiles of another rank.
func (s *bound) Reaches(from solver.RecordKernel) bool {
	o, ok := from.(*bound)
	return ok && o.Layout == s.Layout && o.part.InHost == 0 && s.part.Device.Sees(o.part.Device)
}

// PrepareInherit begins to compile the kernels that Inherit needs, and those of steps that a
// rank has none of so far: with other cells it may have borders, or openings beside them. Why
// one cannot be compiled is found out, and told, when it is needed.
func (s *bound) PrepareInherit() (wait func()) {
	exchange := tiles.ExchangeSources(s.Layout)
	sources := append(exchange[:], s.observerBefore("records", recordsOut, false).source(), s.observerBefore("records", recordsIn, false).source())
	for _, side := range []int{interiorSide, borderSide} {
		steps, _ := s.stepPrograms(side)
		for _, p := range steps {
			sources = append(sources, p.source())
			if len(s.flow.Openings) > 0 {
				sources = append(sources, p.atOpenings().source())
			}
		}
	}
	if s.flow.States.Coupled() {
		sources = append(sources, s.part.outflowProgram().source())
	}
	var all sync.WaitGroup
	for _, source := range sources {
		all.Go(func() {
			defer crash.Guard()
			_ = s.part.Device.Prepare(source)
		})
	}
	return all.Wait
}

// Inherit takes over the states of cells from another rank's tiles, portion by portion: this
// device reads there what that one would save.
func (s *bound) Inherit(state int, from solver.RecordKernel, cells []solver.CellRange) (err error) {
	o, p := from.(*bound), s.part
	to := s.tilesOf(cells)
	source := make([]int32, len(to))
	var missing atomic.Bool
	s.workers.Ranges(len(to), func(begin, end int) {
		for i := begin; i < end; i++ {
			where := s.tiles.Position[p.Numbers[to[i]]]
			var ok bool
			if source[i], ok = o.part.Own(o.tiles.Find(where[0], where[1], where[2])); !ok {
				missing.Store(true)
			}
		}
	})
	if missing.Load() {
		return solver.ErrOtherState
	}
	portion := max(1, min(len(to), recordTiles))
	var memory []device.Address
	defer func() {
		for _, a := range memory {
			err = errors.Join(err, p.Device.Free(a))
		}
	}()
	buffer, err := p.Device.Allocate(int64(portion) * tiling.Cells * int64(s.recordBytes()))
	if err != nil {
		return err
	}
	memory = append(memory, buffer)
	var orders [2]device.Address
	for i, list := range [][]int32{source, to} {
		if orders[i], err = uploaded(p.Device, list); orders[i] != 0 {
			memory = append(memory, orders[i])
		}
		if err != nil {
			return err
		}
	}
	out, in := s.observerBefore("records", recordsOut, state == 1), s.observerBefore("records", recordsIn, state == 1)
	for first := 0; first < len(to); first += portion {
		count := min(portion, len(to)-first)
		if err := p.launch(out, o.part.observation(out, tileRange{orders[0], first, count}, nil, device.Words(uint64(buffer), 0))); err != nil {
			return err
		}
		if err := p.observe(in, tileRange{orders[1], first, count}, nil, device.Words(uint64(buffer), 0)); err != nil {
			return err
		}
	}
	return p.Device.Synchronize()
}
