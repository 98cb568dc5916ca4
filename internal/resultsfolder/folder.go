package resultsfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Folder is a folder of results that this process writes into.
type Folder struct {
	disk   disk
	old    []string // the names of the set that is there
	lock   *os.File
	made   bool // by Open
	failed bool // a commit began and did not end
	// Unlocked tells that the file system cannot lock, so that nothing keeps a
	// second process out.
	Unlocked bool
}

// Open makes the folder unless it is there, locks it, completes what an earlier
// process has begun, and makes room for a new set. Token tells processes that
// see the folder that it is theirs, see Shared. Close it after use.
func Open(path, token string) (*Folder, error) { return open(disk{path: path}, token) }

func open(d disk, token string) (f *Folder, err error) {
	f = &Folder{disk: d, made: !isThere(d.path)}
	defer func() {
		if err != nil {
			f.Close()
			f, err = nil, d.about(err)
		}
	}()
	if info, err := os.Stat(d.path); err == nil && !info.IsDir() {
		return f, errors.New("it is a file: name a folder")
	}
	if err := os.MkdirAll(d.path, 0o755); err != nil {
		return f, err
	}
	held, err := d.patiently()
	if f.lock = held; errors.Is(err, errNoLocks) {
		f.Unlocked, err = true, nil
	}
	if errors.Is(err, ErrBusy) {
		return f, d.busy()
	}
	if err != nil {
		return f, err
	}
	if err := d.settle(); err != nil {
		return f, err
	}
	if f.old, err = d.readList(); err != nil {
		return f, err
	}
	if err := d.mkdir(hidden); err != nil {
		return f, err
	}
	return f, d.write(filepath.Join(hidden, mark), []byte(token))
}

// Shared tells whether a folder is one that a process has opened with this
// token.
func Shared(path, token string) bool {
	data, err := os.ReadFile(filepath.Join(path, hidden, mark))
	return err == nil && token != "" && string(data) == token
}

// Hidden is where a new file of the folder at path is written until it is
// complete.
func Hidden(path, name string) string { return filepath.Join(path, hidden, name) }

// Old returns the names of the set that is there.
func (f *Folder) Old() []string { return f.old }

func (f *Folder) paths(names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = f.disk.at(name)
	}
	return paths
}

// Admit refuses to go on where a name of the new set is that of a folder, or of
// one of the inputs.
func (f *Folder) Admit(names, inputs []string) error {
	for _, name := range names {
		path := f.disk.at(name)
		if isFolder(path) {
			return fmt.Errorf("%s is a folder, results are to have its name: move it, or name another folder for them", path)
		}
		for _, input := range inputs {
			if sameFile(path, input) {
				return fmt.Errorf("%s would be overwritten by the results: name another folder for them", input)
			}
		}
	}
	return nil
}

// Among returns the names of the set that is there that belong to one of the
// given files.
func (f *Folder) Among(files []string) []string {
	var found []string
	for _, file := range files {
		if name := filepath.Base(file); slices.Contains(f.old, name) && sameFile(f.disk.at(name), file) {
			found = append(found, name)
		}
	}
	return found
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// Close removes what was not committed and unlocks the folder. One that Open has
// made and that is empty is removed.
func (f *Folder) Close() error {
	if f.lock == nil {
		if f.made {
			os.Remove(f.disk.path) // if it is empty
		}
		return nil
	}
	var err error
	if !f.failed {
		err = f.disk.clear()
	}
	err = errors.Join(err, f.disk.release(f.lock))
	f.lock = nil
	if f.made {
		if failed := f.disk.rmdir("."); !errors.Is(failed, unix.ENOTEMPTY) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// clear removes the hidden folder with what it holds, the mark last: without it
// nobody may know whose the rest is.
func (d *disk) clear() error {
	entries, err := os.ReadDir(d.at(hidden))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 && !isThere(d.at(filepath.Join(hidden, mark))) {
		return fmt.Errorf("%s was made by somebody else: move it away", d.at(hidden))
	}
	if i := slices.IndexFunc(entries, os.DirEntry.IsDir); i >= 0 {
		return fmt.Errorf("%s holds the folder %s, which somebody else has made: move it away", d.at(hidden), entries[i].Name())
	}
	for _, entry := range entries {
		if entry.Name() == mark {
			continue
		}
		if err := d.unlink(filepath.Join(hidden, entry.Name())); err != nil {
			return err
		}
	}
	if err := d.unlink(filepath.Join(hidden, mark)); err != nil {
		return err
	}
	return d.rmdir(hidden)
}
