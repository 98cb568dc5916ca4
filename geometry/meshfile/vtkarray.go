package meshfile

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"carina/internal/machine"
	"carina/internal/quantity"

	"github.com/klauspost/compress/zlib"
)

// vtkEncoding is how a VTK file holds its numbers.
type vtkEncoding struct {
	order binary.ByteOrder
	// header is the type of the sizes that stand before the numbers.
	header     plyType
	compressed bool
	// appended is what stands behind the XML, raw or in base64.
	appended []byte
	raw      bool
}

// declare reads the attributes of VTKFile.
func (e *vtkEncoding) declare(attributes map[string]string) error {
	switch order := cmp.Or(attributes["byte_order"], "LittleEndian"); order {
	case "LittleEndian":
		e.order = binary.LittleEndian
	case "BigEndian":
		e.order = binary.BigEndian
	default:
		return fmt.Errorf("the byte order %q is none of LittleEndian and BigEndian", clip([]byte(order)))
	}
	switch kind := cmp.Or(attributes["header_type"], "UInt32"); kind {
	case "UInt32", "UInt64":
		e.header = vtkKinds[kind].plyType
	default:
		return fmt.Errorf("the header type %q is none of UInt32 and UInt64", clip([]byte(kind)))
	}
	switch compressor := attributes["compressor"]; compressor {
	case "":
	case "vtkZLibDataCompressor":
		e.compressed = true
	default:
		return fmt.Errorf("the data are compressed by %s, which is not read: write them compressed by vtkZLibDataCompressor, or not at all", clip([]byte(compressor)))
	}
	return nil
}

// splitAppended cuts what stands behind the XML from it: raw data are none.
func (e *vtkEncoding) splitAppended(data []byte) (text []byte, err error) {
	at := bytes.Index(data, []byte("<AppendedData"))
	if at < 0 {
		return data, nil
	}
	tag, rest, found := bytes.Cut(data[at:], []byte{'>'})
	begin := bytes.TrimLeft(rest[:min(len(rest), 1024)], " \t\r\n")
	if !found || len(begin) == 0 || begin[0] != '_' {
		return nil, errors.New("the appended data do not begin with an underscore, the file is truncated or damaged")
	}
	e.appended = rest[bytes.IndexByte(rest, '_')+1:]
	encoded := bytes.ReplaceAll(tag, []byte{'\''}, []byte{'"'})
	switch {
	case bytes.Contains(encoded, []byte(`"raw"`)):
		e.raw = true
	case !bytes.Contains(encoded, []byte(`"base64"`)):
		return nil, errors.New("the appended data are neither raw nor in base64")
	}
	return data[:at], nil
}

// vtkArray is a DataArray.
type vtkArray struct {
	kind       vtkKind
	components int64
	format     string
	offset     int64
	text       []byte
}

// arrayOf reads the attributes of a DataArray.
func (e *vtkEncoding) arrayOf(attributes map[string]string) (*vtkArray, error) {
	a := &vtkArray{format: cmp.Or(attributes["format"], "ascii")}
	var known bool
	if a.kind, known = vtkKinds[attributes["type"]]; !known {
		return nil, fmt.Errorf("the type %q is unknown", clip([]byte(attributes["type"])))
	}
	var err error
	if a.components, err = strconv.ParseInt(cmp.Or(attributes["NumberOfComponents"], "1"), 10, 32); err != nil {
		return nil, fmt.Errorf("it has %q components", clip([]byte(attributes["NumberOfComponents"])))
	}
	switch a.format {
	case "ascii", "binary":
	case "appended":
		if a.offset, err = strconv.ParseInt(attributes["offset"], 10, 64); err != nil || a.offset < 0 || a.offset > int64(len(e.appended)) {
			return nil, fmt.Errorf("its offset %q lies outside of the appended data of %s, the file is truncated or damaged", clip([]byte(attributes["offset"])), quantity.Count(len(e.appended), "byte"))
		}
	default:
		return nil, fmt.Errorf("the format %q is none of ascii, binary and appended", clip([]byte(a.format)))
	}
	return a, nil
}

// numbers returns the numbers, of which n are needed.
func (a *vtkArray) numbers(e *vtkEncoding, n int64) (func(i int) float64, error) {
	if a.format == "ascii" {
		return a.parse(n)
	}
	var from io.Reader
	switch {
	case a.format == "binary":
		from = &base64Reader{text: bytes.Join(bytes.Fields(a.text), nil)}
	case e.raw:
		from = bytes.NewReader(e.appended[a.offset:])
	default:
		from = &base64Reader{text: e.appended[a.offset:]}
	}
	size := int64(a.kind.size)
	data, err := e.unpack(from, n*size)
	if err != nil {
		return nil, err
	}
	return func(i int) float64 { return a.kind.read(e.order, data[int64(i)*size:]) }, nil
}

