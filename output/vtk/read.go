package vtk

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"carina/output"

	"github.com/klauspost/compress/zlib"
)

// Cell is one of a file: its place in the frame and the flow there.
type Cell struct {
	X, Y, Z  int32
	Pressure float32
	Velocity [3]float32
}

// ReadPieces reads the cells of all pieces of a file that WritePVTU has written.
func ReadPieces(path string, frame output.Frame, each func(Cell) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading fields: %w", err)
	}
	var file struct {
		Pieces []struct {
			Source string `xml:"Source,attr"`
		} `xml:"PUnstructuredGrid>Piece"`
	}
	if err := xml.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("reading the fields %s: %w", path, errOther)
	}
	for _, piece := range file.Pieces {
		if err := ReadCells(filepath.Join(filepath.Dir(path), filepath.FromSlash(piece.Source)), frame, each); err != nil {
			return err
		}
	}
	return nil
}

// ReadCells reads the cells of a file that WriteVTU has written in a frame, in the order of
// the piece. It holds no more than a block of each array.
func ReadCells(path string, frame output.Frame, each func(Cell) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading fields: %w", err)
	}
	defer file.Close()
	if err := readCells(file, frame, each); err != nil {
		return fmt.Errorf("reading the fields %s: %w", path, err)
	}
	return nil
}

// errOther is of a file that WriteVTU has not written so.
var errOther = errors.New("the file is damaged, or no program of this kind has written it")

func readCells(file io.ReaderAt, frame output.Frame, each func(Cell) error) error {
	cells, arrays, err := openArrays(file)
	if err != nil {
		return err
	}
	points, corners, pressure, velocity := arrays["points"], arrays["connectivity"], arrays["pressure"], arrays["velocity"]
	if points == nil || corners == nil || pressure == nil || velocity == nil {
		return errOther
	}
	// The first corners of cells ascend as points do.
	point, at := int64(-1), [3]float64{}
	for range cells {
		first, err := corners.number()
		if err == nil {
			err = corners.skip(7)
		}
		if err != nil {
			return err
		}
		for ; point < int64(first); point++ {
			for axis := range at {
				if at[axis], err = points.number(); err != nil {
					return err
				}
			}
		}
		var c Cell
		if c.X, c.Y, c.Z, err = placeOf(frame, at); err != nil {
			return err
		}
		for _, v := range []struct {
			from *blockReader
			into *float32
		}{{pressure, &c.Pressure}, {velocity, &c.Velocity[0]}, {velocity, &c.Velocity[1]}, {velocity, &c.Velocity[2]}} {
			x, err := v.from.number()
			if err != nil {
				return err
			}
			*v.into = float32(x)
		}
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}

// placeOf is the cell of a frame that has its lowest corner at a point.
func placeOf(f output.Frame, at [3]float64) (x, y, z int32, err error) {
	var place [3]int32
	for axis, origin := range [3]float64{f.Origin.X, f.Origin.Y, f.Origin.Z} {
		cells := math.Round((at[axis] - origin) / f.Spacing)
		if !(cells >= 0 && cells < float64(f.Size[axis])) {
			return 0, 0, 0, errors.New("a cell lies outside of the grid: the fields are of another one")
		}
		place[axis] = int32(cells)
	}
	return place[0], place[1], place[2], nil
}

// openArrays reads what stands before the data: how many cells there are, and where arrays
// begin.
func openArrays(file io.ReaderAt) (cells int64, arrays map[string]*blockReader, err error) {
	const longest = 1 << 16
	head := make([]byte, longest)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, err
	}
	before, _, found := bytes.Cut(head[:n], []byte("<AppendedData encoding=\"raw\">\n_"))
	if !found {
		return 0, nil, errOther
	}
	base := int64(len(before) + len("<AppendedData encoding=\"raw\">\n_"))
	var header struct {
		Piece struct {
			Cells int64 `xml:"NumberOfCells,attr"`
			Parts []struct {
				Arrays []struct {
					Kind   string `xml:"type,attr"`
					Name   string `xml:"Name,attr"`
					Offset int64  `xml:"offset,attr"`
				} `xml:"DataArray"`
			} `xml:",any"`
		} `xml:"UnstructuredGrid>Piece"`
	}
	if err := xml.Unmarshal(append(bytes.Clone(before), "</VTKFile>"...), &header); err != nil {
		return 0, nil, errOther
	}
	arrays = map[string]*blockReader{}
	for _, part := range header.Piece.Parts {
		for _, a := range part.Arrays {
			r := &blockReader{file: file, kind: a.Kind, size: int(sizeOf[a.Kind])}
			if r.size == 0 || a.Offset < 0 {
				return 0, nil, errOther
			}
			if err := r.open(base + a.Offset); err != nil {
				return 0, nil, err
			}
			arrays[a.Name] = r
		}
	}
	return header.Piece.Cells, arrays, nil
}

// blockReader reads the numbers of an array as blockWriter writes them.
type blockReader struct {
	file io.ReaderAt
	kind string
	size int // of a number
	// next is where the next of the packed blocks begins, whose sizes follow.
	next   int64
	packed []int64
	full   int64 // size of a block
	raw    []byte
	left   []byte // of raw
	z      io.ReadCloser
}

func (r *blockReader) open(at int64) error {
	word := func(i int64) (int64, error) {
		var data [8]byte
		if _, err := r.file.ReadAt(data[:], at+8*i); err != nil {
			return 0, errOther
		}
		return int64(binary.LittleEndian.Uint64(data[:])), nil
	}
	blocks, err := word(0)
	if err != nil {
		return err
	}
	const most = 1 << 24
	if r.full, err = word(1); err != nil || blocks < 0 || blocks > most || r.full != blockSize {
		return errOther
	}
	for i := range blocks {
		size, err := word(3 + i)
		if err != nil || size <= 0 || size > 2*blockSize {
			return errOther
		}
		r.packed = append(r.packed, size)
	}
	r.next = at + 8*(3+blocks)
	return nil
}

// fetch unpacks the next block.
func (r *blockReader) fetch() error {
	if len(r.packed) == 0 {
		return errOther
	}
	section := io.NewSectionReader(r.file, r.next, r.packed[0])
	r.next, r.packed = r.next+r.packed[0], r.packed[1:]
	var err error
	if r.z == nil {
		r.z, err = zlib.NewReader(section)
	} else {
		err = r.z.(zlib.Resetter).Reset(section, nil)
	}
	if err != nil {
		return errOther
	}
	if r.raw == nil {
		r.raw = make([]byte, r.full)
	}
	n, err := io.ReadFull(r.z, r.raw)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || n == 0 || n%r.size != 0 {
		return errOther
	}
	r.left = r.raw[:n]
	return nil
}

// number reads one.
func (r *blockReader) number() (float64, error) {
	if len(r.left) == 0 {
		if err := r.fetch(); err != nil {
			return 0, err
		}
	}
	data := r.left[:r.size]
	r.left = r.left[r.size:]
	switch r.kind {
	case "Float32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data))), nil
	case "Float64":
		return math.Float64frombits(binary.LittleEndian.Uint64(data)), nil
	case "Int32":
		return float64(int32(binary.LittleEndian.Uint32(data))), nil
	case "Int64":
		return float64(int64(binary.LittleEndian.Uint64(data))), nil
	}
	return 0, errOther
}

// skip passes some over.
func (r *blockReader) skip(n int) error {
	for range n {
		if _, err := r.number(); err != nil {
			return err
		}
	}
	return nil
}
