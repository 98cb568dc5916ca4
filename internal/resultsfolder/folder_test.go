package resultsfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// files are the contents of a folder by name, without what this package keeps
// there.
type files map[string]string

func read(t *testing.T, folder string) files {
	t.Helper()
	found := files{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if name == list {
			return nil
		}
		data, err := os.ReadFile(path)
		found[name] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replace opens a folder, writes a set and commits it, keeping names.
func replace(d disk, set files, keep ...string) error {
	f, err := open(d, "token")
	if err != nil {
		return err
	}
	for name, content := range set {
		if err := d.write(filepath.Join(hidden, name), []byte(content)); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	_, err = f.Commit(keep...)
	return errors.Join(err, f.Close())
}

// foreign are files that no set names.
var foreign = files{"patient_20240101.vtu": "a patient", "notes.txt": "notes", ".carina": "mine", "sub/flow.png": "another"}

func merged(all ...files) files {
	sum := files{}
	for _, f := range all {
		for name, content := range f {
			sum[name] = content
		}
	}
	return sum
}

var first = files{"a": "old a", "b": "old b", "only old": "old c", "kept": "input"}
var second = files{"a": "new a", "b": "new b", "only new": "new d"}

// listed writes the list of a set.
func listed(t *testing.T, path string, files ...string) {
	t.Helper()
	set := names{Format: listFormat}
	d := disk{path: path}
	for _, name := range files {
		e, err := d.entryOf(d.at(name), false)
		if err != nil {
			t.Fatal(err)
		}
		set.Files = append(set.Files, e)
	}
	data, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(path, list), string(data))
}

// folder returns a folder with foreign files and the first set.
func folder(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	for name, content := range before {
		put(t, filepath.Join(path, name), content)
	}
	listed(t, path, slices.Collect(maps.Keys(first))...)
	return path
}

var (
	before = merged(foreign, first)
	after  = merged(foreign, second, files{"kept": "input"})
)

func TestASetReplacesTheOneBefore(t *testing.T) {
	path := folder(t)
	if diff := cmp.Diff(before, read(t, path)); diff != "" {
		t.Fatal(diff)
	}
	if err := replace(disk{path: path}, second, "kept", "notes.txt"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, read(t, path)); diff != "" {
		t.Fatal(diff)
	}
	// What was kept belongs to the set and goes when nobody keeps it; the
	// foreign file does not.
	if err := replace(disk{path: path}, files{"a": "third"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(merged(foreign, files{"a": "third"}), read(t, path)); diff != "" {
		t.Fatal(diff)
	}
}

func TestAddedFilesSurviveLaterSets(t *testing.T) {
	path := folder(t)
	f, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	put(t, Hidden(path, "diverged"), "fields")
	if added, err := f.Add(func(string) bool { return true }, false); err != nil || !slices.Equal(added, []string{filepath.Join(path, "diverged")}) {
		t.Fatal(added, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(merged(before, files{"diverged": "fields"}), read(t, path)); diff != "" {
		t.Error(diff)
	}
	if err := replace(disk{path: path}, second, "kept"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(merged(after, files{"diverged": "fields"}), read(t, path)); diff != "" {
		t.Error(diff)
	}
}

// stopAt lets n changes happen and none after them, as if the process had been
// killed, or, where one is true, refuses the next one alone.
func stopAt(n int, one bool) (before func(string) error, changes *int) {
	changes = new(int)
	return func(what string) error {
		*changes++
		if *changes == n+1 || *changes > n && !one {
			return fmt.Errorf("stopped before %s", what)
		}
		return nil
	}, changes
}

// A process is killed before every change to the disk, and whoever mends the
// folder too.
func TestKilledAtAnyMomentTheSetIsOldOrNew(t *testing.T) {
	done := false
	seen := map[bool]int{}
	for n := 0; !done; n++ {
		for m := 0; ; m++ {
			path := folder(t)
			hook, _ := stopAt(n, false)
			done = replace(disk{path, hook}, second, "kept") == nil
			mending, changes := stopAt(m, false)
			mendErr := mend(disk{path, mending}, 0)
			unstopped, _ := stopAt(math.MaxInt-1, false)
			if err := mend(disk{path, unstopped}, 0); err != nil {
				t.Fatalf("killed before change %d, mending before %d: %v", n, m, err)
			}
			got := read(t, path)
			isNew := cmp.Equal(after, got)
			seen[isNew]++
			if !isNew && !cmp.Equal(before, got) {
				t.Fatalf("killed before change %d, mending before %d (%v): neither old nor new:\n%s", n, m, mendErr, cmp.Diff(after, got))
			}
			if isThere(filepath.Join(path, hidden)) || isThere(filepath.Join(path, journal)) {
				t.Fatalf("killed before change %d, mending before %d: hidden files are left", n, m)
			}
			if *changes <= m {
				break
			}
		}
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Errorf("%d sets were old and %d new: the changes are not as expected", seen[false], seen[true])
	}
}

// The disk refuses one change; the process goes on and ends in order.
func TestRefusedAChangeTheSetIsOldOrNew(t *testing.T) {
	for n, done := 0, false; !done; n++ {
		path := folder(t)
		hook, changes := stopAt(n, true)
		err := replace(disk{path, hook}, second, "kept")
		done = *changes <= n
		if err == nil && !done {
			t.Errorf("change %d was refused and nobody says so", n)
		}
		if !isThere(filepath.Join(path, journal)) && err != nil {
			if diff := cmp.Diff(before, without(read(t, path), hidden)); diff != "" && isThere(filepath.Join(path, "only old")) {
				t.Errorf("change %d was refused: %s", n, diff)
			}
		}
		if err := Mend(path); err != nil {
			t.Fatalf("change %d: %v", n, err)
		}
		if got := read(t, path); !cmp.Equal(before, got) && !cmp.Equal(after, got) {
			t.Fatalf("change %d was refused: neither old nor new:\n%s", n, cmp.Diff(after, got))
		}
	}
}

func without(f files, folder string) files {
	kept := files{}
	for name, content := range f {
		if !strings.HasPrefix(name, folder+"/") {
			kept[name] = content
		}
	}
	return kept
}

func TestASecondRunIsRefused(t *testing.T) {
	path := folder(t)
	f, err := Open(path, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, "two"); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one got %v", err)
	}
	if !Shared(path, "one") || Shared(path, "two") || Shared(path, "") {
		t.Error("the folder does not tell whose it is")
	}
	// Who reads meanwhile disturbs nothing.
	if err := mend(f.disk, time.Millisecond); err != nil || !Shared(path, "one") {
		t.Errorf("mending a folder in use: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(path, "two"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, read(t, path)); diff != "" {
		t.Error(diff)
	}
}

// The lock's file goes and comes while others wait for it: one at a time has the
// folder all the same.
func TestOneAtATimeHoldsTheFolder(t *testing.T) {
	path := folder(t)
	var holders, held atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				f, err := Open(path, "")
				if errors.Is(err, ErrBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the folder at once", n)
				}
				held.Add(1)
				holders.Add(-1)
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if held.Load() < 50 {
		t.Errorf("the folder was held %d times only", held.Load())
	}
	if diff := cmp.Diff(before, read(t, path)); diff != "" {
		t.Error(diff)
	}
}

// What a process leaves that was killed right after it had locked the folder.
func TestALockOfNobodyGoes(t *testing.T) {
	path := folder(t)
	put(t, filepath.Join(path, lock), "")
	if err := Free(path); err != nil {
		t.Error(err)
	}
	if err := Mend(path); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, read(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderMadeForNothingGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	f, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if isThere(path) {
		t.Error("it is still there")
	}
}

func TestWhatLeadsOutOfTheFolderIsRefused(t *testing.T) {
	for _, name := range []string{"../outside", "/outside", "sub/flow.png", ".carina", "", "..", "a\x00"} {
		for _, file := range []string{list, journal} {
			path := folder(t)
			outside := filepath.Join(filepath.Dir(path), "outside")
			put(t, outside, "not ours")
			put(t, filepath.Join(path, list), fmt.Sprintf(`{"format":%q,"files":[{"name":%q}]}`, listFormat, name))
			if file == journal {
				listed(t, path, slices.Collect(maps.Keys(first))...)
				put(t, filepath.Join(path, file), fmt.Sprintf(`{"format":%q,"come":[],"go":[{"name":%q}],"set":true}`, journalFormat, name))
			}
			if err := replace(disk{path: path}, second); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("%q in %s: %v", name, file, err)
			}
			if diff := cmp.Diff(before, without(deleted(read(t, path), journal), hidden)); diff != "" || !isThere(outside) {
				t.Errorf("%q in %s: %s", name, file, diff)
			}
		}
	}
}

func deleted(f files, name string) files {
	delete(f, name)
	return f
}

func TestAHiddenFolderOfSomebodyElseIsLeftAlone(t *testing.T) {
	path := folder(t)
	put(t, filepath.Join(path, hidden, "mine"), "mine")
	if err := replace(disk{path: path}, second); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("%v", err)
	}
	if err := Mend(path); err != nil {
		t.Errorf("mending: %v", err)
	}
	if diff := cmp.Diff(merged(before, files{filepath.Join(hidden, "mine"): "mine"}), read(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderInTheWayIsToldOf(t *testing.T) {
	path := folder(t)
	put(t, filepath.Join(path, "only new", "mine"), "mine")
	if err := replace(disk{path: path}, second); err == nil || !strings.Contains(err.Error(), "only new") {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(merged(before, files{"only new/mine": "mine"}), read(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestInputsAreNotOverwritten(t *testing.T) {
	path := folder(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(path, "kept"), link); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Admit([]string{"a", "kept"}, []string{link}); err == nil || !strings.Contains(err.Error(), link) {
		t.Errorf("%v", err)
	}
	if err := f.Admit([]string{"a", "b"}, []string{link}); err != nil {
		t.Error(err)
	}
	if got := f.Among([]string{filepath.Join(path, "kept"), filepath.Join(path, "notes.txt"), "kept"}); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("of the set are %q", got)
	}
}
