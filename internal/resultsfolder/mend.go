package resultsfolder

import (
	"errors"
	"fmt"
	"time"
)

// patience is how long Mend waits for another process to move its results.
const patience = 20 * time.Second

// Unfinished tells whether an earlier process was killed while it moved its
// results into place.
func Unfinished(path string) bool {
	d := disk{path: path}
	return isThere(d.at(journal)) && Free(path) == nil && isThere(d.at(journal))
}

// Mend completes what an earlier process has begun in a folder and could not
// end, or removes what is of no use, the lock of one that was killed too. Where
// nothing is to be done, nothing is touched.
func Mend(path string) error { return mend(disk{path: path}, patience) }

func mend(d disk, patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(patience / 100) {
		begun := isThere(d.at(journal))
		if !begun && !isThere(d.at(hidden)) && !isThere(d.at(lock)) {
			return nil
		}
		held, err := d.acquire()
		switch {
		case errors.Is(err, ErrBusy) && !begun:
			return nil // it is being written
		case errors.Is(err, ErrBusy) && time.Now().Before(end):
			continue
		case errors.Is(err, errNoLocks) && !begun:
			d.release(held)
			return nil // it may be being written
		case err == nil || errors.Is(err, errNoLocks):
			err = errors.Join(d.complete(), d.release(held))
		}
		if err != nil && begun {
			return fmt.Errorf("completing the results in %s: %w", d.path, err)
		}
		return nil
	}
}

// complete does what a journal says, if there is one, and clears the hidden
// folder. The folder is locked.
func (d *disk) complete() error {
	if err := d.oursAlone(); err != nil {
		return err
	}
	m, err := d.readJournal()
	if err != nil {
		return err
	}
	if m != nil {
		if err := d.finish(m); err != nil {
			return err
		}
	}
	return d.clear()
}
