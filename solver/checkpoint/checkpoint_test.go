package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"carina/solver/saved"
	"carina/solver/transport"

	"golang.org/x/sys/unix"
)

const record, sevenths = 6, 7

// recordOf is made of a cell and a seed.
func recordOf(cell, seed int64) []byte {
	return binary.LittleEndian.AppendUint32([]byte{byte(seed), byte(cell * seed)}, uint32(cell))
}

// stateOf is the state of some cells, all of it made of their numbers and a seed.
func stateOf(list []saved.CellRange, count, seed int64) *saved.State {
	s := &saved.State{Steps: seed, RecordBytes: record, Global: [][]byte{{1, byte(seed)}, nil}, Sparse: make([]saved.Sparse, 2), Run: []byte("run"), Cells: list}
	s.Form, s.Grid.Cells, s.Grid.Size = saved.Form, count, [3]int32{int32(count), 1, 1}
	s.Fields = []saved.Field{{Name: "populations", Values: 3, Kind: "float16", Scale: 1}}
	mean := saved.Beside{Name: "means", Every: 1, Bytes: 2, Head: []byte{byte(seed)}}
	sample := saved.Beside{Name: "sevenths", Every: sevenths, Bytes: 3}
	for _, c := range list {
		for cell := c.First; cell < c.First+c.Count; cell++ {
			s.Records = append(s.Records, recordOf(cell, seed)...)
			mean.Values = append(mean.Values, byte(cell), byte(cell>>8))
			if cell%sevenths == 0 {
				sample.Values = append(sample.Values, byte(cell), byte(cell>>8), byte(seed))
			}
			for lot := range cell % 37 / 34 { // 0, 1 or 2 of a cell
				s.Sparse[1].Cells = append(s.Sparse[1].Cells, cell)
				s.Sparse[1].Numbers = append(s.Sparse[1].Numbers, float64(cell), float64(lot), 1/float64(seed))
			}
		}
	}
	s.Beside = [][]saved.Beside{{mean, sample}, {}}
	return s
}

// divided gives the cells below count to ranks, in rows of any length.
func divided(random *rand.Rand, count int64, ranks int, longest int64) [][]saved.CellRange {
	lists := make([][]saved.CellRange, ranks)
	for first := int64(0); first < count; {
		n := min(count-first, 1+random.Int64N(longest))
		r := random.IntN(ranks)
		if k := len(lists[r]); k > 0 && lists[r][k-1].First+lists[r][k-1].Count == first {
			lists[r][k-1].Count += n
		} else {
			lists[r] = append(lists[r], saved.CellRange{First: first, Count: n})
		}
		first += n
	}
	return lists
}

// onRanks calls f for ranks side by side.
func onRanks(t *testing.T, ranks int, f func(tr transport.Transport) error) {
	t.Helper()
	var all sync.WaitGroup
	for _, tr := range transport.NewLocal(ranks) {
		all.Go(func() {
			if err := f(tr); err != nil {
				t.Error(err)
				tr.Abort(err)
			}
		})
	}
	all.Wait()
}

// write writes a checkpoint of some ranks.
func write(t *testing.T, folder string, lists [][]saved.CellRange, count, seed int64) (news News) {
	t.Helper()
	onRanks(t, len(lists), func(tr transport.Transport) error {
		w, err := NewWriter(folder, tr)
		if err != nil {
			return err
		}
		w.Begin(stateOf(lists[tr.Rank()], count, seed), map[string][]byte{"who": {byte(tr.Rank())}})
		own, err := w.Finish()
		if tr.Rank() == 0 {
			news = own
		}
		return err
	})
	return news
}

// same tells whether a state is what was to be saved.
func same(got, want *saved.State) error {
	switch {
	case got.Steps != want.Steps || !bytes.Equal(got.Run, want.Run) || !bytes.Equal(got.Global[0], want.Global[0]):
		return errors.New("another step, run or global state")
	case !bytes.Equal(got.Records, want.Records):
		return errors.New("other records")
	case !bytes.Equal(got.Beside[0][0].Values, want.Beside[0][0].Values) || !bytes.Equal(got.Beside[0][0].Head, want.Beside[0][0].Head):
		return errors.New("other means")
	case !bytes.Equal(got.Beside[0][1].Values, want.Beside[0][1].Values):
		return errors.New("other samples")
	case fmt.Sprint(sortedLots(got)) != fmt.Sprint(sortedLots(want)):
		return fmt.Errorf("other sparse")
	}
	return nil
}

func sortedLots(s *saved.State) map[int64][]float64 {
	found := map[int64][]float64{}
	for i, c := range s.Sparse[1].Cells {
		found[c] = append(found[c], s.Sparse[1].Numbers[3*i:3*i+3]...)
	}
	return found
}

