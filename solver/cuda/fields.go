package cuda

import (
	"fmt"
	"runtime"
	"sync"

	"carina/geometry"
	"carina/solver"
)

// fieldTiles are observed at a time: 64 MiB of cells.
const fieldTiles = 1 << 16

// Fields returns the flow in all cells by global number, after an even step.
func (s *Solver) Fields() (*solver.Fields, error) {
	if s.steps%2 == 1 {
		return nil, fmt.Errorf("fields were asked for after %d steps; only after an even number is the flow complete", s.steps)
	}
	n := len(s.tiles.position)
	portion := min(n, fieldTiles)
	cells := make([][4]float32, portion*tileCells)
	buffer, err := s.device.allocate(sizeOf(cells))
	if err != nil {
		return nil, err
	}
	defer s.device.free(buffer)
	fields := solver.NewFields(int(s.flow.Domain.Grid.Cells()))
	starts := s.flow.Domain.Grid.Starts()
	for first := 0; first < n; first += portion {
		count := min(portion, n-first)
		if err := s.observeTiles(observeFields, first, count, buffer); err != nil {
			return nil, err
		}
		if err := s.device.download(bytesOf(cells[:count*tileCells]), buffer); err != nil {
			return nil, err
		}
		s.scatter(fields, starts, cells, int32(first), int32(count))
	}
	return fields, nil
}

// scatter copies the cells of some tiles to their places, run by run.
func (s *Solver) scatter(fields *solver.Fields, starts []int64, cells [][4]float32, first, count int32) {
	grid := s.flow.Domain.Grid
	pressure, velocity := float32(s.flow.Units.Pressure()), float32(s.flow.Units.Velocity())
	row := func(i int, r geometry.Run) {
		tile := s.tiles.find(r.X0/tileSide, r.Y/tileSide, r.Z/tileSide)
		for x := r.X0; x < r.X1; x++ {
			t := tile + x/tileSide - r.X0/tileSide - first
			if t < 0 || t >= count {
				continue
			}
			c := &cells[int(t)*tileCells+cellBit(x, r.Y, r.Z)]
			global := starts[i] + int64(x-r.X0)
			fields.Pressure[global] = c[0] * pressure
			for a := range 3 {
				fields.Velocity[a][global] = c[1+a] * velocity
			}
		}
	}
	from, to := s.runsOf(first, count)
	parts := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for p := range parts {
		all.Go(func() {
			for i := from + (to-from)*p/parts; i < from+(to-from)*(p+1)/parts; i++ {
				row(i, grid.Runs[i])
			}
		})
	}
	all.Wait()
}

// runsOf returns the range of the grid's runs that some tiles, which are
// ordered by z, may hold.
func (s *Solver) runsOf(first, count int32) (from, to int) {
	runs := s.flow.Domain.Grid.Runs
	low := s.tiles.position[first][2] * tileSide
	high := (s.tiles.position[first+count-1][2] + 1) * tileSide
	for from < len(runs) && runs[from].Z < low {
		from++
	}
	for to = from; to < len(runs) && runs[to].Z < high; to++ {
	}
	return from, to
}
