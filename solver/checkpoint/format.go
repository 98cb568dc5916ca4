package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"carina/internal/atomicfile"
	"carina/solver/saved"
)

// Version is that of the files' form: it grows when that changes.
const Version = 1

// The names of files, and how they begin.
const (
	manifestName  = "checkpoint"
	stateEnding   = ".state"
	manifestMagic = "carina checkpoint\n"
	stateMagic    = "carina state\n"
)

// chunkCells is the most cells of a chunk.
const chunkCells = 1024

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Manifest is what a checkpoint says of all ranks together.
type Manifest struct {
	Version int `json:"version"`
	// ID tells checkpoints apart.
	ID string `json:"id"`
	// Ranks is how many have written a file.
	Ranks int `json:"ranks"`
	saved.Identity
	Steps       int64            `json:"steps"`
	RecordBytes int              `json:"record_bytes"`
	Global      [][]byte         `json:"global"`
	Beside      [][]saved.Beside `json:"beside"` // without values
	Run         []byte           `json:"run"`
	// Notes are of whoever lets the ranks compute, by name.
	Notes map[string][]byte `json:"notes,omitempty"`
}

// ErrDamaged tells that a checkpoint is not whole.
var ErrDamaged = errors.New("the checkpoint is damaged")

// damaged says in which way.
func damaged(format string, values ...any) error {
	return fmt.Errorf("%w: %s: begin anew, or go on from a copy of it", ErrDamaged, fmt.Sprintf(format, values...))
}

// manifestOf describes what ranks save.
func manifestOf(s *saved.State, ranks int, id string, notes map[string][]byte) *Manifest {
	m := &Manifest{Version: Version, ID: id, Ranks: ranks, Identity: s.Identity, Steps: s.Steps, RecordBytes: s.RecordBytes, Global: s.Global, Run: s.Run, Notes: notes}
	for _, list := range s.Beside {
		heads := make([]saved.Beside, 0, len(list))
		for _, b := range list {
			b.Values = nil
			heads = append(heads, b)
		}
		m.Beside = append(m.Beside, heads)
	}
	return m
}

// encode is the text of a manifest with its sum.
func (m *Manifest) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return seal(text), nil
}

// seal puts before a text what it is, its length and its sum.
func seal(text []byte) []byte {
	sum := sha256.Sum256(text)
	data := binary.LittleEndian.AppendUint64([]byte(manifestMagic), uint64(len(text)))
	return append(append(data, sum[:]...), text...)
}

// mostManifest is more bytes than any manifest has.
const mostManifest = 1 << 28

// ErrNone tells that a folder holds no checkpoint.
var ErrNone = errors.New("there is no checkpoint")

