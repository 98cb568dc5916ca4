package meshfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"carina/geometry/mesh"
	"carina/internal/quantity"
)

// plyType is a type of numbers: its size in bytes and how it is read.
type plyType struct {
	size int
	read func(o binary.ByteOrder, data []byte) float64
	// whole are the type's numbers, from low to high.
	whole     bool
	low, high float64
}

// holds tells whether a number that is written in digits is one of the type.
func (t *plyType) holds(x float64) bool {
	return !t.whole || x == math.Trunc(x) && x >= t.low && x <= t.high
}

var (
	plyInt8    = plyType{1, func(_ binary.ByteOrder, d []byte) float64 { return float64(int8(d[0])) }, true, math.MinInt8, math.MaxInt8}
	plyUint8   = plyType{1, func(_ binary.ByteOrder, d []byte) float64 { return float64(d[0]) }, true, 0, math.MaxUint8}
	plyInt16   = plyType{2, func(o binary.ByteOrder, d []byte) float64 { return float64(int16(o.Uint16(d))) }, true, math.MinInt16, math.MaxInt16}
	plyUint16  = plyType{2, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint16(d)) }, true, 0, math.MaxUint16}
	plyInt32   = plyType{4, func(o binary.ByteOrder, d []byte) float64 { return float64(int32(o.Uint32(d))) }, true, math.MinInt32, math.MaxInt32}
	plyUint32  = plyType{4, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint32(d)) }, true, 0, math.MaxUint32}
	plyFloat32 = plyType{4, func(o binary.ByteOrder, d []byte) float64 { return float64(math.Float32frombits(o.Uint32(d))) }, false, 0, 0}
	plyFloat64 = plyType{8, func(o binary.ByteOrder, d []byte) float64 { return math.Float64frombits(o.Uint64(d)) }, false, 0, 0}
)

var plyTypes = map[string]plyType{
	"char": plyInt8, "int8": plyInt8, "uchar": plyUint8, "uint8": plyUint8, "short": plyInt16, "int16": plyInt16, "ushort": plyUint16, "uint16": plyUint16,
	"int": plyInt32, "int32": plyInt32, "uint": plyUint32, "uint32": plyUint32, "float": plyFloat32, "float32": plyFloat32, "double": plyFloat64, "float64": plyFloat64,
}

// plyProperty is a number of every element of a kind, or a list of them.
type plyProperty struct {
	name   string
	of     plyType
	isList bool
	length plyType
}

// plyElement is a kind of elements, of which there are count.
type plyElement struct {
	name       string
	count      int64
	properties []plyProperty
}

func (e *plyElement) property(names ...string) int {
	return slices.IndexFunc(e.properties, func(p plyProperty) bool { return slices.Contains(names, p.name) })
}

// single tells whether a coordinate has single precision.
func (e *plyElement) single() bool {
	return slices.ContainsFunc([]string{"x", "y", "z"}, func(name string) bool {
		of := e.properties[e.property(name)].of
		return !of.whole && of.size < plyFloat64.size
	})
}

// least is the fewest bytes that an element takes; a number in text has a digit and
// what stands behind it.
func (e *plyElement) least(text bool) int64 {
	var n int64
	for _, p := range e.properties {
		switch {
		case text:
			n += 2
		case p.isList:
			n += int64(p.length.size)
		default:
			n += int64(p.of.size)
		}
	}
	return n
}

// readPLY reads the polygon file format, as text or binary in either order of bytes.
// It takes the elements vertex and face; others are passed over.
//
// Source: G. Turk, The PLY Polygon File Format, 1994.
func readPLY(data []byte, b *mesh.Builder) (single bool, err error) {
	elements, format, body, err := plyHeader(data)
	if err != nil {
		return false, err
	}
	values := &plyValues{body, plyOrders[format]}
	var p points
	single = format != "ascii"
	for i := range elements {
		e := &elements[i]
		if least := e.least(format == "ascii"); least > 0 && e.count > (values.left()+1)/least {
			return false, fmt.Errorf("the header declares %s named %s, more than the file has bytes for", quantity.Count(e.count, "element"), e.name)
		}
		switch e.name {
		case "vertex":
			var places [][3]float64
			if places, err = values.vertices(e); err == nil {
				p = points{at: func(i int) [3]float64 { return places[i] }, count: len(places)}
				single = single && e.single()
			}
		case "face":
			if err = b.Reserve(e.count); err == nil {
				b.Begin("")
				err = values.faces(e, &p, b)
			}
		default:
			b.Note("%s named %s passed over", quantity.Count(e.count, "element"), e.name)
			err = values.each(e, func([]float64, []float64) error { return nil })
		}
		if err != nil {
			return false, err
		}
	}
	if rest := values.left(); rest > 0 && len(b.Mesh.Triangles) > 0 {
		b.Note("ignored: %s behind the last element", quantity.Count(rest, "byte"))
	}
	return single, nil
}