// What any ranks save, any others load: all that belongs to their cells and no more.
func TestWrittenByAnyReadByAny(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	folder := t.TempDir()
	for seed := int64(1); seed < 40; seed++ {
		count, ranks, others := 1+random.Int64N(6000), 1+random.IntN(7), 1+random.IntN(7)
		if news := write(t, folder, divided(random, count, ranks, 1+random.Int64N(3000)), count, seed); !news.Written {
			t.Fatalf("not written: %v", news.Failed)
		}
		c, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		size, err := c.Check()
		if err != nil || c.Ranks != ranks || !bytes.Equal(c.Notes["who"], []byte{0}) {
			t.Fatalf("%d ranks, notes %v: %v", c.Ranks, c.Notes, err)
		}
		if needs := count * (record + 2); count > 4000 && size < needs {
			t.Errorf("%d bytes cannot hold %d", size, needs)
		}
		for _, list := range divided(random, count, others, 1+random.Int64N(50)) {
			s, err := c.Load(list)
			if err != nil {
				t.Fatal(err)
			}
			want := stateOf(list, count, seed)
			if err := same(s, want); err != nil {
				t.Fatalf("%d cells of %d, saved by %d: %v", len(s.Records)/record, count, ranks, err)
			}
			if err := saved.Check([]*saved.State{s}, 2); err != nil {
				t.Error(err)
			}
		}
		if entries, _ := os.ReadDir(folder); len(entries) != ranks+1 {
			t.Errorf("%d ranks leave %d files", ranks, len(entries))
		}
	}
}

// A file hardly has more bytes than the state, also where rows are short.
func TestSize(t *testing.T) {
	const count = 100_000
	lists := make([][]saved.CellRange, 2)
	for first := int64(0); first < count; first += 8 {
		lists[first/8%2] = append(lists[first/8%2], saved.CellRange{First: first, Count: 8})
	}
	folder := t.TempDir()
	const wide = 76 // bytes of a cell in single precision
	onRanks(t, 2, func(tr transport.Transport) error {
		w, err := NewWriter(folder, tr)
		if err != nil {
			return err
		}
		s := stateOf(lists[tr.Rank()], count, 3)
		s.Beside, s.Sparse, s.RecordBytes, s.Records = [][]saved.Beside{{}, {}}, make([]saved.Sparse, 2), wide, make([]byte, count/2*wide)
		s.Fields[0].Values = 19
		w.Begin(s, nil)
		_, err = w.Finish()
		return err
	})
	c, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := c.Check(); err != nil || float64(size) > 1.01*wide*count {
		t.Errorf("%d bytes for %d: %v", size, wide*count, err)
	}
}

// A mutated checkpoint is refused in a sentence or is the same.
func TestMutated(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const count, ranks, mutants = 3000, 3, 3000
	lists := divided(random, count, ranks, 200)
	folder, other, broken := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, folder, lists, count, 5)
	write(t, other, lists, count, 6)
	files, others := read(t, folder), read(t, other)
	names, otherNames := keys(files), keys(others)
	refused := 0
	for i := range mutants {
		mutant := map[string][]byte{}
		for name, data := range files {
			mutant[name] = data
		}
		name := names[random.IntN(len(names))]
		data := bytes.Clone(mutant[name])
		switch kind := random.IntN(8); kind {
		case 0:
			data = data[:random.IntN(len(data))]
		case 1:
			data = append(data, make([]byte, 1+random.IntN(100))...)
		case 2:
			delete(mutant, name)
			data = nil
		case 3:
			data = mutant[names[random.IntN(len(names))]]
		case 4:
			data = others[otherNames[random.IntN(len(others))]]
		case 5:
			at := random.IntN(len(data))
			data = append(data[:at], data[min(len(data), at+1+random.IntN(50)):]...)
		default:
			for range 1 + random.IntN(3) {
				data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
			}
		}
		if data != nil {
			mutant[name] = data
		}
		put(t, broken, mutant)
		if err := load(broken, lists, count, 5); errors.Is(err, errOther) {
			t.Fatalf("mutant %d: %v", i, err)
		} else if err != nil {
			refused++
		}
	}
	if refused < mutants*9/10 {
		t.Errorf("%d of %d mutants are refused", refused, mutants)
	}
}

// What was forged with sums that fit neither panics nor takes memory that no file needs.
func TestForged(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const count = 2000
	lists := divided(random, count, 2, 200)
	folder, broken := t.TempDir(), t.TempDir()
	write(t, folder, lists, count, 5)
	files := read(t, folder)
	numbers := []int64{-1, 0, 1, math.MaxInt32, math.MaxInt64, math.MinInt64, 1 << 40}
	for i := range 1500 {
		mutant := map[string][]byte{}
		for name, data := range files {
			data = bytes.Clone(data)
			mutant[name] = data
			if name == manifestName && i%3 == 0 {
				text := string(data[len(manifestMagic)+8+32:])
				for _, key := range []string{"steps", "record_bytes", "ranks", "Every", "Bytes", "Cells", "Form"} {
					if random.IntN(4) == 0 {
						before, after, _ := strings.Cut(text, `"`+key+`":`)
						after = strings.TrimLeft(after, "-0123456789")
						text = before + `"` + key + `":` + fmt.Sprint(numbers[random.IntN(len(numbers))]) + after
					}
				}
				mutant[name] = seal([]byte(text))
			} else if name != manifestName && i%3 != 0 {
				forge(data, random, numbers)
			}
		}
		put(t, broken, mutant)
		load(broken, lists, count, 5)
	}
}

