package meshfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"carina/geometry/mesh"
	"carina/internal/quantity"
)

// readVTP reads VTK's XML poly data: the polygons and strips of all pieces, with data in
// text, base64 or raw, plain or compressed by zlib. Vertices and lines make no surface.
//
// Source: The VTK User's Guide, "XML File Formats".
func readVTP(data []byte, b *mesh.Builder) (single bool, err error) {
	v := vtpFile{b: b, single: true}
	text, err := v.splitAppended(data)
	if err != nil {
		return false, err
	}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return v.single, v.finish()
		case err != nil && v.appended != nil && len(v.open) <= 1:
			// All that stands before the appended data has been read.
			return v.single, v.finish()
		case err != nil:
			return false, fmt.Errorf("the XML is damaged (%w)", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			err = v.begin(&token)
		case xml.CharData:
			if v.array != nil {
				v.array.text = append(v.array.text, token...)
			}
		case xml.EndElement:
			err = v.end(token.Name.Local)
		}
		if err != nil {
			return false, err
		}
	}
}

// vtpFile reads a file element by element.
type vtpFile struct {
	vtkEncoding
	b      *mesh.Builder
	single bool
	// open are the names of the elements that are open.
	open   []string
	found  bool
	array  *vtkArray
	piece  *vtpPiece
	pieces int
}

// vtpPiece is a part of the mesh, with the arrays of the sections that are read, by the
// section's name and theirs.
type vtpPiece struct {
	counts map[string]int64
	arrays map[[2]string]*vtkArray
}

// mostDeep is how deep elements may lie in each other.
const mostDeep = 32

// begin reads the attributes of an element.
func (v *vtpFile) begin(e *xml.StartElement) error {
	name := e.Name.Local
	within := ""
	if len(v.open) > 0 {
		within = v.open[len(v.open)-1]
	}
	if v.open = append(v.open, name); len(v.open) > mostDeep {
		return errors.New("elements of its XML lie in each other too deep")
	}
	if !v.found && name != "VTKFile" {
		return errors.New("its XML is not VTK's")
	}
	attributes := map[string]string{}
	for _, a := range e.Attr {
		attributes[a.Name.Local] = a.Value
	}
	switch name {
	case "VTKFile":
		if kind := attributes["type"]; kind != "PolyData" {
			return fmt.Errorf("this VTK file holds %s and not the polygons of a surface, PolyData, such as ParaView extracts", clip([]byte(cmp.Or(kind, "nothing that it names"))))
		}
		v.found = true
		return v.declare(attributes)
	case "Piece":
		v.piece = &vtpPiece{map[string]int64{}, map[[2]string]*vtkArray{}}
		for _, what := range []string{"Points", "Polys", "Strips", "Lines", "Verts"} {
			n, err := strconv.ParseInt(cmp.Or(attributes["NumberOf"+what], "0"), 10, 64)
			if err != nil || n < 0 || n > math.MaxInt32 {
				return fmt.Errorf("a piece has NumberOf%s=%q: a whole number up to %d is needed", what, clip([]byte(attributes["NumberOf"+what])), math.MaxInt32)
			}
			v.piece.counts[what] = n
		}
	case "DataArray":
		if v.piece == nil || within != "Points" && within != "Polys" && within != "Strips" {
			return nil
		}
		array, err := v.arrayOf(attributes)
		if err != nil {
			return fmt.Errorf("the array %q of %s: %w", clip([]byte(attributes["Name"])), within, err)
		}
		key := [2]string{within, attributes["Name"]}
		if within == "Points" {
			key[1] = ""
		}
		v.array, v.piece.arrays[key] = array, array
	}
	return nil
}

// end ends an element; a piece is then whole, unless its data are appended.
func (v *vtpFile) end(name string) error {
	if len(v.open) > 0 {
		v.open = v.open[:len(v.open)-1]
	}
	switch name {
	case "DataArray":
		v.array = nil
	case "Piece":
		if v.piece == nil {
			return nil
		}
		piece := v.piece
		v.piece = nil
		v.pieces++
		return v.add(piece)
	}
	return nil
}

// finish refuses a file without a piece.
func (v *vtpFile) finish() error {
	switch {
	case !v.found:
		return errors.New("its XML is not VTK's")
	case v.pieces == 0:
		return errors.New("the file is truncated or empty: it holds no whole piece of poly data")
	}
	return nil
}

