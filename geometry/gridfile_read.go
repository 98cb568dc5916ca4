package geometry

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"carina/internal/machine"

	"github.com/klauspost/compress/zstd"
)

// ReadGrid reads a grid file. Files that are truncated, altered or of a newer
// version are refused with an error that names the file.
func ReadGrid(path string) (*Grid, error) {
	file, err := machine.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the grid: %w", err)
	}
	defer file.Close()
	g, err := DecodeGrid(file)
	if err != nil {
		return nil, fmt.Errorf("grid file %s: %w", path, err)
	}
	return g, nil
}

// longestWindow is eight times the window that grids are compressed with.
const longestWindow = 1 << 25

var errGridDamaged = errors.New("the file is truncated or was altered: voxelize the surface again")

// DecodeGrid reads what EncodeGrid wrote. Memory grows with what has been
// read, not with the numbers that the file claims.
func DecodeGrid(r io.Reader) (*Grid, error) { return decodeGrid(r, false) }

// DecodePart reads a part of a grid, see Links.Part, as DecodeGrid does.
func DecodePart(r io.Reader) (*Grid, error) { return decodeGrid(r, true) }

func decodeGrid(r io.Reader, part bool) (*Grid, error) {
	body := &trailedReader{r: bufio.NewReaderSize(r, 1<<18), sum: sha256.New()}
	head := make([]byte, len(GridMagic)+4)
	if n, _ := io.ReadFull(body, head); n < len(head) || !bytes.HasPrefix(head, []byte(GridMagic)) {
		return nil, errors.New("this is not a grid file")
	}
	version := binary.LittleEndian.Uint32(head[len(GridMagic):])
	if version < oldestGridVersion || version > gridVersion {
		return nil, fmt.Errorf("the file has version %d, this program reads versions up to %d: use a newer program or voxelize again", version, gridVersion)
	}
	decompressed, err := zstd.NewReader(body, zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(longestWindow))
	if err != nil {
		return nil, err
	}
	defer decompressed.Close()
	g := &Grid{Links: Links{Part: part}}
	d := gridDecoder{r: bufio.NewReaderSize(decompressed, 1<<18), version: version}
	d.header(g)
	cells := d.runs(g)
	if part && cells > MostOfPart {
		d.fail("a part has %d cells, more than the %d possible", cells, int64(MostOfPart))
	}
	d.links(g, cells)
	if d.doubts(g); d.version >= gridVersion {
		d.narrow(g)
	}
	if d.err == nil {
		if _, err := d.r.ReadByte(); err != io.EOF {
			d.fail("there are bytes too many: %w", errors.Join(err, errGridDamaged))
		}
	}
	decompressed.Close() // before the rest is read past it
	// The checksum is the better explanation of whatever else is wrong, but
	// only the whole file can be checked.
	if _, err := io.Copy(io.Discard, body); err != nil || !bytes.Equal(body.sum.Sum(nil), body.trailer()) {
		return nil, errGridDamaged
	}
	if d.err != nil {
		return nil, d.err
	}
	return g, nil
}

// trailedReader reads all but the last 32 bytes of a stream, which are the
// checksum of what comes before them.
type trailedReader struct {
	r   *bufio.Reader
	sum hash.Hash
}

func (t *trailedReader) Read(p []byte) (int, error) {
	ahead, err := t.r.Peek(min(len(p)+sha256.Size, t.r.Size()))
	n := min(len(p), len(ahead)-sha256.Size)
	if n <= 0 {
		if err == nil {
			err = io.EOF
		}
		return 0, err
	}
	copy(p, ahead[:n])
	t.sum.Write(ahead[:n])
	_, err = t.r.Discard(n)
	return n, err
}

func (t *trailedReader) trailer() []byte {
	rest, _ := t.r.Peek(sha256.Size)
	return rest
}

// IsGridFile tells whether a file begins as grid files do.
func IsGridFile(path string) (bool, error) {
	file, err := machine.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	head := make([]byte, len(GridMagic))
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return string(head[:n]) == GridMagic, nil
}
