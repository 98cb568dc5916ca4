package cuda

import (
	"fmt"
	"runtime"
	"sort"
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
	fields := solver.NewFields(int(s.flow.Domain.Grid.Cells()))
	if err := s.synchronize(); err != nil {
		return nil, err
	}
	for _, p := range s.parts {
		if err := s.partFields(p, fields); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// partFields fills in the fields of one part.
func (s *Solver) partFields(p *part, fields *solver.Fields) error {
	n := len(p.tiles)
	portion := min(n, fieldTiles)
	cells := make([][4]float32, portion*tileCells)
	buffer, err := p.device.allocate(sizeOf(cells))
	if err != nil {
		return err
	}
	defer p.device.free(buffer)
	starts := s.flow.Domain.Grid.Starts()
	at := make([]int32, len(s.tiles.position)) // 1 + where the portion has a tile
	for first := 0; first < n; first += portion {
		count := min(portion, n-first)
		if err := p.launchObserve(s.observing(observeFields), first, count, buffer, s.rates); err != nil {
			return err
		}
		if err := p.device.download(bytesOf(cells[:count*tileCells]), buffer); err != nil {
			return err
		}
		tiles := p.sorted[first : first+count]
		for i, t := range tiles {
			at[t] = int32(i) + 1
		}
		s.scatter(fields, starts, cells, tiles, at)
		for _, t := range tiles {
			at[t] = 0
		}
	}
	return nil
}

// scatter copies the cells of some tiles to their places, run by run.
func (s *Solver) scatter(fields *solver.Fields, starts []int64, cells [][4]float32, tiles, at []int32) {
	grid := s.flow.Domain.Grid
	pressure, velocity := float32(s.flow.Units.Pressure()), float32(s.flow.Units.Velocity())
	row := func(i int, r geometry.Run) {
		tile := s.tiles.find(r.X0/tileSide, r.Y/tileSide, r.Z/tileSide)
		for x := r.X0; x < r.X1; x++ {
			t := at[tile+x/tileSide-r.X0/tileSide]
			if t == 0 {
				continue
			}
			c := &cells[int(t-1)*tileCells+cellBit(x, r.Y, r.Z)]
			global := starts[i] + int64(x-r.X0)
			fields.Pressure[global] = c[0] * pressure
			for a := range 3 {
				fields.Velocity[a][global] = c[1+a] * velocity
			}
		}
	}
	from, to := s.runsOf(tiles)
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

// runsOf returns the range of the grid's runs that some tiles, ordered by z,
// may hold.
func (s *Solver) runsOf(tiles []int32) (from, to int) {
	runs := s.flow.Domain.Grid.Runs
	layer := func(z int32) int {
		return sort.Search(len(runs), func(i int) bool { return runs[i].Z >= z*tileSide })
	}
	return layer(s.tiles.position[tiles[0]][2]), layer(s.tiles.position[tiles[len(tiles)-1]][2] + 1)
}
