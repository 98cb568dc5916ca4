package workflow

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
	"path/filepath"
	"strings"

	"carina"
	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/internal/resultsfolder"
	"carina/internal/run"
	"carina/solver"
	"carina/solver/cuda/tiling"
)

// A share file holds what one rank on a GPU needs of a partitioned grid:
//
//	shareMagic, length of the head (uint64), its SHA-256, head (gob), grid file

const shareMagic = "carina share 1\n"

// shareHead is what a share file says beside the grid.
type shareHead struct {
	// Partition tells partitions apart.
	Partition   string
	Rank, Ranks int
	Cells       int64
	Work        []float64
	// Gaps are how many cells of the whole lie before each run and after the
	// run before it.
	Gaps []int64
	// Lengths and Owners are the pieces of the runs by rank.
	Lengths, Owners []int32
}

// SharePath names the share file of a rank beside its partition file.
func SharePath(partition string, rank int) string {
	return fmt.Sprintf("%s.%04d.share", strings.TrimSuffix(carina.GridBeside(partition), ".grid"), rank)
}

// fingerprint tells partitions and their grids apart.
func fingerprint(p *balance.Partition) string {
	hash := sha256.New()
	fmt.Fprintln(hash, p.Source.SHA256, len(p.Ranks))
	for i, c := range p.Cuboids {
		binary.Write(hash, binary.LittleEndian, []int32{c.Min[0], c.Min[1], c.Min[2], c.Max[0], c.Max[1], c.Max[2], p.Owners[i]})
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// WriteShares is WritePartition with the share files of all ranks beside. All
// files come at once when they are complete, or none does.
func WriteShares(c *carina.Case, path string, p *balance.Partition, g *Gridded) (err error) {
	if len(p.Ranks) == 1 {
		return errors.New("one rank has no share of its own: leave --shares out or give more --ranks")
	}
	if !resultsfolder.Plain(filepath.Base(path)) {
		return fmt.Errorf("a partition file cannot be called %s: give it another name", filepath.Base(path))
	}
	folder := filepath.Dir(path)
	f, err := resultsfolder.Open(folder, "")
	if err != nil {
		return err
	}
	// What was not moved into place goes with the hidden folder.
	defer func() { err = errors.Join(err, f.Close()) }()
	hidden := func(name string) string { return resultsfolder.Hidden(folder, filepath.Base(name)) }
	m := made{name: strings.TrimSuffix(filepath.Base(carina.GridBeside(path)), ".grid"), gridded: g}
	grid, there, err := m.placeGrid(folder, c.Surface, nil)
	if err != nil {
		return err
	}
	if !there {
		grid = hidden(grid)
	}
	if p.Source, err = g.sourceOfGrid(grid); err != nil {
		return err
	}
	if err := p.WriteFile(hidden(path)); err != nil {
		return err
	}
	domain, err := run.Domain(p, g.Grid)
	if err != nil {
		return err
	}
	for rank := range domain.Ranks {
		share, err := tiling.Cut(domain, rank)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(hidden(SharePath(path, rank)), func(w io.Writer) error { return encodeShare(w, share, rank, fingerprint(p)) }); err != nil {
			return err
		}
	}
	// What the command names and earlier shares are replaced, and nothing else.
	_, err = f.Add(func(there string) bool { return filepath.Base(there) == filepath.Base(path) || isShare(there) }, false)
	return err
}

// isShare tells whether a file is a share file.
func isShare(path string) bool {
	file, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer file.Close()
	begin := make([]byte, len(shareMagic))
	_, err = io.ReadFull(file, begin)
	return err == nil && string(begin) == shareMagic
}

func encodeShare(w io.Writer, d *solver.Domain, rank int, partition string) error {
	head := shareHead{Partition: partition, Rank: rank, Ranks: d.Ranks, Cells: d.Share.Cells, Work: d.Work}
	end := int64(0)
	for i, r := range d.Grid.Runs {
		head.Gaps = append(head.Gaps, d.Share.Starts[i]-end)
		end = d.Share.Starts[i] + int64(r.X1-r.X0)
	}
	for _, s := range d.Segments {
		head.Lengths, head.Owners = append(head.Lengths, s.X1-s.X0), append(head.Owners, s.Cuboid)
	}
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(&head); err != nil {
		return err
	}
	sum := sha256.Sum256(encoded.Bytes())
	begin := append(binary.LittleEndian.AppendUint64([]byte(shareMagic), uint64(encoded.Len())), sum[:]...)
	for _, b := range [][]byte{begin, encoded.Bytes()} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return geometry.EncodeGrid(w, d.Grid)
}

// errShareDamaged says what to do with a share file that cannot be read.
var errShareDamaged = errors.New("the share file is truncated or was altered: partition again with --shares")

// decodeShare reads what encodeShare wrote.
func decodeShare(r io.Reader) (*solver.Domain, *shareHead, error) {
	begin := make([]byte, len(shareMagic)+8+sha256.Size)
	if _, err := io.ReadFull(r, begin); err != nil || !bytes.HasPrefix(begin, []byte(shareMagic)) {
		return nil, nil, errors.New("this is no share file: partition again with --shares")
	}
	length := binary.LittleEndian.Uint64(begin[len(shareMagic):])
	const longest = 1 << 40
	var encoded bytes.Buffer
	if length > longest {
		return nil, nil, errShareDamaged
	}
	if _, err := io.CopyN(&encoded, r, int64(length)); err != nil || sha256.Sum256(encoded.Bytes()) != [sha256.Size]byte(begin[len(shareMagic)+8:]) {
		return nil, nil, errShareDamaged
	}
	head := new(shareHead)
	if err := gob.NewDecoder(&encoded).Decode(head); err != nil {
		return nil, nil, fmt.Errorf("%w (%w)", errShareDamaged, err)
	}
	grid, err := geometry.DecodeGrid(r)
	if err != nil {
		return nil, nil, err
	}
	d, err := head.domain(grid)
	return d, head, err
}

// domain puts the head and the grid together and checks that they fit.
func (h *shareHead) domain(grid *geometry.Grid) (*solver.Domain, error) {
	d := &solver.Domain{Grid: grid, Ranks: h.Ranks, Work: h.Work, Share: &solver.Share{Cells: h.Cells}}
	if h.Rank < 0 || h.Rank >= h.Ranks || h.Ranks > 1<<20 || len(h.Gaps) != len(grid.Runs) || len(h.Owners) != len(h.Lengths) {
		return nil, errShareDamaged
	}
	end, piece := int64(0), 0
	for i, r := range grid.Runs {
		start := end + h.Gaps[i]
		end = start + int64(r.X1-r.X0)
		if h.Gaps[i] < 0 || start < 0 || end > h.Cells {
			return nil, errShareDamaged
		}
		d.Share.Starts = append(d.Share.Starts, start)
		for x := r.X0; x < r.X1; piece++ {
			if piece == len(h.Lengths) || h.Lengths[piece] < 1 || h.Lengths[piece] > r.X1-x || h.Owners[piece] < 0 || int(h.Owners[piece]) >= h.Ranks {
				return nil, errShareDamaged
			}
			to := x + h.Lengths[piece]
			d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: x, X1: to, Y: r.Y, Z: r.Z}, Cuboid: h.Owners[piece]})
			x = to
		}
	}
	if piece != len(h.Lengths) {
		return nil, errShareDamaged
	}
	return d, nil
}

// ReadShare reads a partition file and the share of a rank beside it. The share
// is nil where there is no share file.
func ReadShare(path string, rank int) (*balance.Partition, *solver.Domain, error) {
	file, err := machine.Open(SharePath(path, rank))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading a rank's share: %w", err)
	}
	defer file.Close()
	p, err := balance.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	d, head, err := decodeShare(bufio.NewReaderSize(file, 1<<18))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	if head.Rank != rank || head.Ranks != len(p.Ranks) || head.Partition != fingerprint(p) {
		return nil, nil, fmt.Errorf("%s does not belong to %s: partition again with --shares, or remove it", file.Name(), path)
	}
	return p, d, nil
}
