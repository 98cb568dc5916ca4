package gpu

import (
	"math/bits"
	"slices"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/tiling"
	"carina/solver/transport"
)

// Records that come portion by portion, each cell where the device is told, lie in the end
// in the order of the cells' numbers: of all cells, and of those of every third tile.
func TestRecordsComeSorted(t *testing.T) {
	devicetest.BesideOthers(t)
	domain := bricked(t, 4, 2, 7)
	open := devicetest.Reaching(t)
	backend := func(int) airflow.Backend {
		return BackendOn(func(tr transport.Transport) (device.Device, error) { return open(tr.Rank()) }, Options{})
	}
	onBackends(t, domain, caveSettings(domain.Grid), backend, func(r *airflow.Rank) error {
		s := r.Kernel().(*bound)
		var third []solver.CellRange
		s.layout.EachCell(func(cell, x, y, z int32) {
			if s.tiles.Find(x/tiling.Side, y/tiling.Side, z/tiling.Side)%3 != 0 {
				return
			}
			p := s.layout.PieceOf(cell)
			third = append(third, solver.CellRange{First: p.Global + int64(x-p.X0), Count: 1})
		})
		for _, cells := range [][]solver.CellRange{nil, third} {
			for _, most := range []int{1, 7, 1 << 20} {
				compareSorted(t, s, cells, most)
			}
		}
		return nil
	})
}

// compareSorted sorts records that are the global numbers of cells.
func compareSorted(t *testing.T, s *bound, cells []solver.CellRange, most int) {
	t.Helper()
	var want []int64
	wanted := cells
	if wanted == nil {
		wanted = s.layout.Ranges()
	}
	for _, p := range s.layout.Cut(wanted) {
		for i := range p.Cells() {
			want = append(want, p.Global+int64(i))
		}
	}
	o := s.sort(cells, most)
	if most == 1 && len(o.portions) < 3 {
		t.Errorf("%d portions", len(o.portions))
	}
	got := make([]int64, len(want))
	for i := range o.portions {
		q := &o.portions[i]
		records := make([]int64, q.cells)
		for k, at := range o.tiles[q.first : q.first+q.tiles] {
			number := s.part.Numbers[at]
			fluid, position := s.tiles.Fluid[number], s.tiles.Position[number]
			for cell := range tiling.Cells {
				if fluid>>cell&1 == 0 {
					continue
				}
				row := cell % rowsOfTile
				before := bits.OnesCount64(fluid & (0x0001000100010001 << row) & (1<<cell - 1))
				x, y, z := position[0]*tiling.Side+int32(cell>>4), position[1]*tiling.Side+int32(cell>>2&3), position[2]*tiling.Side+int32(cell&3)
				records[int(o.starts[(q.first+k)*rowsOfTile+row])+before] = s.cellNumber(x, y, z)
			}
		}
		for _, part := range o.parts(q, 1) {
			copy(got[part.to:part.to+part.bytes], records[part.from:])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("rank %d, %d cells in portions of %d tiles come in another order", s.layout.Rank, len(want), most)
	}
}
