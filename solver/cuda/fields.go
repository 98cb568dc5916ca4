package cuda

import (
	"runtime"
	"sort"
	"sync"

	"carina/geometry"
	"carina/internal/crash"
	"carina/solver/airflow"
)

// fieldTiles are observed at a time: 64 MiB of cells.
const fieldTiles = 1 << 16

// Fields returns the flow in all cells by global number, after an even step.
func (s *Solver) Fields() (*airflow.Fields, error) {
	fields := airflow.NewFields(int(s.flow.Domain.Grid.Cells()))
	err := s.gather(s.observer("fields", fieldsNow), fieldNumbers, s.fieldArguments(0), fieldsOf(fields))
	if err != nil {
		return nil, err
	}
	return fields, nil
}

// fieldNumbers are pressure and velocity.
const fieldNumbers = 4

// fieldArguments are those of kernel fields beside the buffer: the units, and
// over how many observations the mean is.
func (s *Solver) fieldArguments(observations int) [][]uint64 {
	u := s.flow.Units
	return [][]uint64{s.reals(u.Pressure(), u.Velocity()), {uint64(observations)}}
}

// fieldsOf stores the numbers of a cell in fields.
func fieldsOf(f *airflow.Fields) func(global int64, cell []float32) {
	return func(global int64, cell []float32) {
		f.Pressure[global] = cell[0]
		for a := range 3 {
			f.Velocity[a][global] = cell[1+a]
		}
	}
}

// gather lets a kernel write so many numbers for every cell and stores them by
// global number.
func (s *Solver) gather(program program, width int, arguments [][]uint64, store func(global int64, cell []float32)) error {
	if err := s.requireComplete(); err != nil {
		return err
	}
	rates := s.plainRates()
	for _, p := range s.parts {
		err := s.eachPortion(p, width, func(buffer address, tiles tileRange) error {
			return p.observe(program, tiles, rates, append(words(uint64(buffer)), arguments...))
		}, store)
		if err != nil {
			return err
		}
	}
	return nil
}

// eachPortion downloads numbers of the cells of a part that are computed
// portion by portion.
func (s *Solver) eachPortion(p *part, width int, compute func(buffer address, tiles tileRange) error, store func(global int64, cell []float32)) error {
	portion := min(len(p.tiles), fieldTiles)
	cells := make([]float32, portion*tileCells*width)
	buffer, err := p.device.allocate(sizeOf(cells))
	if err != nil {
		return err
	}
	defer p.device.free(buffer)
	index := newTileIndex(s.tiles)
	for first := 0; first < len(p.tiles); first += portion {
		count := min(portion, len(p.tiles)-first)
		if err := compute(buffer, tileRange{p.order, first, count}); err != nil {
			return err
		}
		if err := p.device.download(bytesOf(cells[:count*tileCells*width]), buffer); err != nil {
			return err
		}
		s.scatter(cells, width, p.sorted[first:first+count], index, store)
	}
	return nil
}

// tileIndex is the index of every tile in a portion of them, plus one; zero is
// none.
type tileIndex []int32

func newTileIndex(t *tileSet) tileIndex { return make(tileIndex, len(t.position)) }

// scatter hands on the numbers of the cells of some tiles, run by run.
func (s *Solver) scatter(cells []float32, width int, tiles []int32, at tileIndex, store func(global int64, cell []float32)) {
	for i, t := range tiles {
		at[t] = int32(i) + 1
	}
	grid := s.flow.Domain.Grid
	from, to := s.runsOf(tiles)
	row := func(r geometry.Run, global int64) {
		tile := s.tiles.find(r.X0/tileSide, r.Y/tileSide, r.Z/tileSide)
		for x := r.X0; x < r.X1; x++ {
			if t := at[tile+x/tileSide-r.X0/tileSide]; t > 0 {
				c := (int(t-1)*tileCells + cellBit(x, r.Y, r.Z)) * width
				store(global+int64(x-r.X0), cells[c:c+width])
			}
		}
	}
	workers := runtime.GOMAXPROCS(0)
	starts := s.starts()
	var all sync.WaitGroup
	for p := range workers {
		all.Go(func() {
			defer crash.Guard()
			for i := from + (to-from)*p/workers; i < from+(to-from)*(p+1)/workers; i++ {
				row(grid.Runs[i], starts[i])
			}
		})
	}
	all.Wait()
	for _, t := range tiles {
		at[t] = 0
	}
}

// starts are the global numbers of the runs' first cells.
func (s *Solver) starts() []int64 {
	if s.runStarts == nil {
		s.runStarts = s.flow.Domain.Grid.Starts()
	}
	return s.runStarts
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