// parse reads numbers that are written in digits.
func (a *vtkArray) parse(n int64) (func(i int) float64, error) {
	if n > int64(len(a.text)+1)/2 {
		return nil, fmt.Errorf("%s are declared, more than the file has bytes for", quantity.Count(n, "number"))
	}
	if err := machine.Admit(8 * n); err != nil {
		return nil, err
	}
	values := make([]float64, 0, n)
	for word := range bytes.FieldsSeq(a.text) {
		x, err := quantity.Plain(string(word))
		if err != nil || !a.kind.holds(x) {
			return nil, fmt.Errorf("%q stands where a number of the declared type is needed", clip(word))
		}
		if int64(len(values)) == n {
			return nil, fmt.Errorf("there are more than the %s that are declared", quantity.Count(n, "number"))
		}
		values = append(values, x)
	}
	if int64(len(values)) < n {
		return nil, fmt.Errorf("there are %d numbers of the %d that are declared", len(values), n)
	}
	return func(i int) float64 { return values[i] }, nil
}

// unpack reads so many bytes, which stand behind a header that says how many there are
// and, where they are compressed, in which blocks.
func (e *vtkEncoding) unpack(from io.Reader, want int64) ([]byte, error) {
	first, err := e.sizes(from, 1)
	if err != nil {
		return nil, err
	}
	if !e.compressed {
		if first[0] != want {
			return nil, fmt.Errorf("there are %s where %d are needed", quantity.Count(first[0], "byte"), want)
		}
		return exactly(from, want)
	}
	blocks := first[0]
	if blocks == 0 && want == 0 {
		return nil, nil
	}
	more, err := e.sizes(from, 2)
	if err != nil {
		return nil, err
	}
	block, last := more[0], more[1]
	if last == 0 {
		last = block // no block is cut short
	}
	if blocks < 1 || block < 1 || last < 1 || last > block || blocks-1 > (want-last)/block || (blocks-1)*block+last != want {
		return nil, fmt.Errorf("%s of %d bytes, the last of %d, do not make the %d bytes that are needed", quantity.Count(blocks, "compressed block"), block, last, want)
	}
	packed, err := e.sizes(from, blocks)
	if err != nil {
		return nil, err
	}
	var data []byte
	var growth machine.Growth
	for i, size := range packed {
		full := block
		if i == len(packed)-1 {
			full = last
		}
		part, err := exactly(from, size)
		if err != nil {
			return nil, err
		}
		if err := growth.Admit(int64(len(data)) + full); err != nil {
			return nil, err
		}
		if data, err = inflate(data, part, full); err != nil {
			return nil, fmt.Errorf("compressed block %d is damaged: %w", i+1, err)
		}
	}
	return data, nil
}

// sizes reads so many sizes, each no larger than files are.
func (e *vtkEncoding) sizes(from io.Reader, n int64) ([]int64, error) {
	if n > math.MaxInt64/8 {
		return nil, errTruncatedArray
	}
	data, err := exactly(from, n*int64(e.header.size))
	if err != nil {
		return nil, err
	}
	sizes := make([]int64, n)
	for i := range sizes {
		if sizes[i] = int64(e.header.read(e.order, data[i*e.header.size:])); sizes[i] < 0 || sizes[i] > 1<<50 {
			return nil, errors.New("a size in the header of its data is damaged")
		}
	}
	return sizes, nil
}

var errTruncatedArray = errors.New("the data end too early, the file is truncated or damaged")

// exactly reads so many bytes, and takes no memory for those that are not there.
func exactly(from io.Reader, n int64) ([]byte, error) {
	data, err := machine.ReadAll(io.LimitReader(from, n), 1)
	if err == nil && int64(len(data)) < n {
		err = errTruncatedArray
	}
	return data, err
}

// inflate appends what a block holds.
func inflate(data, part []byte, full int64) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(part))
	if err != nil {
		return nil, err
	}
	whole, err := exactly(io.LimitReader(z, full), full)
	if err != nil {
		return nil, err
	}
	if n, _ := z.Read(make([]byte, 1)); n > 0 {
		return nil, fmt.Errorf("it holds more than %s", quantity.Count(full, "byte"))
	}
	return append(data, whole...), nil
}

// base64Reader decodes base64, in which padding may stand anywhere: headers are encoded
// by themselves.
type base64Reader struct {
	text, ready []byte
}

// Read decodes as much as is wanted, in pieces.
func (r *base64Reader) Read(into []byte) (int, error) {
	for len(r.ready) == 0 {
		const piece, quantum = 4096, 4
		take := min(len(r.text), piece)
		if padding := bytes.IndexByte(r.text[:take], '='); padding >= 0 {
			take = min(take, padding/quantum*quantum+quantum)
		}
		take = take / quantum * quantum
		if take == 0 {
			return 0, io.EOF
		}
		decoded := make([]byte, take/quantum*3)
		n, err := base64.StdEncoding.Decode(decoded, r.text[:take])
		if n == 0 && err != nil {
			return 0, io.EOF // behind the last array
		}
		if err != nil {
			take = len(r.text)
		}
		r.ready, r.text = decoded[:n], r.text[take:]
	}
	n := copy(into, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}
