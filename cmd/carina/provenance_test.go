package main

import (
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"carina"

	"github.com/google/go-cmp/cmp"
)

func sha(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

func TestSummaryTellsWhereItComesFrom(t *testing.T) {
	surface := thinPipe(t)
	folder := filepath.Dir(surface)
	caseFile, out := filepath.Join(folder, "case.yaml"), filepath.Join(folder, "out")
	text := "surface: pipe.stl\nunit: mm\nspacing: 1.5mm\nflow: 0.05L/min\nranks: 2\nsteps: 60\n" +
		"conditions:\n  - {opening: outlet_02, kind: pressure, pressure: 2Pa}\n"
	if err := os.WriteFile(caseFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	printed := succeed[carina.Summary](t, "run", caseFile, "--wall", "bounce-back", "--out", out)
	var written carina.Summary
	decode(t, filepath.Join(out, "summary.json"), &written)
	if diff := cmp.Diff(written, printed); diff != "" {
		t.Errorf("printed is something else:\n%s", diff)
	}
	p := written.Provenance
	if p.Version == "" || p.Build == "" || len(p.Command) == 0 || p.Started.IsZero() || p.Steps != 60 {
		t.Errorf("%+v", p)
	}
	for name, hashes := range map[string][2]string{
		"case":      {p.CaseFile.SHA256, sha(t, caseFile)},
		"surface":   {p.Surface.SHA256, sha(t, surface)},
		"grid":      {p.Grid.SHA256, sha(t, filepath.Join(out, p.Grid.File))},
		"partition": {p.Partition.SHA256, sha(t, filepath.Join(out, p.Partition.File))},
	} {
		if hashes[0] != hashes[1] {
			t.Errorf("the hash of the %s is %s, want %s", name, hashes[0], hashes[1])
		}
	}
	said := map[string]any{"surface": surface, "unit": "mm", "spacing": "1.5mm", "flow": "0.05L/min", "ranks": 2., "steps": 60., "wall": "bounce-back", "output": out,
		"conditions": []any{map[string]any{"opening": "outlet_02", "kind": "pressure", "pressure": "2Pa"}}}
	if diff := cmp.Diff(said, p.Case); diff != "" {
		t.Errorf("the case:\n%s", diff)
	}
	used := written.Settings
	if used.Collision != "trt" || used.Lattice != "D3Q19" || used.Wall != "bounce-back" || used.Precision != "single" || used.Layout != "sparse" ||
		used.Profile != "plug" || used.InstructionSet == "" || used.TimeStep != written.TimeStep || !(used.RampTime > 0) || !(used.LatticeVelocity > 0) {
		t.Errorf("settings %+v", used)
	}
	// The partition file tells the surface.
	solved := succeed[carina.Summary](t, "solve", filepath.Join(out, p.Partition.File), "--flow", "0.05L/min", "--steps", "2").Provenance
	if diff := cmp.Diff([]any{p.Surface, p.Grid, p.Partition}, []any{solved.Surface, solved.Grid, solved.Partition}); diff != "" {
		t.Errorf("computed from the partition file:\n%s", diff)
	}
}

func TestHistoryEndsAsTheSummarySays(t *testing.T) {
	part, out := pipeOn(t, "2"), filepath.Join(t.TempDir(), "out")
	s := succeed[carina.Summary](t, "solve", part, "--flow", "0.05L/min", "--steps", "220", "--out", out)
	file, err := os.Open(filepath.Join(out, "history.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const samples = 5 // after 50, 100, 150, 200 and 220 steps
	if diff := cmp.Diff([]string{"time_s", "flow_m3_per_s inlet", "pressure_pa inlet", "flow_m3_per_s outlet_02", "pressure_pa outlet_02"}, rows[0]); diff != "" || len(rows) != 1+samples {
		t.Fatalf("%d rows, heading %s", len(rows), diff)
	}
	want := []float64{s.Time}
	for _, o := range s.Openings {
		want = append(want, o.Flow, o.Pressure)
	}
	for i, text := range rows[samples] {
		if got, err := strconv.ParseFloat(text, 64); err != nil || got != want[i] {
			t.Errorf("%s ends at %s, the summary says %g", rows[0][i], text, want[i])
		}
	}
}

// A binary that is built from a repository says in its results of which commit it is, and
// whether files were changed.
func TestSummaryNamesTheCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git to ask for the commit")
	}
	in := func(folder, name string, arguments ...string) (string, error) {
		command := exec.Command(name, arguments...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	// Where the tests are built from the same folder, all packages are compiled.
	program := filepath.Join(t.TempDir(), "carina")
	build := []string{"build", "-buildvcs=true", "-ldflags=-s -w", "-o", program}
	source, err := in(".", "git", "rev-parse", "--show-toplevel")
	if info, missing := os.Stat(filepath.Join(source, ".git")); err == nil && missing == nil && !info.IsDir() {
		// Go names the commit of no linked working tree.
		clone := filepath.Join(t.TempDir(), "clone")
		_, err = in(".", "git", "clone", "--quiet", "--no-hardlinks", "--depth", "1", "file://"+source, clone)
		source = clone
		build = append(build, "-trimpath") // compiled once for all clones
	}
	if err != nil {
		t.Skip("the source is in no repository that git clones")
	}
	commit, err := in(source, "git", "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	changes, err := in(source, "git", "status", "--porcelain")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := in(source, "go", append(build, "./cmd/carina")...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results := filepath.Join(t.TempDir(), "results")
	if out, err := in(source, program, "solve", pipeOn(t, "1"), "--flow", "0.05L/min", "--steps", "2", "--out", results); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var written carina.Summary
	decode(t, filepath.Join(results, "summary.json"), &written)
	if p := written.Provenance; p.Commit != commit || p.Modified != (changes != "") {
		t.Errorf("commit %q, modified %v; want %q with the changes %q", p.Commit, p.Modified, commit, changes)
	}
}
