package shallow

import (
	_ "embed"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
)

//go:embed still.h
var stillSource string

// still tells kernels on GPUs where nothing happens: of each of the three things that stages
// write, water in either place and rates, in which windows of cells it is zero.
type still struct {
	windows [3]device.Address
	// written are the numbers of the stages that wrote them, as far as that is known of
	// water.
	written [2]int32
	// stage is the number of the step's first one, epoch that of the times at which the
	// water was other than that of the step before.
	stage, epoch, cells int32
	begun, euler        bool
}

// rated is the number of the rates among what stages write.
const rated = 2

// prepare makes room.
func (q *still) prepare(d *cuda.Device, w *Water, cells, stride int) (err error) {
	q.cells, q.epoch, q.euler = int32(cells), 1, w.Euler
	if w.Dry {
		q.cells = 0
	}
	for i := range q.windows {
		if q.windows[i], err = d.Room(4*int64(stride/solver.WindowCells+1), nil); err != nil {
			return err
		}
	}
	return nil
}

// words are those of a stage in the n-th step of a cycle.
func (q *still) words(phase, n int) []uint64 {
	list := []uint64{uint64(q.windows[0]), uint64(q.windows[1]), uint64(q.windows[2]), 0, 0, 0, 0}
	q.set(list, phase, n)
	return list
}

// set lets words be those of the step that comes.
func (q *still) set(words []uint64, phase, n int) {
	pair := func(a, b int32) uint64 { return uint64(uint32(a)) | uint64(uint32(b))<<32 }
	stage, to := q.stage, int32(1-n)
	switch {
	case q.euler:
	case phase == firstPhase:
		to = rated
	default:
		stage++
	}
	words[3], words[4] = pair(q.written[0], q.written[1]), pair(q.stage, stage)
	words[5], words[6] = pair(q.epoch, q.cells), pair(int32(n), to)
}

// begin is told of the step that begins, the n-th of a cycle.
func (q *still) begin(steps int64, n int) {
	if q.begun {
		if q.written[n] = q.stage; !q.euler {
			q.written[n]++
		}
	}
	q.stage, q.begun = int32(phases*steps), true
}

// resume is told that the water is not that of the step before.
func (q *still) resume() {
	q.epoch++
	q.begun = false
	q.written = [2]int32{}
}
