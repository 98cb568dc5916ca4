package gpu

import (
	"runtime"
	"slices"
	"sort"
	"sync"

	"carina/internal/crash"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// fieldTiles are observed at a time: 64 MiB of cells.
const fieldTiles = 1 << 16

// Fields returns the flow in all own cells.
func (s *bound) Fields() (*airflow.Fields, error) {
	fields := airflow.NewFields(s.layout.Fluid)
	return fields, s.gather(s.observer("fields", fieldsNow), fieldNumbers, s.fieldArguments(0), s.fieldsOf(fields, s.ambient()))
}

// fieldNumbers are pressure and velocity.
const fieldNumbers = 4

// fieldArguments are those of kernel fields beside the buffer: the units, and
// over how many observations the mean is.
func (s *bound) fieldArguments(observations int) [][]uint64 {
	u := s.flow.Units
	return [][]uint64{s.reals(u.Pressure(), u.Velocity()), {uint64(observations)}}
}

// ambient is the pressure, in Pa, to which those on the device are relative.
func (s *bound) ambient() float64 { return s.flow.Ambient(s.steps) }

// fieldsOf stores the numbers of a cell in fields, under an ambient pressure.
func (s *bound) fieldsOf(f *airflow.Fields, ambient float64) func(index int32, cell []float32) {
	return func(index int32, cell []float32) {
		f.Pressure[index] = float32(float64(cell[0]) + ambient)
		for a := range 3 {
			f.Velocity[a][index] = cell[1+a]
		}
	}
}

// gather lets a kernel write so many numbers for every cell and stores them by the
// cells' indices.
func (s *bound) gather(program program, width int, arguments [][]uint64, store func(index int32, cell []float32)) error {
	p := s.part
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	portion := min(len(p.Numbers), fieldTiles)
	cells := make([]float32, portion*tiling.Cells*width)
	buffer, err := p.Device.Allocate(device.SizeOf(cells))
	if err != nil {
		return err
	}
	defer p.Device.Free(buffer)
	index := newTileIndex(s.tiles)
	rates := s.plainRates()
	for first := 0; first < len(p.Numbers); first += portion {
		count := min(portion, len(p.Numbers)-first)
		if err := p.observe(program, tileRange{p.order, first, count}, rates, append(device.Words(uint64(buffer)), arguments...)); err != nil {
			return err
		}
		if err := p.Device.Download(device.BytesOf(cells[:count*tiling.Cells*width]), buffer); err != nil {
			return err
		}
		s.scatter(cells, width, p.Sorted[first:first+count], index, store)
	}
	return nil
}

// tileIndex is the index of every tile in a portion of them, plus one; zero is
// none.
type tileIndex []int32

func newTileIndex(t *tiling.Set) tileIndex { return make(tileIndex, len(t.Position)) }

// scatter hands on the numbers of the cells of some tiles, row by row.
func (s *bound) scatter(cells []float32, width int, tiles []int32, at tileIndex, store func(index int32, cell []float32)) {
	for i, t := range tiles {
		at[t] = int32(i) + 1
	}
	pieces := s.piecesOf(tiles)
	row := func(r *solver.Piece) {
		tile := s.tiles.Find(r.X0/tiling.Side, r.Y/tiling.Side, r.Z/tiling.Side)
		for x := r.X0; x < r.X1; x++ {
			if t := at[tile+x/tiling.Side-r.X0/tiling.Side]; t > 0 {
				c := (int(t-1)*tiling.Cells + tiling.CellBit(x, r.Y, r.Z)) * width
				store(r.Index+x-r.X0, cells[c:c+width])
			}
		}
	}
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for p := range workers {
		all.Go(func() {
			defer crash.Guard()
			for i := len(pieces) * p / workers; i < len(pieces)*(p+1)/workers; i++ {
				row(&pieces[i])
			}
		})
	}
	all.Wait()
	for _, t := range tiles {
		at[t] = 0
	}
}

// piecesOf returns the pieces that some tiles, ordered by z, may hold.
func (s *bound) piecesOf(tiles []int32) []solver.Piece {
	pieces := s.layout.Pieces
	layer := func(z int32) int {
		return sort.Search(len(pieces), func(i int) bool { return pieces[i].Z >= z*tiling.Side })
	}
	return pieces[layer(s.tiles.Position[tiles[0]][2]):layer(s.tiles.Position[tiles[len(tiles)-1]][2]+1)]
}

// FieldsAt returns the flow in some cells. Only the tiles that hold them are
// observed.
func (s *bound) FieldsAt(cells []int32) (*airflow.Fields, error) {
	p := s.part
	fields := airflow.NewFields(len(cells))
	if len(cells) == 0 {
		return fields, nil
	}
	if err := p.Device.Synchronize(); err != nil {
		return nil, err
	}
	list := make([]int32, len(cells)) // index in memory of each cell's tile
	bit := make([]int, len(cells))
	for i, cell := range cells {
		r := s.layout.PieceOf(cell)
		x := r.X0 + cell - r.Index
		number, _ := slices.BinarySearch(p.Sorted, s.tiles.Find(x/tiling.Side, r.Y/tiling.Side, r.Z/tiling.Side))
		list[i], bit[i] = p.Index[number], tiling.CellBit(x, r.Y, r.Z)
	}
	tiles := slices.Clone(list)
	slices.Sort(tiles)
	tiles = slices.Compact(tiles)
	found, err := s.fieldsOfTiles(tiles)
	if err != nil {
		return nil, err
	}
	store := s.fieldsOf(fields, s.ambient())
	for i, tile := range list {
		number, _ := slices.BinarySearch(tiles, tile)
		store(int32(i), found[number*tiling.Cells+bit[i]][:])
	}
	return fields, nil
}

// fieldsOfTiles observes some tiles, by index in memory.
func (s *bound) fieldsOfTiles(tiles []int32) ([][fieldNumbers]float32, error) {
	p := s.part
	cells := make([][fieldNumbers]float32, len(tiles)*tiling.Cells)
	buffer, err := p.Device.Allocate(device.SizeOf(cells))
	if err != nil {
		return nil, err
	}
	defer p.Device.Free(buffer)
	order, err := p.Device.Allocate(device.SizeOf(tiles))
	if err != nil {
		return nil, err
	}
	defer p.Device.Free(order)
	if err := p.Device.Upload(order, device.BytesOf(tiles)); err != nil {
		return nil, err
	}
	if err := p.observe(s.observer("fields", fieldsNow), tileRange{order, 0, len(tiles)}, s.plainRates(), append(device.Words(uint64(buffer)), s.fieldArguments(0)...)); err != nil {
		return nil, err
	}
	return cells, p.Device.Download(device.BytesOf(cells), buffer)
}