// readManifest reads that of a folder.
func readManifest(folder string) (*Manifest, error) {
	path := filepath.Join(folder, manifestName)
	file, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	// In a folder of results a folder has the manifest's name.
	if info, failed := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || failed == nil && info.IsDir() {
		return nil, fmt.Errorf("%w in %s: name the folder of a run that has written one", ErrNone, folder)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a checkpoint: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, mostManifest))
	if err != nil {
		return nil, fmt.Errorf("reading a checkpoint: %w", err)
	}
	head := len(manifestMagic) + 8
	begin := head + sha256.Size
	if len(data) < begin || string(data[:len(manifestMagic)]) != manifestMagic {
		return nil, damaged("%s is no manifest of one", path)
	}
	text := data[begin:]
	if binary.LittleEndian.Uint64(data[len(manifestMagic):]) != uint64(len(text)) || sha256.Sum256(text) != [sha256.Size]byte(data[head:begin]) {
		return nil, damaged("%s was cut off or altered", path)
	}
	// The version is said before what depends on it.
	m := new(Manifest)
	var of struct{ Version int }
	if err := json.Unmarshal(text, &of); err == nil && of.Version != Version {
		return nil, fmt.Errorf("the checkpoint in %s has version %d and this program reads version %d: go on with the program that wrote it", folder, of.Version, Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(m); err != nil {
		return nil, damaged("%s does not say what it is to (%v)", path, err)
	}
	if !m.sound() {
		return nil, damaged("%s says what cannot be", path)
	}
	return m, nil
}

// sound tells whether numbers can be what they say.
func (m *Manifest) sound() bool {
	values := 0
	for _, f := range m.Fields {
		if f.Values < 0 || f.Values > math.MaxInt16 {
			return false
		}
		values += f.Values
	}
	const largest = 8 // bytes of a value
	if m.Ranks < 1 || m.Ranks > math.MaxInt32 || m.Steps < 0 || m.Grid.Cells < 1 || m.RecordBytes < 1 || m.RecordBytes > largest*values ||
		len(m.Beside) != len(m.Global) || strings.ContainsAny(m.ID, "/\\\x00.") || m.ID == "" {
		return false
	}
	for _, list := range m.Beside {
		for _, b := range list {
			if b.Every < 1 || b.Bytes < 1 || b.Bytes > math.MaxInt16 || len(b.Values) > 0 {
				return false
			}
		}
	}
	return true
}

// state is that of no cells.
func (m *Manifest) state() *saved.State {
	s := &saved.State{Identity: m.Identity, Steps: m.Steps, RecordBytes: m.RecordBytes, Global: m.Global, Run: m.Run, Sparse: make([]saved.Sparse, len(m.Global))}
	for _, list := range m.Beside {
		s.Beside = append(s.Beside, append([]saved.Beside(nil), list...))
	}
	return s
}

// stateName is the name of the file of a rank.
func stateName(id string, rank int) string { return fmt.Sprintf("%s-%04d%s", id, rank, stateEnding) }

// chunk is what the index says of one.
type chunk struct {
	First, Last   int64 // cells
	At            int64 // in the file
	Cells         uint32
	Ranges, Bytes uint32 // bytes of the ranges, and of all that follows
	RangesSum     uint32
	Sum           uint32
}

// trailer is the end of a file.
type trailer struct {
	IndexAt         int64
	Cells           int64
	Rank            int64
	Chunks          uint32
	IndexSum, IDSum uint32
	Sum             uint32 // of the rest of the trailer
}

var chunkBytes, trailerBytes = binary.Size(chunk{}), binary.Size(trailer{})

// bytes are those of a trailer, with its sum.
func (t trailer) bytes() []byte {
	data, _ := binary.Append(nil, binary.LittleEndian, t) // numbers of known size are always written to memory
	rest := data[:len(data)-4]
	return binary.LittleEndian.AppendUint32(rest, crc32.Checksum(rest, castagnoli))
}

// appendRanges appends cells in rows, of which the first begins after so many.
func appendRanges(data []byte, list []saved.CellRange, first int64) []byte {
	for _, c := range list {
		data = binary.AppendUvarint(data, uint64(c.First-first))
		data = binary.AppendUvarint(data, uint64(c.Count))
		first = c.First + c.Count
	}
	return data
}

// decodeRanges reads them, and tells whether they are as the chunk says.
func decodeRanges(into []saved.CellRange, data []byte, c *chunk) ([]saved.CellRange, bool) {
	into = into[:0]
	first, cells := c.First, uint64(0)
	for len(data) > 0 {
		gap, n := binary.Uvarint(data)
		count, k := binary.Uvarint(data[max(n, 0):])
		if n <= 0 || k <= 0 || count < 1 || gap > math.MaxInt64/4 || count > uint64(c.Cells) || first > c.Last {
			return nil, false
		}
		data = data[n+k:]
		first += int64(gap)
		into = append(into, saved.CellRange{First: first, Count: int64(count)})
		first += int64(count)
		cells += count
	}
	return into, cells == uint64(c.Cells) && len(into) > 0 && into[0].First == c.First && first == c.Last+1
}
