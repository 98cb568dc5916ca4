package resultsfolder

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// traces are what a folder holds, of any kind, with modes and times, and of files
// their contents.
func traces(t *testing.T, folder string) string {
	t.Helper()
	var found strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		to, _ := os.Readlink(path)
		if fmt.Fprintf(&found, "%q %v %s", path, info.Mode(), to); info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&found, " %v %q %v", info.ModTime(), data, err)
		}
		found.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found.String()
}

// within fails a test that hangs.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		t.Fatalf("%s hangs", what)
	}
}

// kinds put something of others at a path.
var kinds = map[string]func(t *testing.T, path, precious string) error{
	"file":           func(_ *testing.T, path, _ string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
	"JSON":           func(_ *testing.T, path, _ string) error { return os.WriteFile(path, []byte(`{"files":[]}`), 0o600) },
	"pipe":           func(_ *testing.T, path, _ string) error { return unix.Mkfifo(path, 0o644) },
	"link to file":   func(_ *testing.T, path, precious string) error { return os.Symlink(filepath.Join(precious, "a"), path) },
	"link to folder": func(_ *testing.T, path, precious string) error { return os.Symlink(precious, path) },
	"link to no": func(_ *testing.T, path, precious string) error {
		return os.Symlink(filepath.Join(precious, "none"), path)
	},
	"folder": func(t *testing.T, path, _ string) error {
		put(t, filepath.Join(path, "mine"), "mine")
		return nil
	},
}

// What others have under the names of this package, of a result or of a journal
// keeps everybody out, and is not touched, nor what it leads to.
func TestWhatOthersPutInTheWayStays(t *testing.T) {
	for _, name := range []string{hidden, journal, list, lock, "a", "only new"} {
		for kind, make := range kinds {
			what := fmt.Sprintf("%s as %s", name, kind)
			path, precious := folder(t), t.TempDir()
			for _, file := range []string{"a", "b", mark, list, journal} {
				put(t, filepath.Join(precious, file), "precious "+file)
			}
			at := filepath.Join(path, name)
			if err := os.RemoveAll(at); err != nil {
				t.Fatal(err)
			}
			if err := make(t, at, precious); err != nil {
				t.Fatal(err)
			}
			before, elsewhere := traces(t, path), traces(t, precious)
			within(t, what, func() {
				err := replace(disk{path: path}, second)
				if err == nil || !strings.Contains(err.Error(), at) {
					t.Errorf("%s: says %v", what, err)
				}
				_ = Mend(path)
				_ = Free(path)
				if Shared(path, "token") || Unfinished(path) != (name == journal) {
					t.Errorf("%s: taken for an own one", what)
				}
			})
			if after := traces(t, path); after != before {
				t.Errorf("%s: there was\n%sand is\n%s", what, before, after)
			}
			if after := traces(t, precious); after != elsewhere {
				t.Errorf("%s: elsewhere was\n%sand is\n%s", what, elsewhere, after)
			}
		}
	}
}

// Whatever a prepared journal names, it touches files of the set alone that are
// what was written, and never what lies elsewhere.
func TestPreparedJournals(t *testing.T) {
	entryFor := func(path, name string) entry {
		d := disk{path: path}
		e, err := d.entryOf(d.at(name), false)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for what, prepare := range map[string]func(path string) any{
		"of the form before": func(string) any { return map[string][]string{"come": {}, "go": {"patient.stl"}} },
		"without a hash":     func(string) any { return moves{Format: journalFormat, Go: []entry{{Name: "patient.stl"}}, Set: true} },
		"with its hash": func(path string) any {
			return moves{Format: journalFormat, Go: []entry{entryFor(path, "patient.stl")}, Set: true}
		},
		"and not of a set": func(path string) any { return moves{Format: journalFormat, Go: []entry{{Name: "patient.stl"}}} },
		"over it": func(path string) any {
			put(t, filepath.Join(path, hidden, "patient.stl"), "bad")
			return moves{Format: journalFormat, Come: []coming{{Name: "patient.stl"}}, Set: true}
		},
		"over it with its hash": func(path string) any {
			put(t, filepath.Join(path, hidden, "patient.stl"), "bad")
			e := entryFor(path, "patient.stl")
			return moves{Format: journalFormat, Come: []coming{{"patient.stl", &e}}, Set: true}
		},
		"over it with another's hash": func(path string) any {
			put(t, filepath.Join(path, hidden, "patient.stl"), "bad")
			e := entryFor(path, "b")
			return moves{Format: journalFormat, Come: []coming{{"patient.stl", &e}}}
		},
		"through a link": func(path string) any {
			os.Symlink(filepath.Join(filepath.Dir(path), "elsewhere"), filepath.Join(path, hidden))
			return moves{Format: journalFormat, Come: []coming{{Name: "precious"}}, Set: true}
		},
		"a link in the hidden folder": func(path string) any {
			os.Mkdir(filepath.Join(path, hidden), 0o755)
			os.Symlink(filepath.Join(filepath.Dir(path), "elsewhere", "precious"), filepath.Join(path, hidden, "only new"))
			return moves{Format: journalFormat, Come: []coming{{Name: "only new"}}, Set: true}
		},
	} {
		path := folder(t)
		put(t, filepath.Join(path, "patient.stl"), "patient")
		put(t, filepath.Join(filepath.Dir(path), "elsewhere", "precious"), "precious")
		put(t, filepath.Join(filepath.Dir(path), "elsewhere", mark), "")
		data, err := json.Marshal(prepare(path))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(path, journal), string(data))
		_ = Mend(path)
		_ = replace(disk{path: path}, second)
		for file, want := range merged(foreign, files{"patient.stl": "patient", "../elsewhere/precious": "precious", "../elsewhere/" + mark: ""}) {
			if data, err := os.ReadFile(filepath.Join(path, file)); err != nil || string(data) != want {
				t.Errorf("%s: %s holds %q, %v", what, file, data, err)
			}
		}
	}
}

// What is no longer what was written is somebody's: it stays when its name goes,
// and keeps out a set that needs its name.
func TestAlteredResultsStay(t *testing.T) {
	for what, alter := range map[string]func(path string) error{
		"other content":       func(path string) error { return os.WriteFile(path, []byte("mine and longer"), 0o644) },
		"of the same size":    func(path string) error { return os.WriteFile(path, []byte("OLD C"), 0o644) },
		"size and time alike": func(path string) error { return sameTime(path, "OLD C") },
		"a link":              func(path string) error { return relinked(path, "notes.txt") },
		"a link to the same": func(path string) error {
			return os.WriteFile(path+" 2", []byte("old c"), 0o644)
		},
		"a pipe": func(path string) error {
			os.Remove(path)
			return unix.Mkfifo(path, 0o600)
		},
	} {
		path := folder(t)
		own := filepath.Join(path, "only old")
		if err := alter(own); err != nil {
			t.Fatal(err)
		}
		if what == "a link to the same" {
			if err := relinked(own, "only old 2"); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Open(path, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Altered(); len(got) != 1 || got[0] != "only old" {
			t.Errorf("%s: altered are %q", what, got)
		}
		if err := f.Admit([]string{"only old"}, nil); err == nil || !strings.Contains(err.Error(), own) {
			t.Errorf("%s: admitting it says %v", what, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(own)
		if err := replace(disk{path: path}, second, "kept"); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Lstat(own); err != nil || !os.SameFile(before, after) || before.ModTime() != after.ModTime() {
			t.Errorf("%s: it is another file now: %v", what, err)
		}
		if isThere(filepath.Join(path, hidden)) || isThere(filepath.Join(path, journal)) {
			t.Errorf("%s: hidden files are left", what)
		}
	}
}

func relinked(path, to string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink(to, path)
}

func sameTime(path, content string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		return err
	}
	return os.Chtimes(path, info.ModTime(), info.ModTime())
}

// Results that were copied elsewhere, with other times, are results there.
func TestCopiedResultsAreResults(t *testing.T) {
	path, copied := folder(t), filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	if err := replace(disk{path: copied}, second, "kept"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, copied); len(got) != len(after) {
		t.Errorf("there are %v, want %v", got, after)
	}
}

// Somebody puts a file into a place while results wait to be moved there: it
// stays, and they come when it is gone.
func TestAFileInThePlaceOfWaitingResults(t *testing.T) {
	path := folder(t)
	for n := 0; !Unfinished(path); n++ {
		hook, _ := stopAt(n, false)
		_ = replace(disk{path, hook}, second, "kept")
	}
	mine := filepath.Join(path, "only new")
	put(t, mine, "mine")
	for range 2 {
		if err := Mend(path); err == nil || !strings.Contains(err.Error(), mine) {
			t.Errorf("completing says %v", err)
		}
		if err := replace(disk{path: path}, files{"a": "third"}); err == nil || !strings.Contains(err.Error(), mine) {
			t.Errorf("the next one says %v", err)
		}
	}
	if err := os.Rename(mine, filepath.Join(path, "mine")); err != nil {
		t.Fatal(err)
	}
	if err := Mend(path); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, path), merged(after, files{"mine": "mine"}); len(got) != len(want) || got["only new"] != "new d" || got["a"] != "new a" {
		t.Errorf("there are %v, want %v", got, want)
	}
}

func TestModesOfResultsAreKept(t *testing.T) {
	path := folder(t)
	modes := map[string]fs.FileMode{"a": 0o600, "b": 0o640, list: 0o600}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(path, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	modes["only new"] = 0o660
	before := unix.Umask(0o007)
	defer unix.Umask(before)
	f, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(path, hidden)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may look at what is written: %v, %v", info.Mode(), err)
	}
	for name, content := range second {
		if err := f.disk.write(filepath.Join(hidden, name), []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Commit("kept"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range modes {
		if info, err := os.Stat(filepath.Join(path, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, want %o: %v", name, info.Mode(), mode, err)
		}
	}
}

func TestAddedFilesTakeNobodysPlace(t *testing.T) {
	path := folder(t)
	add := func(otherNames bool) ([]string, error) {
		f, err := Open(path, "")
		if err != nil {
			t.Fatal(err)
		}
		put(t, Hidden(path, "x.vtu"), "new")
		added, err := f.Add(func(path string) bool { return strings.HasPrefix(read(t, filepath.Dir(path))["x.vtu"], "ours") }, otherNames)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return added, err
	}
	put(t, filepath.Join(path, "x.vtu"), "mine")
	put(t, filepath.Join(path, "x-2.vtu"), "mine, too")
	if _, err := add(false); err == nil || !strings.Contains(err.Error(), "x.vtu") {
		t.Errorf("it says %v", err)
	}
	if added, err := add(true); err != nil || len(added) != 1 || filepath.Base(added[0]) != "x-3.vtu" {
		t.Errorf("added are %q, %v", added, err)
	}
	put(t, filepath.Join(path, "x.vtu"), "ours")
	if added, err := add(false); err != nil || len(added) != 1 || filepath.Base(added[0]) != "x.vtu" {
		t.Errorf("added are %q, %v", added, err)
	}
	if got := read(t, path); got["x.vtu"] != "new" || got["x-2.vtu"] != "mine, too" || got["x-3.vtu"] != "new" {
		t.Errorf("there are %v", got)
	}
}

func TestPlainNames(t *testing.T) {
	for name, want := range map[string]bool{
		"flow.png": true, ".hidden.grid": true, ".grid": true, "-": true, "a b": true, "ü": true,
		"": false, ".": false, "..": false, "a/b": false, "/": false, ".mark": false, ".journal": false, ".carina-files": false, ".carina-write-0": false, "a\x00": false,
	} {
		if Plain(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