// forge alters numbers of an index or of a chunk, and mends all sums.
func forge(data []byte, random *rand.Rand, numbers []int64) {
	var end trailer
	binary.Decode(data[len(data)-trailerBytes:], binary.LittleEndian, &end)
	index := data[end.IndexAt : len(data)-trailerBytes]
	one := random.IntN(int(end.Chunks))
	var c chunk
	binary.Decode(index[one*chunkBytes:], binary.LittleEndian, &c)
	number := numbers[random.IntN(len(numbers))]
	switch random.IntN(9) {
	case 0:
		c.First = number
	case 1:
		c.Last = number
	case 2:
		c.Cells = uint32(number)
	case 3:
		c.Ranges = uint32(number)
	case 4:
		c.Bytes = uint32(number)
	case 5:
		end.Cells = number
	default:
		for range 3 {
			data[c.At+random.Int64N(int64(c.Ranges)+int64(c.Bytes))] = byte(random.IntN(256))
		}
		c.RangesSum, c.Sum = crc(data[c.At:][:c.Ranges]), crc(data[c.At+int64(c.Ranges):][:c.Bytes])
	}
	raw, _ := binary.Append(nil, binary.LittleEndian, c)
	copy(index[one*chunkBytes:], raw)
	end.IndexSum = crc(index)
	copy(data[len(data)-trailerBytes:], end.bytes())
}

var errOther = errors.New("another state was loaded")

// load loads all of a checkpoint; the error is errOther where it is not what was saved.
func load(folder string, lists [][]saved.CellRange, count, seed int64) error {
	c, err := Open(folder)
	if err != nil {
		return err
	}
	if _, err := c.Check(); err != nil {
		return err
	}
	for _, list := range lists {
		s, err := c.Load(list)
		if err != nil {
			return err
		}
		if err := same(s, stateOf(list, count, seed)); err != nil {
			return fmt.Errorf("%w: %w", errOther, err)
		}
	}
	return nil
}

func read(t *testing.T, folder string) map[string][]byte {
	files := map[string][]byte{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func put(t *testing.T, folder string, files map[string][]byte) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		os.Remove(filepath.Join(folder, e.Name()))
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A disk that takes no more is told of, the checkpoint before stays, and a later one is
// written when there is room again.
func TestFullDisk(t *testing.T) {
	// The limit is a process's, and go test lets this one keep a log of its own.
	const alone = "CARINA_FULL_DISK"
	if os.Getenv(alone) == "" {
		test := exec.Command(os.Args[0], "-test.v", "-test.run=^TestFullDisk$")
		test.Env = append(os.Environ(), alone+"=1")
		if said, err := test.CombinedOutput(); err != nil || !bytes.Contains(said, []byte("--- PASS: TestFullDisk")) && !bytes.Contains(said, []byte("--- SKIP")) {
			t.Fatalf("%v\n%s", err, said)
		}
		return
	}
	const count, ranks = 20_000, 3
	lists := divided(rand.New(rand.NewPCG(7, 8)), count, ranks, 500)
	folder := t.TempDir()
	write(t, folder, lists, count, 1)
	before := read(t, folder)
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	// All ranks, one alone, and the manifest.
	for _, most := range []uint64{1000, uint64(len(before[keys(before)[0]])), 100} {
		small := limit
		small.Cur = most
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &small); err != nil {
			t.Skip(err)
		}
		news := write(t, folder, lists, count, 2)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		if news.Written || news.Failed == nil {
			t.Fatalf("with %d bytes of room it is written: %v", most, news.Failed)
		}
		if after := read(t, folder); fmt.Sprint(keys(after)) != fmt.Sprint(keys(before)) {
			t.Errorf("there were %v and are %v", keys(before), keys(after))
		}
		if err := load(folder, lists, count, 1); err != nil {
			t.Errorf("the one before: %v", err)
		}
	}
	if news := write(t, folder, lists, count, 3); !news.Written {
		t.Error(news.Failed)
	}
	if err := load(folder, lists, count, 3); err != nil {
		t.Error(err)
	}
}

func crc(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// A folder of results whose checkpoint has lost its manifest has none.
func TestFolderInPlaceOfAManifest(t *testing.T) {
	results := t.TempDir()
	if err := os.Mkdir(filepath.Join(results, manifestName), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{results, filepath.Join(results, manifestName)} {
		if _, err := Open(folder); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", folder, err)
		}
	}
}
