package results

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"
	"time"

	"carina/internal/resultsfolder"
	"carina/solver/transport"
)

// Target is the folder that the ranks of a computation write into. Where hosts
// share none there is one on each. Of the ranks that see the same folder one has
// opened it, and moves the results into place when those of all ranks are
// complete.
type Target struct {
	path      string
	transport transport.Transport // nil where one process has all ranks
	folder    *resultsfolder.Folder
	// full is why nothing could be written to a full disk, on all ranks. The
	// flow is computed nevertheless.
	full error
}

// NewTarget opens nothing yet. The transport is nil where one process has all ranks.
func NewTarget(path string, t transport.Transport) Target { return Target{path: path, transport: t} }

// patience is how long a rank waits to see what another one has opened.
const patience = 10 * time.Second

func (t *Target) rank() int {
	if t.transport == nil {
		return 0
	}
	return t.transport.Rank()
}

func (t *Target) reduce(op transport.Operation, values ...int64) ([]int64, error) {
	if t.transport == nil {
		return values, nil
	}
	return values, t.transport.Reduce(op, values)
}

// Open opens the folder, on all ranks together. admit may refuse it.
func (t *Target) Open(admit func(*resultsfolder.Folder) error) error {
	token, err := t.token()
	if err != nil {
		return err
	}
	for joined := false; ; {
		leader := int64(1 << 62)
		if !joined {
			leader = int64(t.rank())
		}
		lowest, err := t.reduce(transport.Min, leader)
		if err != nil || lowest[0] == 1<<62 {
			return err
		}
		var failed error
		if lowest[0] == leader {
			joined = true
			failed = t.lead(token, admit)
		}
		if err := t.together(failed); err != nil || t.full != nil {
			t.Close()
			return err
		}
		joined = joined || resultsfolder.Shared(t.path, token)
	}
}

// token is a random number that rank 0 has drawn for all.
func (t *Target) token() (string, error) {
	var random [8]byte
	if t.rank() == 0 {
		rand.Read(random[:])
	}
	number, err := t.reduce(transport.Sum, int64(binary.LittleEndian.Uint64(random[:])))
	return fmt.Sprintf("%016x", uint64(number[0])), err
}

// lead opens the folder for this rank and others that see it. Where rank 0 has
// it locked, it is the same folder, on a network that tells the news late.
func (t *Target) lead(token string, admit func(*resultsfolder.Folder) error) (err error) {
	for end := time.Now().Add(patience); ; time.Sleep(patience / 100) {
		t.folder, err = resultsfolder.Open(t.path, token)
		if err == nil {
			return admit(t.folder)
		}
		late := t.rank() != 0 && errors.Is(err, resultsfolder.ErrBusy)
		if late && resultsfolder.Shared(t.path, token) {
			return nil
		}
		if !late || time.Now().After(end) {
			return err
		}
	}
}

// together tells all ranks of a failure of one. That a disk is full is kept
// instead.
func (t *Target) together(failed error) error {
	full := int64(0)
	if errors.Is(failed, syscall.ENOSPC) || errors.Is(failed, syscall.EDQUOT) {
		full = 1
	}
	anyFull, err := t.reduce(transport.Max, full)
	if err != nil {
		return err
	}
	failed = transport.Agree(t.transport, failed)
	if failed != nil && anyFull[0] != 0 {
		t.full = failed
		return nil
	}
	return failed
}

// Conclude lets who opened the folder do the last step, on all ranks together
// and only if none has failed, and closes it.
func (t *Target) Conclude(failed error, last func(*resultsfolder.Folder) ([]string, error)) (files []string, err error) {
	defer t.Close()
	if failed == nil {
		failed = t.full
	}
	if err := transport.Agree(t.transport, failed); err != nil {
		return nil, fmt.Errorf("the results could not be written, and %s is as it was: %w", t.path, err)
	}
	if t.folder != nil {
		files, failed = last(t.folder)
	}
	return files, transport.Agree(t.transport, failed)
}

// Writes tells whether the folder receives results: its disk is not full.
func (t *Target) Writes() bool { return t.full == nil }

// Close gives the folder back, unless that is done.
func (t *Target) Close() {
	if t.folder != nil {
		// What is left is removed when the folder is opened next.
		_ = t.folder.Close()
		t.folder = nil
	}
}
