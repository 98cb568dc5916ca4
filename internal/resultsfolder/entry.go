package resultsfolder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"carina/internal/atomicfile"
	"carina/internal/crash"

	"golang.org/x/sync/errgroup"
)

// entry is a file as it was written.
type entry struct {
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified_ns"`
	SHA256   string `json:"sha256"`
}

// entryOf describes an ordinary file, which is on the disk then if wanted.
func (d *disk) entryOf(path string, sync bool) (entry, error) {
	file, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return entry{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return entry{}, err
	}
	if sync {
		if err := d.flush(file, filepath.Base(path)); err != nil {
			return entry{}, err
		}
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return entry{}, err
	}
	return entry{filepath.Base(path), info.Size(), info.ModTime().UnixNano(), hex.EncodeToString(hash.Sum(nil))}, nil
}

// is tells whether what is at a path is still what was written. Large files of
// the same size and time are not read.
func (d *disk) is(path string, e entry) bool {
	const large = 4 << 20
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != e.Size {
		return false
	}
	if e.Size > large && info.ModTime().UnixNano() == e.Modified {
		return true
	}
	found, err := d.entryOf(path, false)
	return err == nil && found.Size == e.Size && found.SHA256 == e.SHA256
}

// each does something for all of n, several at a time, but one after the other
// where a test counts changes.
func (d *disk) each(n int, do func(i int) error) error {
	const together = 8
	var group errgroup.Group
	group.SetLimit(together)
	if d.before != nil {
		group.SetLimit(1)
	}
	for i := range n {
		group.Go(func() error {
			defer crash.Guard()
			return do(i)
		})
	}
	return group.Wait()
}

// sort divides the entries of a list by whether their files are still what was
// written. Those that are gone are in neither.
func (d *disk) sort(files []entry) (own []entry, altered []string) {
	same := make([]bool, len(files))
	_ = d.each(len(files), func(i int) error {
		same[i] = d.is(d.at(files[i].Name), files[i])
		return nil
	})
	for i, e := range files {
		switch {
		case same[i]:
			own = append(own, e)
		case isThere(d.at(e.Name)):
			altered = append(altered, e.Name)
		}
	}
	return own, altered
}

// like gives a new file the mode and owner of the one whose place it takes. That
// the owner cannot be kept is no failure.
func (d *disk) like(name, before string) error {
	info, err := os.Lstat(d.at(before))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.change("chmod", name, func(path string) error { return atomicfile.Like(path, info) })
}
