package resultsfolder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"carina/internal/crash"

	"golang.org/x/sync/errgroup"
)

// Commit replaces the set that is there by the new files and returns their
// paths. Those of the old names that are to be kept belong to the new set too.
func (f *Folder) Commit(keep ...string) ([]string, error) {
	come, err := f.ready()
	if err != nil {
		return nil, err
	}
	set := slices.Clone(come)
	var leave []string
	for _, name := range f.old {
		switch {
		case slices.Contains(come, name):
		case slices.Contains(keep, name):
			set = append(set, name)
		default:
			leave = append(leave, name)
		}
	}
	slices.Sort(set)
	data, err := json.Marshal(names{set})
	if err != nil {
		return nil, err
	}
	if err := f.disk.write(filepath.Join(hidden, list), data); err != nil {
		return nil, err
	}
	if err := f.apply(moves{Come: append(come, list), Go: leave}); err != nil {
		return nil, err
	}
	f.old = set
	return f.paths(come), nil
}

// Add moves the new files into the folder beside the set that is there. They do
// not belong to it, so that nothing removes them later.
func (f *Folder) Add() ([]string, error) {
	come, err := f.ready()
	if err != nil || len(come) == 0 {
		return nil, err
	}
	return f.paths(come), f.apply(moves{Come: come})
}

// ready returns the names of the new files, which are on the disk then.
func (f *Folder) ready() ([]string, error) {
	entries, err := os.ReadDir(f.disk.at(hidden))
	if err != nil {
		return nil, err
	}
	var come []string
	for _, entry := range entries {
		if name := entry.Name(); plain(name) {
			come = append(come, name)
		}
	}
	if err := f.Admit(come, nil); err != nil {
		return nil, err
	}
	const together = 8
	var group errgroup.Group
	group.SetLimit(together)
	if f.disk.before != nil {
		group.SetLimit(1)
	}
	for _, name := range come {
		group.Go(func() error {
			defer crash.Guard()
			return f.disk.sync(filepath.Join(hidden, name))
		})
	}
	return come, group.Wait()
}

// apply writes the journal and does what it says.
func (f *Folder) apply(m moves) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	d := &f.disk
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
		return fmt.Errorf("moving the results into place: %w; the next command on %s completes it", err, d.path)
	}
	f.failed = false
	return nil
}

// finish does what a journal says and removes it.
func (d *disk) finish(m *moves) error {
	if err := d.sync("."); err != nil { // the journal itself
		return err
	}
	for _, name := range m.Come {
		if err := d.move(filepath.Join(hidden, name), name); err != nil {
			return err
		}
	}
	for _, name := range m.Go {
		if err := d.unlink(name); err != nil {
			return err
		}
	}
	if err := d.sync("."); err != nil {
		return err
	}
	return d.unlink(journal)
}
