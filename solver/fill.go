package solver

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"carina/internal/parallel"
)

const (
	// filledCells is how many cells are filled at once, partFilled how many of a piece by
	// one goroutine.
	filledCells = 1 << 15
	partFilled  = 1 << 10
)

// Fill sets the values of a field in all own cells, on any device: f sets those of the
// cell at (x, y, z), which are zero before. It is called side by side.
func (b *Binding) Fill(field int, f func(x, y, z int32, values []float64)) error {
	of := b.fields[b.first+field]
	put := put[of.Kind]
	if put == nil {
		return fmt.Errorf("field %q has values of the kind %v, which are not filled from numbers", of.Name, of.Kind)
	}
	size := of.Kind.Bytes()
	scale := cmp.Or(of.Scale, 1)
	cells, values := make([]int32, 0, filledCells), make([]byte, of.Values*filledCells*size)
	workers := parallel.New(runtime.GOMAXPROCS(0))
	for from := 0; from < b.Cells; from += filledCells {
		to := int32(min(from+filledCells, b.Cells))
		cells = cells[:0]
		var parts []filledPart
		b.EachPiece(int32(from), to, func(p *Piece, from, to int32) {
			for ; from < to; from += partFilled {
				parts = append(parts, filledPart{p, len(cells)})
				for c := from; c < min(to, from+partFilled); c++ {
					cells = append(cells, c)
				}
			}
		})
		n := len(cells)
		workers.RangesOf(len(parts), 1+len(parts)/64, func(begin, end int) {
			list := make([]float64, of.Values)
			for i := begin; i < end; i++ {
				last := n
				if i+1 < len(parts) {
					last = parts[i+1].at
				}
				for at := parts[i].at; at < last; at++ {
					clear(list)
					p := parts[i].piece
					f(p.X0+cells[at]-p.Local, p.Y, p.Z, list)
					for v := range list {
						put(values, v*n+at, scale*list[v])
					}
				}
			}
		})
		for v := range of.Values {
			s := Segment{Array: b.Array(field) + int32(v), Bytes: size, Cells: cells}
			if err := b.Device.Write(&s, values[v*n*size:][:n*size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// filledPart is cells of a piece that are filled from a place on.
type filledPart struct {
	piece *Piece
	at    int
}

// put writes a value of a kind at a place of a list.
var put = map[Kind]func(list []byte, at int, v float64){
	Float64: func(list []byte, at int, v float64) {
		*(*float64)(unsafe.Pointer(&list[8*at])) = v
	},
	Float32: func(list []byte, at int, v float64) {
		*(*float32)(unsafe.Pointer(&list[4*at])) = float32(v)
	},
	Uint8: func(list []byte, at int, v float64) { list[at] = uint8(math.Round(v)) },
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
	cells, values := make([]int32, 0, filledCells), make([]byte, filledCells*of.Kind.Bytes())
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
			if len(cells) == filledCells {
				if err := read(); err != nil {
					return nil, err
				}
			}
			cells = append(cells, c)
		}
	}
	return list, read()
}
