package resultsfolder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"carina/internal/atomicfile"
)

// Commit replaces the set that is there by the new files and returns their
// paths. Those of the old names that are to be kept belong to the new set too.
func (f *Folder) Commit(keep ...string) ([]string, error) {
	d := &f.disk
	come, err := f.ready()
	if err != nil {
		return nil, err
	}
	if err := f.Admit(namesOf(come), nil); err != nil {
		return nil, err
	}
	set, m := slices.Clone(come), moves{Format: journalFormat, Set: true}
	before, after := byName(f.old), byName(come)
	for _, e := range come {
		m.Come = append(m.Come, coming{e.Name, before[e.Name]})
	}
	for _, e := range f.old {
		switch {
		case after[e.Name] != nil:
		case slices.Contains(keep, e.Name):
			set = append(set, e)
		default:
			m.Go = append(m.Go, e)
		}
	}
	slices.SortFunc(set, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.Marshal(names{listFormat, set})
	if err != nil {
		return nil, err
	}
	if err := d.write(filepath.Join(hidden, list), data); err != nil {
		return nil, err
	}
	if err := d.like(filepath.Join(hidden, list), list); err != nil {
		return nil, err
	}
	if err := f.apply(m); err != nil {
		return nil, err
	}
	f.old = set
	return f.paths(namesOf(come)), nil
}

// Add moves the new files into the folder beside the set that is there. They do
// not belong to it, so that nothing removes them later. What is there under the
// name of one is replaced if may says so; otherwise that one gets another name
// where it may have one, and else nothing is added.
func (f *Folder) Add(may func(path string) bool, otherNames bool) ([]string, error) {
	d := &f.disk
	come, err := f.ready()
	if err != nil || len(come) == 0 {
		return nil, err
	}
	m := moves{Format: journalFormat}
	var added []string
	for _, e := range come {
		name := e.Name
		for i := 2; isThere(d.at(name)) && !may(d.at(name)); i++ {
			if !otherNames {
				return nil, d.taken(name)
			}
			ending := filepath.Ext(e.Name)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(e.Name, ending), i, ending)
		}
		if name != e.Name {
			if err := d.move(filepath.Join(hidden, e.Name), filepath.Join(hidden, name)); err != nil {
				return nil, err
			}
		}
		c := coming{Name: name}
		if isThere(d.at(name)) {
			over, err := d.entryOf(d.at(name), false)
			if err != nil {
				return nil, err
			}
			c.Over = &over
		}
		m.Come, added = append(m.Come, c), append(added, name)
	}
	return f.paths(added), f.apply(m)
}

// taken is the error of a result whose place something else has.
func (d *disk) taken(name string) error {
	return fmt.Errorf("%s is not what was written there as a result: move it away, or name another folder for results", d.at(name))
}

// ready returns the new files, which are on the disk then.
func (f *Folder) ready() ([]entry, error) {
	d := &f.disk
	entries, err := os.ReadDir(d.at(hidden))
	if err != nil {
		return nil, err
	}
	var come []entry
	for _, found := range entries {
		switch name := found.Name(); {
		case name == mark || name == draft || name == list || atomicfile.Temporary(name):
		case !Plain(name):
			return nil, fmt.Errorf("no result can be called %q: give the input another name", name)
		default:
			come = append(come, entry{Name: name})
		}
	}
	return come, d.each(len(come), func(i int) (err error) {
		come[i], err = d.entryOf(d.at(filepath.Join(hidden, come[i].Name)), true)
		return err
	})
}

// apply writes the journal and does what it says.
func (f *Folder) apply(m moves) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	d := &f.disk
	for _, c := range m.Come {
		if c.Over != nil {
			if err := d.like(filepath.Join(hidden, c.Name), c.Name); err != nil {
				return err
			}
		}
	}
	temporary := filepath.Join(hidden, draft)
	if err := d.write(temporary, data); err != nil {
		return err
	}
	if err := d.sync(hidden); err != nil {
		return err
	}
	if err := d.move(temporary, journal); err != nil {
		return err
	}
	f.failed = true
	if err := d.finish(&m); err != nil {
		return fmt.Errorf("moving the results into place: %w; the next run into %s completes it", err, d.path)
	}
	f.failed = false
	return nil
}

// finish does what a journal says and removes it. Of the files that are there it
// touches those alone that are what the journal and, where it replaces a set, the
// set's list say.
func (d *disk) finish(m *moves) error {
	if err := d.sync("."); err != nil { // the journal itself
		return err
	}
	files, err := d.readList()
	if err != nil {
		return err
	}
	old := byName(files)
	owns := func(e *entry) bool {
		if e == nil || !d.is(d.at(e.Name), *e) {
			return false
		}
		known := old[e.Name]
		return !m.Set || known != nil && known.SHA256 == e.SHA256
	}
	for _, c := range m.Come {
		from := filepath.Join(hidden, c.Name)
		if !isThere(d.at(from)) {
			continue // moved before
		}
		if !isRegular(d.at(from)) {
			return d.foreign(from)
		}
		if isThere(d.at(c.Name)) && !owns(c.Over) {
			return d.taken(c.Name)
		}
		if err := d.move(from, c.Name); err != nil {
			return err
		}
	}
	for _, e := range m.Go {
		if !owns(&e) {
			continue // gone before, or somebody else's
		}
		if err := d.unlink(e.Name); err != nil {
			return err
		}
	}
	if err := d.sync("."); err != nil {
		return err
	}
	// From now on the old list counts no more.
	if m.Set && isRegular(d.at(filepath.Join(hidden, list))) {
		if err := d.move(filepath.Join(hidden, list), list); err != nil {
			return err
		}
		if err := d.sync("."); err != nil {
			return err
		}
	}
	return d.unlink(journal)
}
