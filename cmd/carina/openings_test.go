package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/geometry"
	"carina/internal/race"
	"carina/solver/airflow"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/spatial/r3"
)

// foundOpenings is what the tests below read of `carina inspect --json`.
type foundOpenings struct {
	Openings []geometry.OpeningReport `json:"openings"`
	Warnings []string                 `json:"warnings"`
	Verdict  string                   `json:"verdict"`
}

func (f *foundOpenings) byNumber() map[int]geometry.OpeningReport {
	by := map[int]geometry.OpeningReport{}
	for _, o := range f.Openings {
		by[o.Number] = o
	}
	return by
}

// tree is a surface with an inlet and four outlets.
func tree(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "tree.stl")
	succeed[map[string]any](t, "generate", "airway", "--generations", "2", "--segments", "24", "-o", path)
	return path
}

func TestDroppedAndMergedOpeningsLeaveTheNumbersOfOthers(t *testing.T) {
	path := tree(t)
	all := succeed[foundOpenings](t, "inspect", path)
	before := all.byNumber()
	if len(before) != 5 {
		t.Fatalf("%d openings, want 5", len(before))
	}
	dropped := succeed[foundOpenings](t, "inspect", path, "--drop-opening", "3")
	want := all.byNumber()
	delete(want, 3)
	if diff := cmp.Diff(want, dropped.byNumber()); diff != "" {
		t.Errorf("dropping opening 3 changed others (-want +got):\n%s", diff)
	}
}

