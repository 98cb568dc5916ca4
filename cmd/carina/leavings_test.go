package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hiddenIn are the names in a folder that begin with a dot.
func hiddenIn(t *testing.T, folder string) (hidden []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			hidden = append(hidden, entry.Name())
		}
	}
	return hidden
}

// What a killed process has half written goes when the next command writes into
// the folder, whatever it writes there; one that is being written stays.
func TestLeavingsOfKilledProcessesGo(t *testing.T) {
	folder, pipe := t.TempDir(), generated(t, "pipe")
	part := partitioned(t, "--ranks", "2")
	in := func(name string) string { return filepath.Join(folder, name) }
	killed := func() {
		t.Helper()
		for range 50 {
			p := start(t, "", "generate", "airway", "--generations", "8", "--segments", "48", "-o", in("airway.stl"))
			for p.ProcessState == nil && len(hiddenIn(t, folder)) == 0 {
				time.Sleep(100 * time.Microsecond)
				if syscall.Kill(p.Process.Pid, 0) != nil || isThere(in("airway.stl")) {
					break
				}
			}
			_ = p.Process.Kill()
			p.status(t)
			if len(hiddenIn(t, folder)) > 0 {
				return
			}
			os.Remove(in("airway.stl"))
		}
		t.Fatal("no process was killed while it wrote")
	}
	for _, line := range [][]string{
		{"generate", "cavity", "-o", in("airway.stl")},
		{"voxelize", pipe, "--spacing", "3mm", "-o", in("pipe.grid")},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "2", "-o", in("pipe.part.json")},
		{"view", pipe, "-o", in("pipe.html")},
		{"inspect", pipe, "--picture", in("pipe.png")},
		{"export", part, "--to", "vtk", "-o", in("pipe")},
	} {
		killed()
		if status, _, said := invoke(t, line...); status != 0 {
			t.Fatal(said)
		}
		if left := hiddenIn(t, folder); strings.Join(left, "") != strings.Join(hiddenLists(left), "") {
			t.Errorf("%v leaves %q", line, left)
		}
	}
}

// hiddenLists are the names among those of a folder that lists of results have.
func hiddenLists(names []string) (lists []string) {
	for _, name := range names {
		if name == ".carina-files" {
			lists = append(lists, name)
		}
	}
	return lists
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// The grid beside a partition takes the place of nobody's file.
func TestTheGridBesideAPartitionReplacesNobody(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	partition := func(spacing string) string {
		t.Helper()
		return succeed[partitionResult](t, "partition", pipe, "--spacing", spacing, "--ranks", "2", "-o", in("pipe.part.json")).GridFile
	}
	second := partition("2.5mm")
	if err := os.Rename(in(second), in("kept.grid")); err != nil {
		t.Fatal(err)
	}
	partition("3mm")
	named := partition("2.5mm") // after its contents
	mine := []string{"pipe.grid.new", "pipe.grid.tmp", ".pipe.grid.1", named}
	for _, name := range mine {
		if err := os.WriteFile(in(name), []byte("mine "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := stamps(t, folder)
	delete(before, "pipe.part.json")
	third := partition("2.5mm")
	after := stamps(t, folder)
	if after[third] == "" || before[third] != "" {
		t.Errorf("the grid is %s, which was there", third)
	}
	delete(after, "pipe.part.json")
	delete(after, third)
	unchanged(t, before, after)
	succeed[inspectedPartition](t, "inspect", in("pipe.part.json"))
}

// masked runs a command line under a mask.
func masked(t *testing.T, mask string, line ...string) {
	t.Helper()
	p := start(t, "umask "+mask, line...)
	if status := p.status(t); status != 0 {
		t.Fatalf("%v: %s", line, &p.stderr)
	}
}

// Whatever is written is for those whom the mask lets read it, and what is
// replaced keeps its mode.
func TestMasksAndModesAreKept(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	part := partitioned(t, "--ranks", "2")
	in := func(name string) string { return filepath.Join(folder, name) }
	lines := [][]string{
		{"generate", "cavity", "-o", in("cavity.stl")},
		{"inspect", pipe, "--picture", in("pipe.png")},
		{"voxelize", pipe, "--spacing", "3mm", "-o", in("pipe.grid")},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "2", "-o", in("b.part.json")},
		{"view", pipe, "-o", in("pipe.html")},
		{"export", part, "--to", "metis", "-o", in("pipe")},
	}
	for _, line := range lines {
		masked(t, "077", line...)
	}
	eachFile(t, folder, func(path string, mode os.FileMode) {
		if mode.Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v under the mask 077", path, mode)
		}
		if mode.IsRegular() {
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, line := range lines {
		masked(t, "022", line...)
	}
	eachFile(t, folder, func(path string, mode os.FileMode) {
		if mode.IsRegular() && mode.Perm() != 0o640 && filepath.Base(path) != ".carina-files" {
			t.Errorf("%s has mode %v, want that of the file before", path, mode)
		}
	})
}

func eachFile(t *testing.T, folder string, do func(path string, mode os.FileMode)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			do(path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
