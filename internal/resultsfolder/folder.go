package resultsfolder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"carina/internal/atomicfile"

	"golang.org/x/sys/unix"
)

// Folder is a folder of results that this process writes into.
type Folder struct {
	disk disk
	old  []entry // of the set that is there, what is still as it was written
	// altered are the names of the others.
	altered []string
	lock    *os.File
	made    bool // by Open
	failed  bool // a commit, maybe an earlier one, began and did not end
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
	if err := os.MkdirAll(d.path, 0o777); err != nil {
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
	f.failed = true // what a journal names must not be cleared
	if err := d.complete(); err != nil {
		return f, err
	}
	f.failed = false
	atomicfile.Sweep(d.path)
	files, err := d.readList()
	if err != nil {
		return f, err
	}
	f.old, f.altered = d.sort(files)
	if err := d.mkdir(hidden); err != nil {
		return f, err
	}
	return f, d.write(filepath.Join(hidden, mark), []byte(token))
}

// Shared tells whether a folder is one that a process has opened with this
// token.
func Shared(path, token string) bool {
	d := disk{path: path}
	if !isFolder(d.at(hidden)) {
		return false
	}
	file, err := atomicfile.OpenRegular(d.at(filepath.Join(hidden, mark)), os.O_RDONLY)
	if err != nil {
		return false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(len(token))+1))
	return err == nil && token != "" && string(data) == token
}

// Hidden is where a new file of the folder at path is written until it is
// complete.
func Hidden(path, name string) string { return filepath.Join(path, hidden, name) }

// Old returns the names of the set that is there, of what is still as it was
// written.
func (f *Folder) Old() []string { return namesOf(f.old) }

// Altered returns the names of the set that is there that hold something else
// than was written. They are somebody's and stay.
func (f *Folder) Altered() []string { return f.altered }

func (f *Folder) paths(names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = f.disk.at(name)
	}
	return paths
}

// Admit refuses to go on where a name of the new set is that of a folder, of one
// of the inputs, or of anything else that is not in the set that is there.
func (f *Folder) Admit(names, inputs []string) error {
	old := byName(f.old)
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
		if isThere(path) && old[name] == nil {
			return f.disk.taken(name)
		}
	}
	return nil
}

// Among returns the names of the set that is there that belong to one of the
// given files.
func (f *Folder) Among(files []string) []string {
	var found []string
	old := byName(f.old)
	for _, file := range files {
		if name := filepath.Base(file); old[name] != nil && sameFile(f.disk.at(name), file) {
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

// oursAlone refuses a link, or anything else that is no folder, in place of the
// hidden folder.
func (d *disk) oursAlone() error {
	if isThere(d.at(hidden)) && !isFolder(d.at(hidden)) {
		return d.foreign(hidden)
	}
	return nil
}

// clear removes the hidden folder with what it holds, the mark last: without it
// nobody may know whose the rest is.
func (d *disk) clear() error {
	if err := d.oursAlone(); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.at(hidden))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 && !isThere(d.at(filepath.Join(hidden, mark))) {
		return d.foreign(hidden)
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