// splitPipe is a pipe whose far end is named as two halves in the file.
func splitPipe(t *testing.T) (whole, split string) {
	whole = generated(t, "pipe", "--segments", "24", "--length", "40mm")
	surface, err := geometry.ReadSurface(whole, geometry.Millimetre)
	if err != nil {
		t.Fatal(err)
	}
	_, high := surface.Bounds()
	solids := []string{"wall", "inlet", "left", "right"}
	var text [4]strings.Builder
	for i := range surface.Triangles {
		a, b, c := surface.Corners(i)
		center := r3.Scale(1./3, r3.Add(a, r3.Add(b, c)))
		solid := 0
		switch {
		case max(a.Z, b.Z, c.Z) < 1e-9:
			solid = 1
		case min(a.Z, b.Z, c.Z) > high.Z-1e-9 && center.X < 0:
			solid = 2
		case min(a.Z, b.Z, c.Z) > high.Z-1e-9:
			solid = 3
		}
		fmt.Fprintf(&text[solid], "facet normal 0 0 0\nouter loop\n")
		for _, v := range [3]r3.Vec{a, b, c} {
			fmt.Fprintf(&text[solid], "vertex %.9g %.9g %.9g\n", v.X*1e3, v.Y*1e3, v.Z*1e3)
		}
		fmt.Fprintf(&text[solid], "endloop\nendfacet\n")
	}
	split = filepath.Join(filepath.Dir(whole), "split.stl")
	var file strings.Builder
	for i, name := range solids {
		fmt.Fprintf(&file, "solid %s\n%sendsolid %s\n", name, text[i].String(), name)
	}
	if err := os.WriteFile(split, []byte(file.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return whole, split
}

// The union of two halves of an end acts as the whole end.
func TestMergedOpeningsActAsOne(t *testing.T) {
	whole, split := splitPipe(t)
	want := succeed[foundOpenings](t, "inspect", whole, "--inlet", "1")
	halves := succeed[foundOpenings](t, "inspect", split)
	merged := succeed[foundOpenings](t, "inspect", split, "--merge-openings", "2,3")
	if len(halves.Openings) != 3 || len(merged.Openings) != 2 {
		t.Fatalf("%d openings and %d after merging two, want 3 and 2", len(halves.Openings), len(merged.Openings))
	}
	if got, want := merged.Openings[1].Area, want.Openings[1].Area; math.Abs(got-want) > 1e-6*want {
		t.Errorf("the merged opening has %g m², want %g", got, want)
	}
	flow := []string{"--unit", "mm", "--spacing", "2mm", "--flow", "0.5L/min", "--steps", "300", "--out", t.TempDir()}
	one := succeed[airflow.Summary](t, append([]string{"run", split, "--merge-openings", "2,3"}, flow...)...)
	plain := succeed[airflow.Summary](t, append([]string{"run", whole, "--inlet", fmt.Sprint(inletAtZero(want))}, flow...)...)
	if len(one.Openings) != 2 || math.Abs(one.PressureDrop-plain.PressureDrop) > 1e-4*plain.PressureDrop {
		t.Errorf("%d openings, pressure drop %g; the whole pipe has %g", len(one.Openings), one.PressureDrop, plain.PressureDrop)
	}
}

// inletAtZero is the number of the opening at z = 0.
func inletAtZero(f foundOpenings) int {
	for _, o := range f.Openings {
		if math.Abs(o.Center[2]) < 1e-6 {
			return o.Number
		}
	}
	return 0
}

func TestRolesOfOpenings(t *testing.T) {
	path := tree(t)
	r := succeed[foundOpenings](t, "inspect", path, "--role", "3=inlet", "--role", "4=inlet,5=outlet")
	for number, o := range r.byNumber() {
		if want := number == 3 || number == 4; (o.Role == geometry.Inlet) != want {
			t.Errorf("opening %d is an %s", number, o.Role)
		}
	}
	refused := []struct {
		arguments []string
		says      string
	}{
		{[]string{"--drop-opening", "9"}, "no opening 9"},
		{[]string{"--drop-opening", "2", "--merge-openings", "2,3"}, "twice"},
		{[]string{"--drop-opening", "2", "--inlet", "2"}, "dropped"},
		{[]string{"--merge-openings", "2"}, "two openings or more"},
		{[]string{"--role", "2=outlet", "--inlet", "2"}, "opening 2"},
	}
	for _, test := range refused {
		status, _, stderr := invoke(t, append([]string{"inspect", path}, test.arguments...)...)
		if status != exitFailure || !strings.Contains(stderr, test.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, says %q; want %q in one line", test.arguments, status, stderr, test.says)
		}
	}
}

func TestEndsThatFaceDifferentWaysAreNotMerged(t *testing.T) {
	status, _, stderr := invoke(t, "inspect", generated(t, "pipe"), "--merge-openings", "1,2")
	if status != exitFailure || !strings.Contains(stderr, "one plane") || !strings.Contains(stderr, "turned by 180°") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, says %q", status, stderr)
	}
}

// The table of the openings says how sure each is.
func TestInspectSaysHowSureOpeningsAre(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.stl")
	succeed[map[string]any](t, "generate", "pipe", "-o", path)
	status, stdout, _ := invoke(t, "inspect", path)
	if lines := strings.Count(stdout, "  100 %\n"); status != 0 || !strings.Contains(stdout, "   sure\n") || lines != 2 {
		t.Errorf("status %d, says %s", status, stdout)
	}
}

// A flow through a tree with one end closed, from a case file,
// as a whole and step by step.
func TestFlowWithCorrectedOpenings(t *testing.T) {
	path := tree(t)
	folder := filepath.Dir(path)
	file := filepath.Join(folder, "case.yaml")
	text := "surface: tree.stl\nspacing: 2mm\nsteps: " + race.Few("50", "5000") + "\nflow: 1L/min\ndrop-openings: [3]\nroles: {1: inlet}\nconditions:\n  - {opening: 5, kind: pressure, pressure: 0.001Pa}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	whole := succeed[airflow.Summary](t, "run", file, "--out", filepath.Join(folder, "out"))
	var numbers []int
	var sum float64
	for _, o := range whole.Openings {
		numbers = append(numbers, o.Number)
		sum += o.Flow
	}
	if diff := cmp.Diff([]int{1, 2, 4, 5}, numbers); diff != "" {
		t.Errorf("openings (-want +got):\n%s", diff)
	}
	inflow := whole.Openings[0].Flow
	if developed := !race.Enabled; developed && (math.Abs(inflow-1e-3/60) > 0.01*inflow || math.Abs(sum) > 0.1*inflow) {
		t.Errorf("%g enters and %g stays, want %g and next to nothing", inflow, sum, 1e-3/60)
	}
	part := filepath.Join(folder, "tree.part.json")
	succeed[partitionResult](t, "partition", file, "--ranks", "2", "-o", part)
	if parts := succeed[airflow.Summary](t, "solve", part, "--case", file); parts.StateHash != whole.StateHash {
		t.Errorf("step by step the state hash is %s, want %s", parts.StateHash, whole.StateHash)
	}
	if status, _, stderr := invoke(t, "run", file, "--drop-opening", "2", "--role", "4=inlet", "--steps", "2", "--out", filepath.Join(folder, "other"), "--json"); status != 0 {
		t.Errorf("flags on top of the case: %s", stderr)
	}
}

// Nothing tells which end of a pipe is the inlet.
func TestInletOfAPipeIsCalledAGuess(t *testing.T) {
	r := succeed[foundOpenings](t, "inspect", generated(t, "pipe"))
	if !strings.Contains(r.Verdict, "guess") || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "--inlet 2") {
		t.Errorf("verdict %q, warnings %q; want a guess that names --inlet 2", r.Verdict, r.Warnings)
	}
	if r := succeed[foundOpenings](t, "inspect", generated(t, "pipe"), "--inlet", "2"); strings.Contains(r.Verdict, "guess") || len(r.Warnings) > 0 {
		t.Errorf("a chosen inlet is called a guess: %q, %q", r.Verdict, r.Warnings)
	}
	if r := succeed[foundOpenings](t, "inspect", tree(t)); strings.Contains(r.Verdict, "guess") || len(r.Warnings) > 0 {
		t.Errorf("the trachea of a tree is called a guess: %q, %q", r.Verdict, r.Warnings)
	}
}
