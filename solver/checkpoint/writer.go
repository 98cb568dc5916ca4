package checkpoint

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"carina/internal/atomicfile"
	"carina/internal/crash"
	"carina/solver/saved"
	"carina/solver/transport"
)

// Writer writes checkpoints of the ranks of a computation into one folder, one after the
// other, while they compute. Its methods are called by all ranks together, in the same
// order. The folder is that of this computation alone, and all ranks see it.
type Writer struct {
	folder    string
	transport transport.Transport
	run       uint64 // the same on all ranks, and nobody else's
	count     int
	phase     phase
	id        string
	manifest  *Manifest
	done      chan error // of what this rank does beside the steps
	finished  bool       // this rank, with failed
	failed    error
	spare     *saved.State // whose memory the next state may take
	writing   *saved.State
}

// phase is how far a checkpoint is, alike on all ranks.
type phase int

const (
	idle phase = iota
	writing
	naming // rank 0 makes it the last one
)

// NewWriter makes the folder, where there is none, and removes what writers have left
// there that were killed.
func NewWriter(folder string, t transport.Transport) (*Writer, error) {
	w := &Writer{folder: folder, transport: t, done: make(chan error, 1)}
	var run [8]byte
	rand.Read(run[:])
	number := []int64{0}
	err := os.MkdirAll(folder, 0o777)
	if t.Rank() == 0 {
		number[0] = int64(binary.LittleEndian.Uint64(run[:]) >> 1)
		if err == nil {
			err = errors.Join(syncFolder(filepath.Dir(folder)), w.sweep())
		}
	}
	if err := transport.Agree(t, err); err != nil {
		return nil, fmt.Errorf("preparing checkpoints: %w", err)
	}
	if err := t.Reduce(transport.Max, number); err != nil {
		return nil, fmt.Errorf("preparing checkpoints: %w", err)
	}
	w.run = uint64(number[0])
	return w, nil
}

// sweep removes the files of states that the manifest does not name.
func (w *Writer) sweep() error {
	keep := ""
	switch m, err := readManifest(w.folder); {
	case err == nil:
		keep = m.ID + "-"
	case !errors.Is(err, ErrNone):
		return nil // who knows whose files these are
	}
	atomicfile.Sweep(w.folder)
	folder, err := os.Open(w.folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isState(name) && (keep == "" || !strings.HasPrefix(name, keep)) {
			os.Remove(filepath.Join(w.folder, name))
		}
	}
	return nil
}

// isState tells whether a name is that of a file of a rank: 16 digits, a number, another.
func isState(name string) bool {
	stem, is := strings.CutSuffix(name, stateEnding)
	parts := strings.Split(stem, "-")
	const digits = 16
	if !is || len(parts) != 3 || len(parts[0]) != digits {
		return false
	}
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789abcdef") != "" {
			return false
		}
	}
	return true
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return nil // it may be written into but not read
	}
	defer folder.Close()
	return atomicfile.Sync(folder)
}

// Spare is a state whose memory the next one to be written may take; nil at first.
func (w *Writer) Spare() *saved.State { return w.spare }

// Busy tells whether a checkpoint is being written.
func (w *Writer) Busy() bool { return w.phase != idle }

// Begin begins to write a state, which is the writer's from now on, with what notes say:
// those of rank 0 count. No other checkpoint is being written.
func (w *Writer) Begin(s *saved.State, notes map[string][]byte) {
	w.count++
	w.id = fmt.Sprintf("%016x-%d", w.run, w.count)
	w.phase, w.writing, w.spare, w.finished, w.failed = writing, s, nil, false, nil
	if w.transport.Rank() == 0 {
		w.manifest = manifestOf(s, w.transport.Size(), w.id, notes)
	}
	path, id, rank := filepath.Join(w.folder, stateName(w.id, w.transport.Rank())), w.id, w.transport.Rank()
	w.start(func() error { return writeState(path, id, rank, s) })
}

// start does something beside the steps.
func (w *Writer) start(do func() error) {
	w.finished = false
	go func() {
		defer crash.Guard()
		w.done <- do()
	}()
}