// mostProperties is how many kinds of elements, and properties of each, a header may
// declare.
const mostProperties = 1000

// plyHeader reads the header.
func plyHeader(data []byte) (elements []plyElement, format string, body []byte, err error) {
	line, rest := mesh.CutLine(data)
	if string(bytes.TrimSpace(line)) != "ply" {
		return nil, "", nil, errors.New("it does not begin with the line ply")
	}
	for number := 2; len(rest) > 0; number++ {
		line, rest = mesh.CutLine(rest)
		words := strings.Fields(string(line[:min(len(line), HeadSize)]))
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "comment", "obj_info":
			continue
		case "end_header":
			if format == "" {
				return nil, "", nil, errors.New("the header names no format")
			}
			return elements, format, rest, nil
		case "format":
			if len(words) != 3 || words[2] != "1.0" || !slices.Contains([]string{"ascii", "binary_little_endian", "binary_big_endian"}, words[1]) {
				return nil, "", nil, fmt.Errorf("line %d: %q is no known format: ascii, binary_little_endian and binary_big_endian 1.0 are", number, clip(bytes.TrimSpace(line)))
			}
			if format != "" {
				return nil, "", nil, fmt.Errorf("line %d: the format is named a second time", number)
			}
			format = words[1]
		case "element":
			var e plyElement
			if e, err = plyElementOf(words); err == nil && len(elements) >= mostProperties {
				err = errors.New("there are too many kinds of elements")
			} else if slices.ContainsFunc(elements, func(other plyElement) bool { return other.name == e.name }) && err == nil {
				err = fmt.Errorf("the element %s is declared a second time", e.name)
			}
			elements = append(elements, e)
		case "property":
			err = errors.New("a property stands before any element")
			if len(elements) > 0 {
				err = elements[len(elements)-1].declare(words)
			}
		default:
			err = fmt.Errorf("%q is no statement of a PLY header", clip([]byte(words[0])))
		}
		if err != nil {
			return nil, "", nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return nil, "", nil, errors.New("the file ends before end_header")
}

func plyElementOf(words []string) (plyElement, error) {
	if len(words) == 3 {
		if n, err := strconv.ParseInt(words[2], 10, 64); err == nil && n >= 0 && n <= math.MaxInt32 {
			return plyElement{name: clip([]byte(words[1])), count: n}, nil
		}
	}
	return plyElement{}, fmt.Errorf("an element needs a name and how many there are, up to %d", math.MaxInt32)
}

// declare adds a property.
func (e *plyElement) declare(words []string) error {
	if len(e.properties) >= mostProperties {
		return errors.New("there are too many properties")
	}
	p := plyProperty{name: words[len(words)-1]}
	var known, counts bool
	switch {
	case len(words) == 3:
		p.of, known = plyTypes[words[1]]
		counts = true
	case len(words) == 5 && words[1] == "list":
		p.isList = true
		p.of, known = plyTypes[words[3]]
		p.length, counts = plyTypes[words[2]]
		counts = counts && p.length.whole
	}
	if !known || !counts {
		return fmt.Errorf("%q is no property: it needs a type such as float, or a list with the types of its length and numbers, and a name", clip([]byte(strings.Join(words, " "))))
	}
	if e.property(p.name) >= 0 {
		return fmt.Errorf("the property %s of %s is declared a second time", clip([]byte(p.name)), e.name)
	}
	e.properties = append(e.properties, p)
	return nil
}
