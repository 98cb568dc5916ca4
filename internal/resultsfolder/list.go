package resultsfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// names is a set of files as it stands in the folder.
type names struct {
	Files []string `json:"files"`
}

// moves is a journal.
type moves struct {
	Come []string `json:"come"`
	Go   []string `json:"go"`
}

// plain tells whether a name can be that of a result: no path, and not hidden.
func plain(name string) bool {
	return name != "" && name == filepath.Base(name) && !strings.HasPrefix(name, ".") && !strings.ContainsRune(name, 0)
}

// mostBytes is far more than the names of a million files.
const mostBytes = 1 << 28

// read decodes a file of names; it tells whether there is one.
func (d *disk) read(name string, into any) (bool, error) {
	file, err := os.Open(d.at(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	if err := json.NewDecoder(io.LimitReader(file, mostBytes)).Decode(into); err != nil {
		return false, fmt.Errorf("%s was altered (%w): remove it; the results that are there then stay beside new ones", file.Name(), err)
	}
	return true, nil
}

// readList returns the names of the set that is there.
func (d *disk) readList() ([]string, error) {
	var old names
	if _, err := d.read(list, &old); err != nil {
		return nil, err
	}
	return old.Files, d.sound(list, old.Files)
}

// readJournal returns what is to be done, nil without a journal.
func (d *disk) readJournal() (*moves, error) {
	var m moves
	found, err := d.read(journal, &m)
	if err != nil || !found {
		return nil, err
	}
	come := slices.DeleteFunc(slices.Clone(m.Come), func(name string) bool { return name == list })
	return &m, errors.Join(d.sound(journal, come), d.sound(journal, m.Go))
}

// sound refuses names that lead out of the folder.
func (d *disk) sound(file string, files []string) error {
	for _, name := range files {
		if !plain(name) {
			return fmt.Errorf("%s names %q, which is no result: remove that file if you do not know where it comes from", d.at(file), name)
		}
	}
	return nil
}
