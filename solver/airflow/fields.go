package airflow

import (
	"fmt"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/update"
	"carina/solver/transport"
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

	relative []float32 // to the ambient pressure; nil where it is the same or nobody asks
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
func (r *Rank) Fields() (*Fields, error) { return r.kernel.Fields() }

// Fields returns the flow in all cells.
func (r *bound) Fields() (*Fields, error) { return r.fields(), nil }

// FieldsAt returns the flow in some cells.
func (r *bound) FieldsAt(cells []int32) (*Fields, error) {
	some := newFields(len(cells))
	if len(cells) == 0 {
		return some, nil
	}
	all := r.present()
	for k, from := range all.arrays() {
		for i, cell := range cells {
			some.arrays()[k][i] = from[cell]
		}
	}
	return some, nil
}

// Snapshot copies the fields at once.
func (r *bound) Snapshot() (wait func() (*Fields, error), err error) {
	f := r.fields()
	return func() (*Fields, error) { return f, nil }, nil
}

func (r *bound) fields() *Fields {
	f := newFields(r.layout.Fluid)
	r.fillFields(f)
	return f
}

// fillFields sets the fields of all cells.
func (r *bound) fillFields(f *Fields) {
	r.eachBlock(func(i int, w *update.Workspace) {
		r.eachWindow(int32(i), w, func(p *solver.Piece, cell, lane, count int32, m *kernel.Moments) {
			r.put(f, p.Index+cell-p.Local, lane, count, m)
		})
	})
}

// put sets the fields of some cells, from an index on, to the moments of lanes.
func (r *bound) put(f *Fields, index, lane, count int32, m *kernel.Moments) {
	pressure, velocity := r.units.Pressure(), r.units.Velocity()
	to := f.Pressure[index:][:count]
	for k, density := range m.Density[lane:][:count] {
		to[k] = float32(density*pressure + r.ambientNow)
	}
	if f.relative != nil {
		to := f.relative[index:][:count]
		for k, density := range m.Density[lane:][:count] {
			to[k] = float32(density * pressure)
		}
	}
	for a := range 3 {
		to := f.Velocity[a][index:][:count]
		for k, u := range m.Velocity[a][lane:][:count] {
			to[k] = float32(u * velocity)
		}
	}
}

// Gather collects the fields of all ranks on rank 0, by global cell number; the
// others get nil. Call it on all ranks.
func (r *Rank) Gather() (*Fields, error) {
	own, err := r.Fields()
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return nil, err
	}
	return r.GatherFields(own)
}

// GatherFields is Gather for what Fields has returned.
func (r *Rank) GatherFields(own *Fields) (*Fields, error) {
	t := r.engine.Transport()
	if t.Size() == 1 {
		return own, nil
	}
	var ranges []int64
	for i := range r.layout.Pieces {
		p := &r.layout.Pieces[i]
		ranges = append(ranges, p.Global, int64(p.Cells()))
	}
	if r.Number() != 0 {
		if err := sendFields(t, ranges, own); err != nil {
			return nil, fmt.Errorf("sending the fields of rank %d: %w", r.Number(), err)
		}
		return nil, nil
	}
	all := newFields(int(r.domain.CellCount()))
	scatter(all, own, ranges)
	for rank := 1; rank < t.Size(); rank++ {
		ranges, received, err := receiveFields(t, rank)
		if err != nil {
			return nil, fmt.Errorf("receiving the fields of rank %d: %w", rank, err)
		}
		scatter(all, received, ranges)
	}
	return all, nil
}

// scatter copies the fields of one rank to their global numbers: ranges are first
// cells and numbers of cells in turn.
func scatter(all, own *Fields, ranges []int64) {
	for k, to := range all.arrays() {
		from := own.arrays()[k]
		for i := 0; i < len(ranges); i += 2 {
			from = from[copy(to[ranges[i]:ranges[i]+ranges[i+1]], from):]
		}
	}
}

// sendFields sends fields of cells whose ranges rank 0 does not know.
func sendFields(t transport.Transport, ranges []int64, f *Fields) error {
	lengths := []int64{int64(len(ranges)), int64(len(f.Pressure))}
	messages := [][]byte{bytesOf(lengths), bytesOf(ranges)}
	for _, a := range f.arrays() {
		messages = append(messages, bytesOf(a))
	}
	for _, m := range messages {
		if err := t.Send(0, m); err != nil {
			return err
		}
	}
	return nil
}

// receiveFields receives what sendFields sends.
func receiveFields(t transport.Transport, rank int) (ranges []int64, f *Fields, err error) {
	var lengths [2]int64
	if err := t.Receive(rank, bytesOf(lengths[:])); err != nil {
		return nil, nil, err
	}
	ranges, f = make([]int64, lengths[0]), newFields(int(lengths[1]))
	messages := [][]byte{bytesOf(ranges)}
	for _, a := range f.arrays() {
		messages = append(messages, bytesOf(a))
	}
	for _, m := range messages {
		if err := t.Receive(rank, m); err != nil {
			return nil, nil, err
		}
	}
	return ranges, f, nil
}