// News is what has become of checkpoints, alike on all ranks.
type News struct {
	// Due tells that a checkpoint is to begin now.
	Due bool
	// Written tells that the one begun last is the last one of the folder now.
	Written bool
	// Failed is why it is not; the one before stays.
	Failed error
	// LeftOut tells that one was due while the one before was still being written.
	LeftOut bool
}

// Turn looks how far the ranks are, without waiting for the disk, and whether a
// checkpoint is due on any of them. The ranks call it together between steps.
func (w *Writer) Turn(due bool) (news News, err error) {
	if w.phase != idle && !w.finished {
		select {
		case w.failed = <-w.done:
			w.finished = true
		default:
		}
	}
	// Whether it is due on one rank, and whether one is not ready or has failed.
	const one = 1
	said := []int64{0, 0, 0}
	if due {
		said[0] = one
	}
	if w.phase != idle && !w.finished && (w.phase == writing || w.transport.Rank() == 0) {
		said[1] = one
	}
	if w.failed != nil {
		said[2] = one
	}
	if err := w.transport.Reduce(transport.Max, said); err != nil {
		return news, fmt.Errorf("asking for checkpoints: %w", err)
	}
	if w.phase != idle && said[1] == 0 {
		if err := w.advance(said[2] != 0, &news); err != nil {
			return news, err
		}
	}
	news.Due = said[0] != 0 && w.phase == idle
	news.LeftOut = said[0] != 0 && w.phase != idle
	return news, nil
}

// advance goes on when all ranks are done with a phase.
func (w *Writer) advance(failed bool, news *News) error {
	rank := w.transport.Rank()
	switch {
	case failed:
		own := w.failed
		if w.phase == writing {
			os.Remove(filepath.Join(w.folder, stateName(w.id, rank)))
		}
		agreed := transport.Agree(w.transport, own)
		if errors.As(agreed, new(transport.AgreedError)) {
			news.Failed, agreed = agreed, nil
		}
		if rank == 0 && w.phase == naming {
			_ = w.sweep() // the manifest tells which files stay
		}
		w.end()
		return agreed
	case w.phase == writing:
		w.phase = naming
		if rank == 0 {
			w.start(w.name)
		}
	default:
		news.Written = true
		w.end()
	}
	return nil
}

// end makes the writer ready for the next.
func (w *Writer) end() {
	w.phase, w.spare, w.writing, w.manifest, w.failed = idle, w.writing, nil, nil, nil
}

// name makes the files of all ranks the last checkpoint and removes those of the one
// before.
func (w *Writer) name() error {
	for rank := range w.manifest.Ranks {
		name := stateName(w.id, rank)
		if _, err := os.Lstat(filepath.Join(w.folder, name)); err != nil {
			return fmt.Errorf("rank 0 does not see %s of rank %d (%w): let all hosts share the folder", name, rank, err)
		}
	}
	data, err := w.manifest.encode()
	if err != nil {
		return err
	}
	// The files' names are to be on the disk before they are named.
	if err := syncFolder(w.folder); err != nil {
		return err
	}
	err = atomicfile.Write(filepath.Join(w.folder, manifestName), func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	_ = w.sweep() // the next one removes what this one could not
	return nil
}

// Finish waits until no checkpoint is being written.
func (w *Writer) Finish() (news News, err error) {
	for wait := time.Millisecond; w.phase != idle; wait = min(2*wait, 50*time.Millisecond) {
		if news, err = w.Turn(false); err != nil {
			return news, err
		}
		if w.phase != idle {
			time.Sleep(wait)
		}
	}
	return news, nil
}

// Clock tells when a checkpoint is due.
type Clock struct {
	// Interval is the time between checkpoints, Steps the number of steps; 0 is none.
	Interval time.Duration
	Steps    int64
	begun    time.Time
	last     int64
}

// Start begins to count after so many steps.
func (c *Clock) Start(steps int64) { c.begun, c.last = time.Now(), steps }

// Due tells whether it is time after so many steps, and counts from now on.
func (c *Clock) Due(steps int64) bool {
	due := c.Interval > 0 && time.Since(c.begun) >= c.Interval || c.Steps > 0 && steps/c.Steps > c.last/c.Steps
	if due {
		c.Start(steps)
	}
	return due
}
