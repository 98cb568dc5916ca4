package meshfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"carina/geometry/mesh"
	"carina/internal/machine"
	"carina/internal/quantity"
)

// plyValues are the numbers behind a PLY header, in binary or, where order is nil, in
// text.
type plyValues struct {
	data  []byte
	order binary.ByteOrder
}

// plyOrders are the orders of bytes by their formats.
var plyOrders = map[string]binary.ByteOrder{"binary_little_endian": binary.LittleEndian, "binary_big_endian": binary.BigEndian}

// left is how many bytes have not been read.
func (v *plyValues) left() int64 {
	if v.order == nil {
		v.data = bytes.TrimLeft(v.data, " \t\r\n")
	}
	return int64(len(v.data))
}

var errPLYEnds = errors.New("the file ends within its elements, it is truncated")

// next reads a number.
func (v *plyValues) next(of plyType) (float64, error) {
	if v.order != nil {
		if len(v.data) < of.size {
			return 0, errPLYEnds
		}
		x := of.read(v.order, v.data)
		v.data = v.data[of.size:]
		return x, nil
	}
	if v.left() == 0 {
		return 0, errPLYEnds
	}
	end := bytes.IndexAny(v.data, " \t\r\n")
	if end < 0 {
		end = len(v.data)
	}
	word := v.data[:end]
	v.data = v.data[end:]
	x, err := quantity.Plain(string(word))
	if err != nil || !of.holds(x) {
		return 0, fmt.Errorf("%q stands where a number of the declared type is needed", clip(word))
	}
	return x, nil
}

// each reads all elements of a kind: use gets the numbers, in the order of the
// properties that are no lists, and the list of the property that is wanted, if any.
func (v *plyValues) each(e *plyElement, use func(numbers, list []float64) error) error {
	numbers := make([]float64, 0, len(e.properties))
	var list []float64
	wanted := e.property("vertex_indices", "vertex_index")
	for range e.count {
		if len(e.properties) == 0 {
			return nil
		}
		numbers = numbers[:0]
		for i, p := range e.properties {
			if !p.isList {
				x, err := v.next(p.of)
				if err != nil {
					return err
				}
				numbers = append(numbers, x)
				continue
			}
			length, err := v.next(p.length)
			if err != nil {
				return err
			}
			if length < 0 || length > float64(v.left()) {
				return fmt.Errorf("a list of %s declares %g numbers, more than the file has bytes for", e.name, length)
			}
			if i == wanted {
				list = list[:0]
			}
			for range int64(length) {
				x, err := v.next(p.of)
				if err != nil {
					return err
				}
				if i == wanted {
					list = append(list, x)
				}
			}
		}
		if err := use(numbers, list); err != nil {
			return err
		}
	}
	return nil
}

// vertices reads all places.
func (v *plyValues) vertices(e *plyElement) ([][3]float64, error) {
	var at [3]int
	for axis, name := range []string{"x", "y", "z"} {
		property := e.property(name)
		if property < 0 || e.properties[property].isList {
			return nil, fmt.Errorf("the vertices have no number %s", name)
		}
		for _, p := range e.properties[:property] {
			if !p.isList {
				at[axis]++
			}
		}
	}
	if err := machine.Admit(e.count * int64(unsafe.Sizeof([3]float64{}))); err != nil {
		return nil, err
	}
	places := make([][3]float64, 0, e.count)
	err := v.each(e, func(numbers, _ []float64) error {
		places = append(places, [3]float64{numbers[at[0]], numbers[at[1]], numbers[at[2]]})
		return nil
	})
	return places, err
}

// faces reads all polygons.
func (v *plyValues) faces(e *plyElement, p *points, b *mesh.Builder) error {
	wanted := e.property("vertex_indices", "vertex_index")
	if wanted < 0 || !e.properties[wanted].isList {
		return errors.New("the faces have no list named vertex_indices or vertex_index")
	}
	if p.count == 0 {
		return errors.New("there are no vertices before the faces")
	}
	corners := make([]int64, 0, 8)
	return v.each(e, func(_, list []float64) error {
		corners = corners[:0]
		for _, x := range list {
			if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
				return fmt.Errorf("polygon behind triangle %d has a corner numbered %g", len(b.Mesh.Triangles), x)
			}
			corners = append(corners, int64(x))
		}
		return p.polygon(b, corners)
	})
}
