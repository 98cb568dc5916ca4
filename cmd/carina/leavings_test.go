package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"carina"
	"carina/internal/race"
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
			p := start(t, "", "generate", "airway", "--generations", race.Few("5", "8"), "--segments", "48", "-o", in("airway.stl"))
			for p.runs() && len(hiddenIn(t, folder)) == 0 {
				time.Sleep(100 * time.Microsecond)
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
		{"solve", part, "--flow", "0.05L/min", "--steps", "2", "--out", folder},
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

// A folder as killed runs and strangers leave it is the same after every command
// that only reads there.
func TestCommandsThatReadChangeNothing(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	put := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(in(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pipe := generated(t, "pipe")
	if err := os.Rename(copied(t, pipe, "pipe.stl"), in("pipe.stl")); err != nil {
		t.Fatal(err)
	}
	succeed[partitionResult](t, "partition", in("pipe.stl"), "--spacing", "3mm", "--ranks", "2", "-o", in("pipe.part.json"))
	put("ring.graph", ringOfEight)
	put("case.yaml", "surface: pipe.stl\nspacing: 3mm\nranks: 1\nsteps: 2\nflow: 0.05L/min\n")
	put("patient.stl", "patient")
	put(".carina-new/.mark", "")
	put(".carina-new/patient.stl", "bad")
	put(".carina-lock", "")
	put(".carina-write-0123456789abcdef01234567", "half")
	if err := os.Symlink(t.TempDir(), in(".carina-2")); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	out := func(name string) string { return filepath.Join(elsewhere, name) }
	t.Chdir(folder)
	check := func(before map[string]string, line []string) {
		t.Helper()
		if status, _, said := invoke(t, line...); status != 0 || !strings.Contains(said, "a run was killed while it moved its results into ") {
			t.Errorf("%v: status %d, says %q", line, status, said)
		}
		unchanged(t, before, stamps(t, folder))
	}
	journals := []string{`{"come":[],"go":["patient.stl"]}`, `{"come":["patient.stl"],"go":[]}`,
		`{"format":"carina moves 1","come":[{"name":"patient.stl"}],"go":[],"set":false}`, `{"format":"carina moves 1","come":[],"go":[{"name":"patient.stl"}],"set":true}`}
	for _, journal := range race.Few(journals[3:], journals) {
		put(".carina-journal", journal)
		before := stamps(t, folder)
		for _, line := range [][]string{{"inspect", "./pipe.grid"}, {"graph", "ring.graph", "2"}, {"export", "pipe.part.json", "--to", "vtk", "-o", out("page")}} {
			check(before, line)
		}
		// One that writes there does not obey it either.
		for _, line := range [][]string{{"view", "pipe.part.json"}, {"solve", "pipe.part.json", "--steps", "2", "--out", folder}} {
			invoke(t, line...)
			if data, err := os.ReadFile("patient.stl"); err != nil || string(data) != "patient" {
				t.Errorf("%s, %v: patient.stl holds %q, %v", journal, line, data, err)
			}
		}
		os.Remove("pipe.part.json.html")
		put(".carina-new/.mark", "")
		put(".carina-new/patient.stl", "bad")
		put(".carina-lock", "")
	}
	put(".carina-journal", "no journal")
	before := stamps(t, folder)
	for _, line := range [][]string{
		{"inspect", "pipe.stl"}, {"inspect", "./pipe.grid"}, {"inspect", in("pipe.part.json")}, {"inspect", "ring.graph"}, {"graph", "ring.graph", "2"},
		{"inspect", "pipe.stl", "--picture", out("pipe.png")},
		{"solve", "pipe.part.json", "--steps", "2"}, {"solve", "pipe.part.json", "--steps", "2", "--case", "case.yaml", "--out", out("flow")},
		{"run", "case.yaml", "--out", out("flow")}, {"voxelize", "case.yaml", "-o", out("pipe.grid")}, {"partition", "pipe.grid", "--ranks", "2", "-o", out("b.part.json")},
		{"view", "pipe.part.json", "-o", out("page.html")}, {"export", "pipe.part.json", "--to", "vtk", "-o", out("page")}, {"graph", "ring.graph", "2", "-o", out("ring.part")},
	} {
		check(before, line)
	}
}

// Pipes under names of the folder's own keep nobody waiting.
func TestPipesKeepNobodyWaiting(t *testing.T) {
	part := partitioned(t, "--ranks", "2")
	for _, name := range []string{".carina-files", ".carina-journal", ".carina-lock", ".carina-new", "summary.json", "flow_0001.vtu", "flow_0002.vtu"} {
		out := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(out, name), 0o600); err != nil {
			t.Fatal(err)
		}
		before := contents(t, out)
		p := start(t, "", "solve", part, "--flow", "0.05L/min", "--steps", "2", "--out", out)
		timer := time.AfterFunc(patience, func() { p.Process.Kill() })
		status := p.status(t)
		timer.Stop()
		if free := name == "flow_0002.vtu"; (status == 0) != free || status < 0 || !free && !strings.Contains(p.stderr.String(), name) {
			t.Errorf("%s: status %d, says %q", name, status, &p.stderr)
		}
		if after := contents(t, out); after[name] != "pipe" || name != "flow_0002.vtu" && len(after) != len(before) {
			t.Errorf("%s: there are %v", name, after)
		}
	}
}

// What somebody has laid over a result stays, and is told of.
func TestFilesLaidOverResultsStay(t *testing.T) {
	three, two := pipeOn(t, "3"), pipeOn(t, "2")
	out := filepath.Join(t.TempDir(), "out")
	solve := func(part string) (int, string) {
		status, _, said := invoke(t, "solve", part, "--flow", "0.05L/min", "--steps", "2", "--out", out)
		return status, said
	}
	if status, said := solve(three); status != 0 {
		t.Fatal(said)
	}
	own := filepath.Join(out, "flow_0002.vtu")
	if err := os.WriteFile(own, []byte("my own"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, said := solve(two); status != 0 || !strings.Contains(said, own+" is no longer what was written there as a result: it stays") {
		t.Errorf("status %d, says %q", status, said)
	}
	for range 2 {
		before := stamps(t, out)
		if status, said := solve(three); status != exitFailure || !strings.Contains(said, own+" is not what was written there as a result: move it away") {
			t.Errorf("status %d, says %q", status, said)
		}
		unchanged(t, before, stamps(t, out))
	}
	if data, err := os.ReadFile(own); err != nil || string(data) != "my own" {
		t.Errorf("it holds %q, %v", data, err)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if status, said := solve(three); status != 0 {
		t.Error(said)
	}
	// Fields of a flow that diverges take nobody's place.
	diverged := filepath.Join(out, "diverged_0000.vtu")
	if err := os.WriteFile(diverged, []byte("my own"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		invoke(t, "solve", two, "--flow", "100L/min", "--time-step", "20us", "--steps", "20000", "--out", out)
	}
	if data, err := os.ReadFile(diverged); err != nil || string(data) != "my own" || !isThere(filepath.Join(out, "diverged_0000-2.vtu")) || isThere(filepath.Join(out, "diverged_0001-2.vtu")) || isThere(filepath.Join(out, "diverged_0000-3.vtu")) {
		t.Errorf("it holds %q, %v, beside %v", data, err, contents(t, out))
	}
}

// Names that begin with a dot are names like others.
func TestHiddenSurfacesGiveCompleteResults(t *testing.T) {
	names := []string{".hidden.stl", "..stl", ".stl", ".carina.stl", ".carina-files.stl", ".mark.stl", ".a b.stl"}
	for _, name := range race.Few(names[:2], names) {
		surface := copied(t, generated(t, "pipe"), name)
		out := filepath.Join(t.TempDir(), "r")
		p := succeed[carina.Summary](t, "run", surface, "--spacing", "3mm", "--flow", "1L/min", "--steps", "2", "--ranks", "2", "--out", out).Provenance
		if p.Grid.SHA256 != sha(t, filepath.Join(out, p.Grid.File)) || p.Partition.SHA256 != sha(t, filepath.Join(out, p.Partition.File)) {
			t.Errorf("%s: %+v", name, p)
		}
		succeed[carina.Summary](t, "solve", filepath.Join(out, p.Partition.File), "--flow", "1L/min", "--steps", "2")
		shares := filepath.Join(filepath.Dir(surface), ".h.part.json")
		succeed[partitionResult](t, "partition", surface, "--spacing", "3mm", "--ranks", "2", "--shares", "-o", shares)
		for _, file := range []string{shares, strings.ReplaceAll(shares, ".part.json", ".0001.share"), strings.ReplaceAll(shares, ".part.json", ".grid")} {
			if !isThere(file) {
				t.Errorf("%s is missing", file)
			}
		}
	}
}

// masked runs a command line under a mask.
func masked(t *testing.T, mask string, line ...string) {
	t.Helper()
	p := start(t, "umask "+mask, line...)
	if status := p.status(t); status != 0 {
		t.Fatalf("%v: %s", line, &p.stderr)
	}
}

// A folder is no name of a file, whichever command is to write it.
func TestFoldersAreNoOutputs(t *testing.T) {
	pipe, part, ring := generated(t, "pipe"), partitioned(t, "--ranks", "2"), written(t, "ring.graph", ringOfEight)
	folder := t.TempDir()
	inner := filepath.Join(folder, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inner)
	for _, line := range [][]string{
		{"generate", "cavity", "-o"}, {"voxelize", pipe, "--spacing", "3mm", "-o"}, {"partition", pipe, "--spacing", "3mm", "-o"}, {"view", pipe, "-o"},
		{"graph", ring, "2", "-o"}, {"init", pipe, "-o"}, {"inspect", pipe, "--picture"},
		{"export", part, "--to", "vtk", "-o"}, {"export", part, "--to", "metis", "-o"}, {"export", part, "--to", "openlb", "-o"},
	} {
		for _, name := range []string{".", "..", inner, inner + "/"} {
			status, _, said := invoke(t, append(append([]string{}, line...), name)...)
			if status != exitFailure || strings.Count(said, "\n") != 1 || !strings.Contains(said, "writing "+name+": it is a folder") {
				t.Errorf("%v %s ends with %d and says %q", line, name, status, said)
			}
		}
	}
	eachFile(t, folder, func(path string, mode os.FileMode) {
		if path != inner {
			t.Errorf("%s was written", path)
		}
	})
	// A partition's files may have the name of a folder beside it, where nobody named that.
	if err := os.Mkdir(strings.TrimSuffix(part, ".part.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	succeed[map[string][]string](t, "export", part, "--to", "vtk")
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
		{"partition", pipe, "--spacing", "3mm", "--ranks", "2", "--shares", "-o", in("c.part.json")},
		{"view", pipe, "-o", in("pipe.html")},
		{"export", part, "--to", "metis", "-o", in("pipe")},
		{"solve", part, "--flow", "0.05L/min", "--steps", "60", "--out", in("out")},
	}
	lines = race.Few(lines[6:], lines)
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
