package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"carina/internal/atomicfile"
	"carina/solver/saved"
)

// Checkpoint is one that lies in a folder.
type Checkpoint struct {
	Manifest
	folder string
}

// Open reads what a checkpoint says of all ranks. The error is ErrNone where there is
// none, and ErrDamaged where it cannot be read.
func Open(folder string) (*Checkpoint, error) {
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	return &Checkpoint{*m, folder}, nil
}

// Path is that of the manifest.
func (c *Checkpoint) Path() string { return filepath.Join(c.folder, manifestName) }

// source is an open file of one rank.
type source struct {
	file   *os.File
	index  []chunk
	buffer []byte
	ranges []saved.CellRange
}

// open opens the file of a rank and reads its index.
func (c *Checkpoint) open(rank int) (s *source, err error) {
	name := stateName(c.ID, rank)
	file, err := atomicfile.OpenRegular(filepath.Join(c.folder, name), os.O_RDONLY)
	if err != nil {
		return nil, damaged("%v", err)
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size() - int64(trailerBytes)
	if end < int64(len(stateMagic)) {
		return nil, damaged("%s was cut off", name)
	}
	s = &source{file: file}
	head, err := s.read(0, len(stateMagic))
	if err != nil || string(head) != stateMagic {
		return nil, damaged("%s is no file of one", name)
	}
	data, err := s.read(end, trailerBytes)
	if err != nil {
		return nil, damaged("%s: %v", name, err)
	}
	var t trailer
	if _, err := binary.Decode(data, binary.LittleEndian, &t); err != nil || !bytes.Equal(t.bytes(), data) {
		return nil, damaged("%s was cut off or altered", name)
	}
	if t.Rank != int64(rank) || t.IDSum != crc32.Checksum([]byte(c.ID), castagnoli) {
		return nil, damaged("%s is of another one", name)
	}
	size := int64(t.Chunks) * int64(chunkBytes)
	if t.IndexAt < int64(len(stateMagic)) || t.IndexAt != end-size {
		return nil, damaged("the index of %s is not where it is to be", name)
	}
	if data, err = s.read(t.IndexAt, int(size)); err != nil || crc32.Checksum(data, castagnoli) != t.IndexSum {
		return nil, damaged("the index of %s was altered", name)
	}
	s.index = make([]chunk, t.Chunks)
	if _, err := binary.Decode(data, binary.LittleEndian, s.index); err != nil {
		return nil, damaged("%s: %v", name, err)
	}
	if !s.sound(&t, c.RecordBytes) {
		return nil, damaged("the index of %s says what cannot be", name)
	}
	return s, nil
}

// sound tells whether chunks follow each other in the file and in cells.
func (s *source) sound(t *trailer, record int) bool {
	at, first, cells := int64(len(stateMagic)), int64(0), int64(0)
	for i := range s.index {
		c := &s.index[i]
		if c.At != at || c.First < first || c.Last < c.First || c.Last == math.MaxInt64 || int64(c.Cells) > c.Last-c.First+1 || c.Cells < 1 || c.Cells > chunkCells ||
			int64(c.Bytes) < int64(c.Cells)*int64(record) {
			return false
		}
		at += int64(c.Ranges) + int64(c.Bytes)
		first, cells = c.Last+1, cells+int64(c.Cells)
	}
	return at == t.IndexAt && cells == t.Cells
}

// read reads bytes into a buffer that the next call takes again.
func (s *source) read(at int64, n int) ([]byte, error) {
	s.buffer = slices.Grow(s.buffer[:0], n)[:n]
	if _, err := s.file.ReadAt(s.buffer, at); err != nil && err != io.EOF {
		return nil, err
	} else if err == io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return s.buffer, nil
}

// cells reads the ranges of a chunk.
func (s *source) cells(c *chunk) ([]saved.CellRange, error) {
	data, err := s.read(c.At, int(c.Ranges))
	if err != nil {
		return nil, damaged("%v", err)
	}
	sound := crc32.Checksum(data, castagnoli) == c.RangesSum
	if sound {
		s.ranges, sound = decodeRanges(s.ranges, data, c)
	}
	if !sound {
		return nil, damaged("cells %d to %d in %s were altered", c.First, c.Last, filepath.Base(s.file.Name()))
	}
	return s.ranges, nil
}

// payload reads what a chunk holds of its cells.
func (s *source) payload(c *chunk) ([]byte, error) {
	data, err := s.read(c.At+int64(c.Ranges), int(c.Bytes))
	if err != nil {
		return nil, damaged("%v", err)
	}
	if crc32.Checksum(data, castagnoli) != c.Sum {
		return nil, damaged("cells %d to %d in %s were altered", c.First, c.Last, filepath.Base(s.file.Name()))
	}
	return data, nil
}

// Check reads all files and says whether the checkpoint is whole, and how many bytes it has.
func (c *Checkpoint) Check() (size int64, err error) {
	left := c.Grid.Cells
	for rank := range c.Ranks {
		n, err := c.checkRank(rank, &left)
		if err != nil {
			return 0, err
		}
		size += n
	}
	if left != 0 {
		return 0, damaged("of %d cells, %d are not there", c.Grid.Cells, left)
	}
	return size, nil
}

// checkRank reads the file of a rank.
func (c *Checkpoint) checkRank(rank int, left *int64) (size int64, err error) {
	s, err := c.open(rank)
	if err != nil {
		return 0, err
	}
	defer s.file.Close()
	for i := range s.index {
		if _, err := s.cells(&s.index[i]); err != nil {
			return 0, err
		}
		if _, err := s.payload(&s.index[i]); err != nil {
			return 0, err
		}
		*left -= int64(s.index[i].Cells)
	}
	info, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Load returns the state of some cells, in ascending order, as one rank saves it. It
// reads the chunks alone that hold some of them, one after the other.
func (c *Checkpoint) Load(cells []saved.CellRange) (*saved.State, error) {
	l := &loader{checkpoint: c, cells: cells}
	if err := l.prepare(); err != nil {
		return nil, err
	}
	for rank := range c.Ranks {
		if err := l.from(rank); err != nil {
			return nil, fmt.Errorf("reading the checkpoint in %s: %w", c.folder, err)
		}
	}
	if l.left != 0 {
		return nil, damaged("%d cells are not there", l.left)
	}
	return l.state, nil
}
