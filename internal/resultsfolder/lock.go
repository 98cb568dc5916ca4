package resultsfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"carina/internal/atomicfile"

	"golang.org/x/sys/unix"
)

// ErrBusy is wrapped by the errors of a folder that somebody else is writing
// into.
var ErrBusy = errors.New("another run is writing into it")

// errNoLocks is of file systems that cannot lock.
var errNoLocks = errors.New("the file system cannot lock")

// moment is how long who writes waits for others that only look or mend.
const moment = time.Second

// patiently is acquire with some patience.
func (d *disk) patiently() (file *os.File, err error) {
	for end := time.Now().Add(moment); ; time.Sleep(moment / 50) {
		if file, err = d.acquire(); !errors.Is(err, ErrBusy) || time.Now().After(end) {
			return file, err
		}
	}
}

// Free is an error that wraps ErrBusy while a process writes into the folder.
func Free(path string) error {
	d := disk{path: path}
	file, err := atomicfile.OpenRegular(d.at(lock), os.O_RDONLY)
	if err != nil {
		return nil // Open will tell
	}
	defer file.Close()
	for end := time.Now().Add(moment); ; time.Sleep(moment / 50) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || !atomicfile.IsAt(file, d.at(lock)) {
			return nil
		}
		if time.Now().After(end) {
			return d.about(d.busy())
		}
	}
}

func (d *disk) busy() error { return fmt.Errorf("%w: wait for it, or name another folder", ErrBusy) }

// about says which folder an error is of.
func (d *disk) about(err error) error {
	return fmt.Errorf("the folder for results %s: %w", d.path, err)
}

// acquire locks the folder for this process, which ends with it at the latest.
func (d *disk) acquire() (*os.File, error) {
	for {
		if err := d.ask("create", lock); err != nil {
			return nil, err
		}
		file, err := atomicfile.OpenRegular(d.at(lock), os.O_RDWR|os.O_CREATE)
		if errors.Is(err, fs.ErrPermission) {
			file, err = atomicfile.OpenRegular(d.at(lock), os.O_RDONLY) // somebody else's
		}
		if errors.Is(err, atomicfile.ErrNoFile) {
			return nil, d.foreign(lock)
		}
		if err != nil {
			return nil, err
		}
		if info, err := file.Stat(); err != nil || info.Size() > 0 { // ours is empty
			file.Close()
			return nil, errors.Join(err, d.foreign(lock))
		}
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EWOULDBLOCK):
			file.Close()
			return nil, ErrBusy
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK):
			return file, errNoLocks
		case err != nil:
			file.Close()
			return nil, fmt.Errorf("locking %s: %w", file.Name(), err)
		}
		if atomicfile.IsAt(file, d.at(lock)) {
			return file, nil
		}
		file.Close() // removed meanwhile by who held it: lock the new one
	}
}

// release removes the lock and unlocks the folder. Who has opened the removed one
// meanwhile sees that it is no longer the one in the folder, see acquire.
func (d *disk) release(file *os.File) error {
	err := d.unlink(lock)
	if errors.Is(err, fs.ErrPermission) {
		err = nil // somebody else's, who alone may remove it
	}
	return errors.Join(err, file.Close())
}
