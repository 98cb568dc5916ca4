package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/solver/airflow"

	"github.com/google/go-cmp/cmp"
)

// contents are hashes of what a folder holds by name, folders and links too.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil || name == "." {
			return err
		}
		switch entry.Type() {
		case fs.ModeDir:
			found[name] = "folder"
		case fs.ModeSymlink:
			found[name], err = os.Readlink(path)
		case fs.ModeNamedPipe:
			found[name] = "pipe"
		default:
			var data []byte
			data, err = os.ReadFile(path)
			found[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func unchanged(t *testing.T, before, after map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the folder changed:\n%s", diff)
	}
}

// refusals are runs that are refused or fail.
var refusals = [][]string{
	{"--time-step", "1h", "--steps", "100"},
	{"--collision", "cumulant", "--steps", "2"},
	{"--device", "gpu", "--steps", "2"},
	{"--steps", "-1"},
	{"--flow", "1e300L/min", "--steps", "2"},
}

func TestWhatIsRefusedLeavesTheFolderAsItWas(t *testing.T) {
	pipe, out := thinPipe(t), filepath.Join(t.TempDir(), "out")
	run := []string{"run", pipe, "--spacing", "1.5mm", "--ranks", "2", "--directions", "18", "--out", out}
	succeed[*airflow.Summary](t, append(run, "--flow", "0.05L/min", "--steps", "50")...)
	before := contents(t, out)
	for _, wrong := range refusals {
		for _, command := range [][]string{run, {"solve", filepath.Join(out, "pipe.part.json"), "--out", out}} {
			command = append(append([]string{}, command...), wrong...)
			if status, _, _ := invoke(t, command...); status != exitFailure {
				t.Errorf("%v: status %d", command, status)
			}
			unchanged(t, before, contents(t, out))
		}
	}
}

func TestForeignFilesSurvive(t *testing.T) {
	part, out := pipeOn(t, "2"), filepath.Join(t.TempDir(), "out")
	for _, name := range []string{"patient_20240101.vtu", "flow_0007.vtu", "diverged_0000.vtu", "history.png", "notes.txt", ".carina", "sub/flow.png"} {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	foreign := contents(t, out)
	for _, arguments := range [][]string{{"--steps", "50"}, {"--steps", "2"}} {
		succeed[*airflow.Summary](t, append([]string{"solve", part, "--flow", "0.05L/min", "--out", out}, arguments...)...)
		after := contents(t, out)
		for name, hash := range foreign {
			if after[name] != hash {
				t.Errorf("%v: %s changed", arguments, name)
			}
		}
	}
}

func TestDivergedFieldsSurvive(t *testing.T) {
	part, out := pipeOn(t, "2"), filepath.Join(t.TempDir(), "out")
	succeed[*airflow.Summary](t, "solve", part, "--flow", "0.05L/min", "--steps", "50", "--out", out)
	before := contents(t, out)
	status, _, said := invoke(t, "solve", part, "--flow", "100L/min", "--time-step", "20us", "--steps", "20000", "--out", out)
	if status != exitFailure || !strings.Contains(said, "diverged") || !strings.Contains(said, filepath.Join(out, "diverged_*.vtu")) {
		t.Fatalf("status %d, says %q", status, said)
	}
	// Where that was, in the surface's unit, and what helps.
	for _, words := range []string{") mm, ", " cells from opening ", " cells from the wall", " cells across", "air moved at", "reduce the time step below"} {
		if !strings.Contains(said, words) {
			t.Errorf("says nothing of %q: %q", words, said)
		}
	}
	after := contents(t, out)
	for _, name := range []string{"diverged_0000.vtu", "diverged_0001.vtu"} {
		if after[name] == "" {
			t.Fatalf("%s is missing", name)
		}
		before[name] = after[name]
	}
	unchanged(t, before, after)
	succeed[*airflow.Summary](t, "solve", part, "--flow", "0.05L/min", "--steps", "2", "--out", out)
	if after := contents(t, out); after["diverged_0000.vtu"] != before["diverged_0000.vtu"] {
		t.Error("the fields of the flow that diverged are gone")
	}
}

// What a run reads from the folder of its results stays there, and a grid that a
// user's partition needs too.
func TestInputsInTheFolderStay(t *testing.T) {
	pipe, out := thinPipe(t), filepath.Join(t.TempDir(), "out")
	flow := []string{"--flow", "0.05L/min", "--steps", "2", "--out", out}
	run := func(arguments ...string) {
		t.Helper()
		succeed[*airflow.Summary](t, append(append([]string{"run"}, arguments...), flow...)...)
	}
	run(pipe, "--spacing", "1.5mm", "--ranks", "2")
	grid, part := filepath.Join(out, "pipe.grid"), filepath.Join(out, "pipe.part.json")
	succeed[*airflow.Summary](t, append([]string{"solve", part}, flow...)...)
	succeed[*airflow.Summary](t, append([]string{"solve", part}, flow...)...)
	run(grid)
	own := filepath.Join(out, "3.part.json")
	succeed[partitionResult](t, "partition", grid, "--ranks", "3", "-o", own)
	run(pipe, "--spacing", "2mm")
	for _, file := range []string{own, part} {
		succeed[*airflow.Summary](t, "solve", file, "--flow", "0.05L/min", "--steps", "2")
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	run(pipe, "--spacing", "2mm")
	run(pipe, "--spacing", "2mm")
	if grids, err := filepath.Glob(filepath.Join(out, "*.grid")); err != nil || len(grids) != 1 {
		t.Errorf("grids %q are there, one is needed: %v", grids, err)
	}
	status, _, said := invoke(t, "solve", part, "--steps", "2", "--out", filepath.Join(out, "."), "--case", filepath.Join(out, "summary.json"))
	if status != exitFailure || said == "" {
		t.Errorf("status %d, says %q", status, said)
	}
}

func TestAnInputIsNotOverwrittenByResults(t *testing.T) {
	part, out := pipeOn(t, "1"), t.TempDir()
	for from, to := range map[string]string{part: filepath.Join(out, "summary.json"), strings.TrimSuffix(part, ".part.json") + ".grid": filepath.Join(out, "pipe.grid")} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, out)
	status, _, said := invoke(t, "solve", filepath.Join(out, "summary.json"), "--flow", "0.05L/min", "--steps", "2", "--out", out)
	if status != exitFailure || !strings.Contains(said, "overwritten") {
		t.Errorf("status %d, says %q", status, said)
	}
	unchanged(t, before, contents(t, out))
}
