package vtk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"

	"carina/internal/crash"

	"github.com/klauspost/compress/zlib"
)

// blockSize is the number of bytes compressed together.
const blockSize = 1 << 20

// dataArray describes one DataArray of a VTK XML file.
type dataArray struct {
	name       string
	kind       string // VTK's name of the type
	components int
	tuples     int64
	fill       func(w *blockWriter)
}

var sizeOf = map[string]int64{"UInt8": 1, "UInt16": 2, "Int32": 4, "Int64": 8, "Float32": 4, "Float64": 8}

func (a *dataArray) bytes() int64 {
	return a.tuples * int64(a.components) * sizeOf[a.kind]
}

// section is one XML element that holds data arrays. tag is its name and
// attributes, such as `CellData Scalars="pressure"`.
type section struct {
	tag    string
	arrays []dataArray
}

// writeAppended writes a VTK XML file of one piece with all data arrays as
// compressed raw blocks behind the XML. grid is the name of the grid's element and its
// attributes, head the piece's opening tag.
// The format is described in the VTK User's Guide, "XML File Formats".
func writeAppended(f file, grid, head string, field string, sections []section) error {
	const offsetWidth = len(`offset="9223372036854775807"`)
	var xml bytes.Buffer
	var holes []int
	kind, _, _ := strings.Cut(grid, " ")
	fmt.Fprintf(&xml, "<?xml version=\"1.0\"?>\n<VTKFile type=%q version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<%s>\n%s%s\n", kind, grid, field, head)
	for _, s := range sections {
		fmt.Fprintf(&xml, "<%s>\n", s.tag)
		for _, a := range s.arrays {
			fmt.Fprintf(&xml, "<DataArray type=%q Name=%q NumberOfComponents=\"%d\" format=\"appended\" ", a.kind, a.name, a.components)
			holes = append(holes, xml.Len())
			xml.WriteString(strings.Repeat(" ", offsetWidth) + "/>\n")
		}
		name, _, _ := strings.Cut(s.tag, " ")
		fmt.Fprintf(&xml, "</%s>\n", name)
	}
	fmt.Fprintf(&xml, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", kind)
	if _, err := f.Write(xml.Bytes()); err != nil {
		return err
	}
	w := newBlockWriter(f, int64(xml.Len()))
	base, hole := w.at, 0
	for _, s := range sections {
		for _, a := range s.arrays {
			offset := fmt.Sprintf("offset=\"%d\"", w.at-base)
			if _, err := f.WriteAt([]byte(offset), int64(holes[hole])); err != nil {
				return err
			}
			hole++
			if err := w.array(&a); err != nil {
				return fmt.Errorf("data array %s: %w", a.name, err)
			}
		}
	}
	_, err := f.WriteAt([]byte("\n</AppendedData>\n</VTKFile>\n"), w.at)
	return err
}

// blockWriter writes the blocks of one data array after another. Blocks are
// compressed in the background and written in order.
type blockWriter struct {
	f      file
	at     int64 // file position of the next block
	header []byte
	// ring holds the blocks that are being compressed, the oldest at next,
	// behind them the one being filled.
	ring       []*block
	next, busy int
	filling    *block
	spent      int64 // bytes taken so far
	largest    int64 // bytes of a block of the array being written
	err        error
}

// block is bytes on their way into the file; its buffers are used again.
type block struct {
	raw    []byte
	packed bytes.Buffer
	done   chan error
}

// packers compress blocks, of one file after another.
var packers = sync.Pool{New: func() any {
	z, err := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	if err != nil {
		panic(err) // there is that level
	}
	return z
}}

func newBlockWriter(f file, at int64) *blockWriter {
	w := &blockWriter{f: f, at: at, ring: make([]*block, 2*runtime.GOMAXPROCS(0)+1)}
	for i := range w.ring {
		w.ring[i] = &block{done: make(chan error, 1)}
	}
	w.filling = w.ring[0]
	return w
}

// array writes the header and blocks of a.
func (w *blockWriter) array(a *dataArray) error {
	size := a.bytes()
	blocks := (size + blockSize - 1) / blockSize
	header := w.at
	w.header = binary.LittleEndian.AppendUint64(w.header[:0], uint64(blocks))
	w.header = binary.LittleEndian.AppendUint64(w.header, blockSize)
	w.header = binary.LittleEndian.AppendUint64(w.header, uint64(size%blockSize))
	w.at += int64(len(w.header)) + 8*blocks
	w.spent = 0
	w.largest = min(size, blockSize)
	a.fill(w)
	if len(w.filling.raw) > 0 {
		w.compress()
	}
	for w.busy > 0 {
		w.collect()
	}
	if w.err != nil {
		return w.err
	}
	if w.spent != size {
		return fmt.Errorf("%d bytes expected, %d given", size, w.spent)
	}
	_, err := w.f.WriteAt(w.header, header)
	return err
}

// room returns the block being filled, with space for n more bytes.
func (w *blockWriter) room(n int) *[]byte {
	if len(w.filling.raw)+n > blockSize {
		w.compress()
	}
	if int64(cap(w.filling.raw)) < w.largest {
		w.filling.raw = make([]byte, 0, w.largest)
	}
	return &w.filling.raw
}

// compress starts to compress the block being filled and makes sure that
// there is another one to fill.
func (w *blockWriter) compress() {
	b := w.filling
	w.spent += int64(len(b.raw))
	w.busy++
	w.filling = w.ring[(w.next+w.busy)%len(w.ring)]
	go func() {
		defer crash.Guard()
		b.done <- b.compress()
	}()
	if w.busy == len(w.ring) {
		w.collect()
	}
}

func (b *block) compress() error {
	b.packed.Reset()
	z := packers.Get().(*zlib.Writer)
	defer packers.Put(z)
	z.Reset(&b.packed)
	if _, err := z.Write(b.raw); err != nil {
		return err
	}
	return z.Close()
}

// collect writes the oldest block when it is compressed. After a failure
// nothing more is written.
func (w *blockWriter) collect() {
	b := w.ring[w.next]
	w.next = (w.next + 1) % len(w.ring)
	w.busy--
	err := <-b.done
	if w.err == nil && err == nil {
		_, err = w.f.WriteAt(b.packed.Bytes(), w.at)
		w.at += int64(b.packed.Len())
		w.header = binary.LittleEndian.AppendUint64(w.header, uint64(b.packed.Len()))
	}
	if w.err == nil {
		w.err = err
	}
	b.raw = b.raw[:0]
}

// The element sizes divide blockSize, so no value straddles two blocks.

func (w *blockWriter) uint8(v uint8) { b := w.room(1); *b = append(*b, v) }

func (w *blockWriter) int32(v int32) {
	b := w.room(4)
	*b = binary.LittleEndian.AppendUint32(*b, uint32(v))
}

func (w *blockWriter) int64(v int64) {
	b := w.room(8)
	*b = binary.LittleEndian.AppendUint64(*b, uint64(v))
}

func (w *blockWriter) float32(v float32) { w.int32(int32(math.Float32bits(v))) }

func (w *blockWriter) float64(v float64) { w.int64(int64(math.Float64bits(v))) }

// index writes v as Int64 if wide, as Int32 otherwise.
func (w *blockWriter) index(v int64, wide bool) {
	if wide {
		w.int64(v)
	} else {
		w.int32(int32(v))
	}
}
