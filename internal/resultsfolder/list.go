package resultsfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"carina/internal/atomicfile"
)

// The formats of lists and journals.
const (
	listFormat    = "carina results 1"
	journalFormat = "carina moves 1"
)

// names is a set of files as it stands in the folder.
type names struct {
	Format string  `json:"format"`
	Files  []entry `json:"files"`
}

// moves is a journal.
type moves struct {
	Format string   `json:"format"`
	Come   []coming `json:"come"`
	Go     []entry  `json:"go"`
	// Set tells that the set is replaced, of which alone files may go, and not
	// added to.
	Set bool `json:"set"`
}

// coming is a file that comes.
type coming struct {
	Name string `json:"name"`
	// Over is the file whose place it takes, if there is one.
	Over *entry `json:"over,omitempty"`
}

// Plain tells whether a name can be that of a result: no path, and none of this
// package's.
func Plain(name string) bool {
	return name != "" && name == filepath.Base(name) && name != "." && name != ".." && name != mark && name != draft &&
		!strings.HasPrefix(name, ".carina") && !strings.ContainsRune(name, 0) && !strings.ContainsRune(name, '/')
}

// mostBytes is far more than what a million files need.
const mostBytes = 1 << 29

// read decodes a file of names; it tells whether there is one.
func (d *disk) read(name string, into any) (bool, error) {
	file, err := atomicfile.OpenRegular(d.at(name), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if errors.Is(err, atomicfile.ErrNoFile) {
		return false, d.foreign(name)
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	decoder := json.NewDecoder(io.LimitReader(file, mostBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return false, fmt.Errorf("%s was altered or comes from elsewhere (%w): remove it; the results that are there then stay", file.Name(), err)
	}
	return true, nil
}

// foreign is the error of what has a name of this package and is of others.
func (d *disk) foreign(name string) error {
	return fmt.Errorf("%s was made by somebody else: move it away, or name another folder for results", d.at(name))
}

// readList returns the set that is there.
func (d *disk) readList() ([]entry, error) {
	var old names
	found, err := d.read(list, &old)
	if err != nil || !found {
		return nil, err
	}
	if old.Format != listFormat {
		return nil, d.foreign(list)
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
	if m.Format != journalFormat {
		return nil, d.foreign(journal)
	}
	come := make([]entry, len(m.Come))
	for i, c := range m.Come {
		come[i].Name = c.Name
		if c.Over != nil && c.Over.Name != c.Name {
			return nil, d.foreign(journal)
		}
	}
	return &m, errors.Join(d.sound(journal, come), d.sound(journal, m.Go))
}

// sound refuses names that lead out of the folder.
func (d *disk) sound(file string, files []entry) error {
	for _, e := range files {
		if !Plain(e.Name) {
			return fmt.Errorf("%s names %q, which is no result: remove that file if you do not know where it comes from", d.at(file), e.Name)
		}
	}
	return nil
}

func byName(files []entry) map[string]*entry {
	found := make(map[string]*entry, len(files))
	for i := range files {
		found[files[i].Name] = &files[i]
	}
	return found
}

func namesOf(files []entry) []string {
	found := make([]string, len(files))
	for i, e := range files {
		found[i] = e.Name
	}
	return found
}
