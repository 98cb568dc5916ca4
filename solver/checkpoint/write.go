package checkpoint

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"

	"carina/internal/atomicfile"
	"carina/solver/saved"
)

// encoder writes the state of one rank into a file.
type encoder struct {
	out   *bufio.Writer
	state *saved.State
	at    int64
	index []chunk
	rest  []saved.CellRange // not yet written, the first maybe in part
	// record and beside are where the next values lie, sparse the next of each physics in
	// the order of cells.
	record int
	beside [][]int
	sparse [][]int32
	cells  int64
}

// writeState writes what a rank has saved into a new file and waits until it is on the
// disk.
func writeState(path, id string, rank int, s *saved.State) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			os.Remove(path)
			err = fmt.Errorf("writing %s: %w", filepath.Base(path), err)
		}
	}()
	e := &encoder{out: bufio.NewWriterSize(file, 1<<18), state: s, rest: slices.Clone(s.Cells)}
	e.prepare()
	if err := e.write([]byte(stateMagic)); err != nil {
		return err
	}
	for len(e.rest) > 0 {
		if err := e.chunk(); err != nil {
			return err
		}
	}
	if err := e.finish(id, rank); err != nil {
		return err
	}
	return atomicfile.Sync(file)
}

// prepare puts sparse data into the order of cells; those of one cell stay as they are.
func (e *encoder) prepare() {
	for _, sparse := range e.state.Sparse {
		order := make([]int32, len(sparse.Cells))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			switch {
			case sparse.Cells[a] < sparse.Cells[b]:
				return -1
			case sparse.Cells[a] > sparse.Cells[b]:
				return 1
			}
			return 0
		})
		e.sparse = append(e.sparse, order)
	}
	for _, list := range e.state.Beside {
		e.beside = append(e.beside, make([]int, len(list)))
	}
}

// write writes bytes.
func (e *encoder) write(data []byte) error {
	n, err := e.out.Write(data)
	e.at += int64(n)
	return err
}

// take returns the ranges of the next chunk.
func (e *encoder) take() (list []saved.CellRange, cells int64) {
	for len(e.rest) > 0 && cells < chunkCells {
		c := e.rest[0]
		if c.Count > chunkCells-cells {
			c.Count = chunkCells - cells
			e.rest[0].First += c.Count
			e.rest[0].Count -= c.Count
		} else {
			e.rest = e.rest[1:]
		}
		list, cells = append(list, c), cells+c.Count
	}
	return list, cells
}

// chunk writes the next one.
func (e *encoder) chunk() error {
	list, cells := e.take()
	last := list[len(list)-1]
	c := chunk{First: list[0].First, Last: last.First + last.Count - 1, At: e.at, Cells: uint32(cells)}
	ranges := appendRanges(nil, list, c.First)
	c.Ranges, c.RangesSum = uint32(len(ranges)), crc32.Checksum(ranges, castagnoli)
	if err := e.write(ranges); err != nil {
		return err
	}
	put := func(data []byte) error {
		c.Sum = crc32.Update(c.Sum, castagnoli, data)
		return e.write(data)
	}
	n := int(cells) * e.state.RecordBytes
	if err := put(e.state.Records[e.record:][:n]); err != nil {
		return err
	}
	e.record += n
	for k, kept := range e.state.Beside {
		for i, b := range kept {
			n := 0
			for _, r := range list {
				n += int(r.Each(b.Every).Count) * b.Bytes
			}
			if err := put(b.Values[e.beside[k][i]:][:n]); err != nil {
				return err
			}
			e.beside[k][i] += n
		}
	}
	for k := range e.state.Sparse {
		if err := put(e.sparseUpTo(k, c.Last)); err != nil {
			return err
		}
	}
	if size := e.at - c.At - int64(c.Ranges); size > math.MaxUint32 {
		return fmt.Errorf("%d bytes at %d cells are too many", size, cells)
	} else {
		c.Bytes = uint32(size)
	}
	e.index, e.cells = append(e.index, c), e.cells+cells
	return nil
}

// sparseUpTo are the next sparse numbers of a physics, as far as a cell: their number and how many
// values each has, cells, values.
func (e *encoder) sparseUpTo(k int, last int64) (data []byte) {
	sparse := &e.state.Sparse[k]
	each, n := len(sparse.Numbers)/max(1, len(sparse.Cells)), 0
	for n < len(e.sparse[k]) && sparse.Cells[e.sparse[k][n]] <= last {
		n++
	}
	data = binary.AppendUvarint(data, uint64(n))
	if n == 0 {
		return data
	}
	data = binary.AppendUvarint(data, uint64(each))
	for _, i := range e.sparse[k][:n] {
		data = binary.LittleEndian.AppendUint64(data, uint64(sparse.Cells[i]))
		for _, v := range sparse.Numbers[int(i)*each:][:each] {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	e.sparse[k] = e.sparse[k][n:]
	return data
}

// finish writes the index and the trailer.
func (e *encoder) finish(id string, rank int) error {
	at := e.at
	index, err := binary.Append(nil, binary.LittleEndian, e.index)
	if err != nil {
		return err
	}
	if err := e.write(index); err != nil {
		return err
	}
	end := trailer{IndexAt: at, Cells: e.cells, Rank: int64(rank), Chunks: uint32(len(e.index)),
		IndexSum: crc32.Checksum(index, castagnoli), IDSum: crc32.Checksum([]byte(id), castagnoli)}
	if err := e.write(end.bytes()); err != nil {
		return err
	}
	return e.out.Flush()
}
