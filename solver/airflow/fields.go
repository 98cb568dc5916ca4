package airflow

import (
	"fmt"
	"unsafe"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/update"
)

// Piece is a row of cells of one rank.
type Piece struct {
	geometry.Run
	// Global is the global number of the first cell.
	Global int64
	// Local is the index of the first cell in the rank's Fields.
	Local int
}

// Pieces returns the cells of this rank, in the order of its Fields.
func (r *Rank) Pieces() []Piece {
	pieces := make([]Piece, len(r.layout.Pieces))
	for i, p := range r.layout.Pieces {
		pieces[i] = Piece{p.Run, p.Global, int(p.Index)}
	}
	return pieces
}

// Fields are what is known of the flow in each cell.
type Fields struct {
	// Pressure is relative to that outside the outlets, in Pa.
	Pressure []float32
	// Velocity has the components x, y and z, in m/s.
	Velocity [3][]float32
}

func newFields(cells int) *Fields {
	f := &Fields{Pressure: make([]float32, cells)}
	for a := range 3 {
		f.Velocity[a] = make([]float32, cells)
	}
	return f
}

// arrays lists the arrays of the fields.
func (f *Fields) arrays() [][]float32 {
	return [][]float32{f.Pressure, f.Velocity[0], f.Velocity[1], f.Velocity[2]}
}

// Fields returns the flow in the rank's own cells.
func (r *Rank) Fields() *Fields {
	f := newFields(r.layout.Fluid)
	pressure, velocity := r.units.Pressure(), r.units.Velocity()
	r.eachBlock(func(i int, w *update.Workspace) {
		r.eachCell(int32(i), w, func(p *solver.Piece, cell int32, density float64, u [3]float64) {
			index := p.Index + cell - p.Local
			f.Pressure[index] = float32(density * pressure)
			for a := range 3 {
				f.Velocity[a][index] = float32(u[a] * velocity)
			}
		})
	})
	return f
}

// Gather collects the fields of all ranks on rank 0, by global cell number;
// the others get nil. Call it on all ranks.
func (r *Rank) Gather() (*Fields, error) {
	own := r.Fields()
	if r.Number() != 0 {
		for _, a := range own.arrays() {
			if len(a) == 0 {
				continue
			}
			if err := r.engine.Transport().Send(0, floatBytes(a)); err != nil {
				return nil, fmt.Errorf("sending the fields of rank %d: %w", r.Number(), err)
			}
		}
		return nil, nil
	}
	pieces, err := r.domain.Pieces(false)
	if err != nil {
		return nil, err
	}
	all := newFields(int(r.domain.Grid.Cells()))
	scatter(all.arrays(), own.arrays(), pieces, 0)
	counts := make([]int, r.domain.Ranks)
	for _, p := range pieces {
		counts[p.Owner] += int(p.Cells())
	}
	for rank := 1; rank < r.domain.Ranks; rank++ {
		received := newFields(counts[rank])
		for _, a := range received.arrays() {
			if len(a) == 0 {
				continue
			}
			if err := r.engine.Transport().Receive(rank, floatBytes(a)); err != nil {
				return nil, fmt.Errorf("receiving the fields of rank %d: %w", rank, err)
			}
		}
		scatter(all.arrays(), received.arrays(), pieces, int32(rank))
	}
	return all, nil
}

// scatter copies the arrays of one rank to their global numbers.
func scatter(all, own [][]float32, pieces []solver.Piece, rank int32) {
	local := int64(0)
	for _, p := range pieces {
		if p.Owner != rank {
			continue
		}
		n := int64(p.Cells())
		for i := range all {
			copy(all[i][p.Global:p.Global+n], own[i][local:])
		}
		local += n
	}
}

func floatBytes(a []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), 4*len(a))
}
