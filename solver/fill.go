package solver

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"carina/internal/parallel"
)

// How many cells are filled at once: as many as lie in a cache or, where it takes time to
// begin, more; one goroutine fills filledInARow of a piece.
const filledCells, filledCellsOfInspectors, filledInARow = 1 << 12, 1 << 15, 1 << 9

// filledApart is how much farther apart than a batch the values of cells lie: each in
// another set of the cache.
const filledApart = 24

// Fill sets the values of a field in all own cells, on any device: f sets those of the
// cell at (x, y, z), which are zero before. It is called side by side.
func (b *Binding) Fill(field int, f func(x, y, z int32, values []float64)) error {
	return b.FillRows(field, func(x, y, z int32, values [][]float64) {
		list := make([]float64, len(values))
		for i := range values[0] {
			clear(list)
			f(x+int32(i), y, z, list)
			for v := range list {
				values[v][i] = list[v]
			}
		}
	})
}

// FillRows is Fill for cells in a row, from (x, y, z) on along x, at once: values[v][i] is
// value v of the i-th of them.
func (b *Binding) FillRows(field int, f func(x, y, z int32, values [][]float64)) error {
	of := b.fields[b.first+field]
	put := put[of.Kind]
	if put == nil {
		return fmt.Errorf("field %q has values of the kind %v, which are not filled from numbers", of.Name, of.Kind)
	}
	if of.Values == 0 {
		return nil
	}
	_, inspects := b.Device.(Inspector)
	most := filledCells
	if inspects {
		most = filledCellsOfInspectors
	}
	most = min(most, max(1, b.Cells))
	workers, size, stride := parallel.New(runtime.GOMAXPROCS(0)), of.Kind.Bytes(), most+filledApart
	cells, values, written := make([]int32, 0, most), make([]float64, of.Values*stride), make([]byte, of.Values*stride*size)
	failures := make([]error, of.Values)
	for from := 0; from < b.Cells; from += most {
		cells = cells[:0]
		var parts []filledPart
		b.EachPiece(int32(from), int32(min(from+most, b.Cells)), func(p *Piece, from, to int32) {
			for ; from < to; from += filledInARow {
				end := min(to, from+filledInARow)
				parts = append(parts, filledPart{p, from, len(cells), int(end - from)})
				for c := from; c < end; c++ {
					cells = append(cells, c)
				}
			}
		})
		clear(values)
		workers.RangesOf(len(parts), 1+len(parts)/64, func(begin, end int) {
			rows := make([][]float64, of.Values)
			for _, p := range parts[begin:end] {
				for v := range rows {
					rows[v] = values[v*stride+p.at:][:p.cells]
				}
				f(p.piece.X0+p.from-p.piece.Local, p.piece.Y, p.piece.Z, rows)
			}
		})
		write := func(v int) {
			s := Segment{Array: b.Array(field) + int32(v), Bytes: size, Cells: cells}
			failures[v] = b.Device.Write(&s, written[v*stride*size:][:len(cells)*size])
		}
		workers.Each(of.Values, func(v int) {
			put(written[v*stride*size:], values[v*stride:][:len(cells)], cmp.Or(of.Scale, 1))
			if !inspects { // or it does one thing after the other
				write(v)
			}
		})
		for v := 0; inspects && v < of.Values; v++ {
			write(v)
		}
		if err := errors.Join(failures...); err != nil {
			return err
		}
	}
	return nil
}

// filledPart is cells of a piece from one on, the at-th and those behind it of a batch.
type filledPart struct {
	piece     *Piece
	from      int32
	at, cells int
}

// put writes scaled values of a kind.
var put = map[Kind]func(list []byte, values []float64, scale float64){
	Float64: putFloats[float64],
	Float32: putFloats[float32],
	Uint8: func(list []byte, values []float64, scale float64) {
		for i, v := range values {
			list[i] = uint8(math.Round(scale * v))
		}
	},
}

func putFloats[T float32 | float64](list []byte, values []float64, scale float64) {
	to := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(list))), len(values))
	for i, v := range values {
		to[i] = T(scale * v)
	}
}

// get reads a value of a kind at a place of a list.
var get = map[Kind]func(list []byte, at int) float64{
	Float64: func(list []byte, at int) float64 { return *(*float64)(unsafe.Pointer(&list[8*at])) },
	Float32: func(list []byte, at int) float64 { return float64(*(*float32)(unsafe.Pointer(&list[4*at]))) },
	Uint8:   func(list []byte, at int) float64 { return float64(list[at]) },
}

// Values returns a value of a field, by its number among those of all physics, in the
// rank's fluid cells by ascending global number, on any device.
func (r *Rank) Values(field, value int) ([]float64, error) {
	of := r.fields[field]
	get := get[of.Kind]
	if get == nil {
		return nil, fmt.Errorf("field %q has values of the kind %v, which are not read as numbers", of.Name, of.Kind)
	}
	if err := r.wait(); err != nil {
		return nil, err
	}
	scale := cmp.Or(of.Scale, 1)
	list := make([]float64, 0, r.layout.Fluid)
	cells, values := make([]int32, 0, filledCellsOfInspectors), make([]byte, filledCellsOfInspectors*of.Kind.Bytes())
	read := func() error {
		s := Segment{Array: r.array(field) + int32(value), Bytes: of.Kind.Bytes(), Cells: cells}
		if err := r.device.Read(&s, values); err != nil {
			return fmt.Errorf("reading field %q: %w", of.Name, err)
		}
		for i := range cells {
			list = append(list, get(values, i)/scale)
		}
		cells = cells[:0]
		return nil
	}
	for i := range r.layout.Pieces {
		p := &r.layout.Pieces[i]
		for c := p.Local; c < p.Local+p.Cells(); c++ {
			if len(cells) == cap(cells) {
				if err := read(); err != nil {
					return nil, err
				}
			}
			cells = append(cells, c)
		}
	}
	return list, read()
}

// Each calls f for the rank's fluid cells by ascending global number, with what slots have
// before the next step, on any device: values are f's until it returns. Slots of
// neighbours are such as the next step reads; of no cell and no wall they are 0.
func (r *Rank) Each(slots []Slot, f func(global int64, values []float64)) error {
	if err := r.wait(); err != nil {
		return err
	}
	s := r.newState(slots)
	for i, kind := range s.kind {
		if get[kind] == nil {
			return fmt.Errorf("field %q has values of the kind %v, which are not read as numbers", r.fields[slots[i].Field].Name, kind)
		}
	}
	finder, err := r.finderOf(s)
	if err != nil {
		return err
	}
	m := r.newRecordsOf(s, finder)
	buffer, values := make([]byte, s.record*int(m.most)), make([]float64, len(slots))
	return m.each(r.layout.Pieces, func(list []stretch, _ int) error {
		clear(buffer)
		if err := m.move(list, buffer, true); err != nil {
			return fmt.Errorf("reading values: %w", err)
		}
		record := buffer
		for k := range list {
			for i := range int64(list[k].count) {
				for v, kind := range s.kind {
					values[v] = get[kind](record, 0) / cmp.Or(r.fields[slots[v].Field].Scale, 1)
					record = record[kind.Bytes():]
				}
				f(list[k].global()+i, values)
			}
		}
		return nil
	})
}