// add adds the polygons of a piece.
func (v *vtpFile) add(p *vtpPiece) error {
	if p.counts["Polys"]+p.counts["Strips"] > 0 {
		places, err := v.places(p)
		if err != nil {
			return err
		}
		v.b.Begin("")
		for _, what := range []string{"Polys", "Strips"} {
			if err := v.polygons(p, what, places); err != nil {
				return err
			}
		}
	}
	if passed := p.counts["Lines"] + p.counts["Verts"]; passed > 0 {
		v.b.Note("%s of lines and points passed over, of which no surface is made", quantity.Count(passed, "cell"))
	}
	return nil
}

// places are the points of a piece.
func (v *vtpFile) places(p *vtpPiece) (*points, error) {
	array, n := p.arrays[[2]string{"Points", ""}], p.counts["Points"]
	if array == nil {
		return nil, errors.New("a piece has no array of points")
	}
	if array.components != 3 {
		return nil, fmt.Errorf("points have %d components where 3 are needed", array.components)
	}
	v.single = v.single && (array.kind.float && array.kind.size == 4)
	at, err := array.numbers(&v.vtkEncoding, 3*n)
	if err != nil {
		return nil, fmt.Errorf("the points: %w", err)
	}
	return &points{count: int(n), at: func(i int) [3]float64 { return [3]float64{at(3 * i), at(3*i + 1), at(3*i + 2)} }}, nil
}

// polygons adds the polygons, or the strips of triangles, of a piece.
func (v *vtpFile) polygons(p *vtpPiece, what string, places *points) error {
	n := p.counts[what]
	if n == 0 {
		return nil
	}
	connectivity, offsets := p.arrays[[2]string{what, "connectivity"}], p.arrays[[2]string{what, "offsets"}]
	if connectivity == nil || offsets == nil {
		return fmt.Errorf("%s have no arrays named connectivity and offsets", what)
	}
	ends, err := offsets.numbers(&v.vtkEncoding, n)
	if err != nil {
		return fmt.Errorf("the offsets of %s: %w", what, err)
	}
	corners := ends(int(n - 1))
	if !(corners >= 0 && corners <= math.MaxInt32 && corners == math.Trunc(corners)) {
		return fmt.Errorf("the last offset of %s is %g, which is no number of corners", what, corners)
	}
	numbers, err := connectivity.numbers(&v.vtkEncoding, int64(corners))
	if err != nil {
		return fmt.Errorf("the connectivity of %s: %w", what, err)
	}
	if err := v.b.Reserve(n); err != nil {
		return err
	}
	polygon := make([]int64, 0, 8)
	for i, from := 0, 0.0; i < int(n); i++ {
		to := ends(i)
		if !(to >= from && to <= corners && to == math.Trunc(to)) {
			return fmt.Errorf("offset %d of %s is %g: it must lie between those beside it", i, what, to)
		}
		polygon = polygon[:0]
		for k := int(from); k < int(to); k++ {
			x := numbers(k)
			if !(x >= 0 && x < float64(places.count) && x == math.Trunc(x)) {
				return fmt.Errorf("a corner of %s %d is numbered %g where there are %d points", what, i, x, places.count)
			}
			polygon = append(polygon, int64(x))
		}
		if err := addCell(what, polygon, places, v.b); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// addCell adds a polygon, or the triangles of a strip, every second of which is turned.
func addCell(what string, corners []int64, places *points, b *mesh.Builder) error {
	if what == "Polys" || len(corners) < 3 {
		return places.polygon(b, corners)
	}
	for i := 2; i < len(corners); i++ {
		t := []int64{corners[i-2], corners[i-1], corners[i]}
		if i%2 == 1 {
			slices.Reverse(t)
		}
		if err := places.polygon(b, t); err != nil {
			return err
		}
	}
	return nil
}

// vtkKind is a type of numbers.
type vtkKind struct {
	plyType
	float bool
}

var vtkKinds = map[string]vtkKind{
	"Int8": {plyInt8, false}, "UInt8": {plyUint8, false}, "Int16": {plyInt16, false}, "UInt16": {plyUint16, false},
	"Int32": {plyInt32, false}, "UInt32": {plyUint32, false}, "Float32": {plyFloat32, true}, "Float64": {plyFloat64, true},
	"Int64":  {plyType{8, func(o binary.ByteOrder, d []byte) float64 { return float64(int64(o.Uint64(d))) }, true, math.MinInt64, math.MaxInt64}, false},
	"UInt64": {plyType{8, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint64(d)) }, true, 0, math.MaxUint64}, false},
}
