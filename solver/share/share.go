// Package share reads and writes files with what one rank needs of a partitioned grid,
// so that no process of many reads the whole.
package share

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/tiling"
)

// A share file holds what one rank needs of a partitioned grid:
//
//	magic, length of the head (uint64), its SHA-256, head (gob), grid file

const magic = "carina share 2\n"

// head is what a share file says beside the grid.
type head struct {
	// Partition tells partitions apart.
	Partition   string
	Rank, Ranks int
	Cells       int64
	Work        []float64
	// Gaps are how many cells of the whole lie before each run and after the
	// run before it.
	Gaps []int64
	// Extents are those of the openings in the whole.
	Extents []geometry.OpeningExtent
	// Lengths and Owners are the pieces of the runs by rank.
	Lengths, Owners []int32
}

// Path names the share file of a rank beside its partition file.
func Path(partition string, rank int) string {
	return fmt.Sprintf("%s.%04d.share", balance.Stem(partition), rank)
}

// Fingerprint tells partitions and their grids apart.
func Fingerprint(p *balance.Partition) string {
	hash := sha256.New()
	fmt.Fprintln(hash, p.Source.SHA256, len(p.Ranks))
	for i, c := range p.Cuboids {
		binary.Write(hash, binary.LittleEndian, []int32{c.Min[0], c.Min[1], c.Min[2], c.Max[0], c.Max[1], c.Max[2], p.Owners[i]})
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Write writes the share file of a rank at a path: its part of the whole domain of a
// partition.
func Write(path string, whole *solver.Domain, rank int, p *balance.Partition) error {
	share, err := Cut(whole, rank)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return encode(w, share, rank, Fingerprint(p)) })
}

// Cut returns what one rank needs of a partitioned domain, in memory of its own.
func Cut(whole *solver.Domain, rank int) (*solver.Domain, error) {
	share, err := tiling.Cut(whole, rank)
	if err != nil {
		return nil, err
	}
	share.Grid.Links.Extents, err = opening.Extents(whole.Grid)
	return share, err
}

// Is tells whether a file is a share file.
func Is(path string) bool {
	file, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer file.Close()
	begin := make([]byte, len(magic))
	_, err = io.ReadFull(file, begin)
	return err == nil && string(begin) == magic
}

func encode(w io.Writer, d *solver.Domain, rank int, partition string) error {
	h := head{Partition: partition, Rank: rank, Ranks: d.Ranks, Cells: d.Share.Cells, Work: d.Work, Extents: d.Grid.Links.Extents, Lengths: d.Share.Lengths, Owners: d.Share.Owners}
	end := int64(0)
	for i, r := range d.Grid.Runs {
		h.Gaps = append(h.Gaps, d.Share.Starts[i]-end)
		end = d.Share.Starts[i] + int64(r.X1-r.X0)
	}
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(&h); err != nil {
		return err
	}
	sum := sha256.Sum256(encoded.Bytes())
	begin := append(binary.LittleEndian.AppendUint64([]byte(magic), uint64(encoded.Len())), sum[:]...)
	for _, b := range [][]byte{begin, encoded.Bytes()} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return geometry.EncodeGrid(w, d.Grid)
}

// errDamaged says what to do with a share file that cannot be read.
var errDamaged = errors.New("the share file is truncated or was altered: partition again with --shares")

// decode reads what encode wrote.
func decode(r io.Reader) (*solver.Domain, *head, error) {
	begin := make([]byte, len(magic)+8+sha256.Size)
	if _, err := io.ReadFull(r, begin); err != nil || !bytes.HasPrefix(begin, []byte(magic)) {
		return nil, nil, errors.New("this is no share file: partition again with --shares")
	}
	length := binary.LittleEndian.Uint64(begin[len(magic):])
	const longest = 1 << 40
	var encoded bytes.Buffer
	if length > longest {
		return nil, nil, errDamaged
	}
	if _, err := io.CopyN(&encoded, r, int64(length)); err != nil || sha256.Sum256(encoded.Bytes()) != [sha256.Size]byte(begin[len(magic)+8:]) {
		return nil, nil, errDamaged
	}
	h := new(head)
	if err := gob.NewDecoder(&encoded).Decode(h); err != nil {
		return nil, nil, fmt.Errorf("%w (%w)", errDamaged, err)
	}
	grid, err := geometry.DecodePart(r)
	if err != nil {
		return nil, nil, err
	}
	d, err := h.domain(grid)
	return d, h, err
}

// domain puts the head and the grid together and checks that they fit.
func (h *head) domain(grid *geometry.Grid) (*solver.Domain, error) {
	d := &solver.Domain{Grid: grid, Ranks: h.Ranks, Work: h.Work, Share: &solver.Share{Cells: h.Cells, Lengths: h.Lengths, Owners: h.Owners}}
	if h.Rank < 0 || h.Rank >= h.Ranks || h.Ranks > 1<<20 || len(h.Gaps) != len(grid.Runs) || len(h.Owners) != len(h.Lengths) || len(h.Extents) != len(grid.Openings) {
		return nil, errDamaged
	}
	grid.Links.Extents = h.Extents
	d.Share.Starts = make([]int64, 0, len(grid.Runs))
	end, piece := int64(0), 0
	for i, r := range grid.Runs {
		start := end + h.Gaps[i]
		end = start + int64(r.X1-r.X0)
		if h.Gaps[i] < 0 || start < 0 || end > h.Cells {
			return nil, errDamaged
		}
		d.Share.Starts = append(d.Share.Starts, start)
		for x := r.X0; x < r.X1; piece++ {
			if piece == len(h.Lengths) || h.Lengths[piece] < 1 || h.Lengths[piece] > r.X1-x || h.Owners[piece] < 0 || int(h.Owners[piece]) >= h.Ranks {
				return nil, errDamaged
			}
			x += h.Lengths[piece]
		}
	}
	if piece != len(h.Lengths) {
		return nil, errDamaged
	}
	return d, nil
}

// Read reads what a rank needs of a partition from the share file beside its file. It is
// nil where there is no such file.
func Read(partition string, p *balance.Partition, rank int) (*solver.Domain, error) {
	path := Path(partition, rank)
	file, err := machine.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a rank's share: %w", err)
	}
	defer file.Close()
	d, h, err := decode(bufio.NewReaderSize(file, 1<<18))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if h.Rank != rank || h.Ranks != len(p.Ranks) || h.Partition != Fingerprint(p) {
		return nil, fmt.Errorf("%s does not belong to %s: partition again with --shares, or remove it", path, partition)
	}
	return d, nil
}
