package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/solver/airflow"
)

// partitioned writes a partition of a coarse pipe and returns its path.
func partitioned(t *testing.T, arguments ...string) string {
	t.Helper()
	part := filepath.Join(t.TempDir(), "pipe.part.json")
	succeed[partitionResult](t, append([]string{"partition", generated(t, "pipe"), "--spacing", "3mm", "-o", part}, arguments...)...)
	return part
}

// caseFile writes a case file for a coarse pipe and returns its path.
func caseFile(t *testing.T, lines ...string) string {
	t.Helper()
	surface := generated(t, "pipe")
	path := filepath.Join(filepath.Dir(surface), "case.yaml")
	text := "surface: pipe.stl\nunit: mm\nspacing: 3mm\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused runs a command that must fail with one sentence that says the words.
func refused(t *testing.T, says string, arguments ...string) {
	t.Helper()
	status, stdout, stderr := invoke(t, arguments...)
	if said := withoutNotes(stderr); status != exitFailure && status != exitUsage || !strings.Contains(said, says) || strings.Count(said, "\n") != 1 {
		t.Errorf("carina %q: status %d, says %q; want %q in one line", arguments, status, stderr, says)
	}
	if stdout != "" {
		t.Errorf("carina %q printed %q although it failed", arguments, stdout)
	}
}

func TestSpeedsArriveExactly(t *testing.T) {
	part := partitioned(t, "--ranks", "2", "--speeds", "1.4e-6,2.6e-6")
	data, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Ranks []balance.Rank }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Ranks) != 2 || file.Ranks[0].Speed != 1.4e-6 || file.Ranks[1].Speed != 2.6e-6 {
		t.Errorf("the partition has the ranks %+v", file.Ranks)
	}
}

func TestNumbersThatCannotBeMeantAreRefused(t *testing.T) {
	part := partitioned(t, "--ranks", "2")
	for _, test := range []struct{ flag, value, says string }{
		{"--tolerance", "NaN", "between 0 and 1"},
		{"--tolerance", "1e9", "between 0 and 1"},
		{"--tolerance", "-1", "between 0 and 1"},
		{"--smagorinsky", "1e9", "from 0 to 1"},
		{"--smagorinsky", "NaN", "from 0 to 1"},
		{"--density", "1e300kg/m3", "from 1e-06 to 1e+06 kg/m³"},
		{"--density", "1e-300kg/m3", "from 1e-06 to 1e+06 kg/m³"},
		{"--viscosity", "1e-300m2/s", "kinematic viscosity"},
		{"--lattice-velocity", "NaN", "from 0 to 1 cells per step"},
		{"--lattice-velocity", "7", "from 0 to 1 cells per step"},
		{"--flow", "1e30L/min", "flow rate"},
		{"--steps", "0", "--steps 0 cannot be meant"},
		{"--tolerance", "0", "--tolerance 0 cannot be meant"},
		{"--time", "NaNs", "finite"},
		{"--waveform", "sine:1e-300s", "from 1us to 1e6s"},
		{"--waveform", "breathing:1e300s", "from 1us to 1e6s"},
	} {
		arguments := []string{"solve", part, test.flag, test.value}
		if test.flag != "--steps" && test.flag != "--time" {
			arguments = append(arguments, "--steps", "2")
		}
		refused(t, test.says, arguments...)
	}
	grid := strings.TrimSuffix(part, ".part.json") + ".grid"
	out := filepath.Join(t.TempDir(), "out.part.json")
	for _, test := range []struct{ flag, value, says string }{
		{"--imbalance", "NaN", "from 0 to 100"},
		{"--imbalance", "+Inf", "from 0 to 100"},
		{"--imbalance", "0", "--imbalance 0 cannot be meant"},
		{"--devices-per-host", "-1", "negative"},
		{"--speeds", "1,NaN", "speed"},
	} {
		refused(t, test.says, "partition", grid, "--ranks", "2", test.flag, test.value, "-o", out)
	}
	pipe := generated(t, "pipe")
	for _, spacing := range []string{"1e-300m", "1e300m"} {
		refused(t, "from 1nm to 1000m", "voxelize", pipe, "--spacing", spacing, "-o", filepath.Join(t.TempDir(), "grid"))
	}
	for _, opening := range []string{"NaN,0,0,1mm,a", "0,0,30,1e300m,a", "0,0,1e300,1mm,a", "0,0,0,1mm," + strings.Repeat("a", 5000)} {
		refused(t, "opening", "voxelize", pipe, "--spacing", "3mm", "-o", filepath.Join(t.TempDir(), "grid"), "--opening", opening)
	}
}

func TestContradictionsAreRefused(t *testing.T) {
	part := partitioned(t, "--ranks", "2")
	grid := strings.TrimSuffix(part, ".part.json") + ".grid"
	pipe, out := generated(t, "pipe"), filepath.Join(t.TempDir(), "out")
	for _, test := range []struct {
		says      string
		arguments []string
	}{
		{"time-step or lattice-velocity", []string{"solve", part, "--steps", "2", "--time-step", "1us", "--lattice-velocity", "0.05"}},
		{"time-step or lattice-velocity", []string{"run", caseFile(t, "steps: 2", "time-step: 1us", "lattice-velocity: 0.05"), "--out", out}},
		{"either a number of steps or a time", []string{"solve", part, "--steps", "2", "--time", "1ms"}},
		{"leave storage or precision out", []string{"solve", part, "--steps", "2", "--precision", "half", "--storage", "single"}},
		{"an exchange is for GPUs", []string{"solve", part, "--steps", "2", "--exchange", "host"}},
		{"cuboids-per-rank is for", []string{"partition", grid, "--ranks", "2", "--cuboids-per-rank", "3", "-o", out}},
		{"a seed is for the graph balancer", []string{"partition", grid, "--ranks", "2", "--balance", "lpt", "--seed", "3", "-o", out}},
		{"openings 1 and 2 are both named end", []string{"voxelize", pipe, "--spacing", "3mm", "-o", out, "--opening", "0,0,30,10mm,end", "--opening", "0,0,60,10mm,end"}},
		{"--flow is empty", []string{"solve", part, "--steps", "2", "--flow", ""}},
		{"--out is empty", []string{"run", pipe, "--spacing", "3mm", "--out", ""}},
	} {
		refused(t, test.says, test.arguments...)
	}
}

func TestFlagsReplaceTheirAlternativesInTheCase(t *testing.T) {
	path := caseFile(t, "time: 1s", "lattice-velocity: 0.05")
	command := newRun()
	if err := command.ParseFlags([]string{"--steps", "4", "--time-step", "2us", "--fluid-cells", "900"}); err != nil {
		t.Fatal(err)
	}
	c, err := caseOf(command, []string{path}, carina.Case{}, geometryFlags, flowFlags)
	if err != nil {
		t.Fatal(err)
	}
	got := carina.Case{SurfaceCase: carina.SurfaceCase{Spacing: c.Spacing, FluidCells: c.FluidCells}, FlowCase: carina.FlowCase{TimeStep: c.TimeStep, LatticeVelocity: c.LatticeVelocity, Steps: c.Steps, Time: c.Time}}
	if want := (carina.Case{SurfaceCase: carina.SurfaceCase{FluidCells: 900}, FlowCase: carina.FlowCase{TimeStep: "2us", Steps: 4}}); got.Spacing != want.Spacing || got.FluidCells != want.FluidCells ||
		got.TimeStep != want.TimeStep || got.LatticeVelocity != 0 || got.Steps != want.Steps || got.Time != "" {
		t.Errorf("the flags leave %+v of the case; want %+v", got, want)
	}
}

func TestConditionForAnAmbiguousNameIsRefused(t *testing.T) {
	refused(t, "may mean the openings", "run", caseFile(t,
		"openings: [{name: \"2\", center: [0, 0, 30], radius: 10mm}]",
		"steps: 2", "conditions: [{opening: 2, kind: pressure, pressure: 1Pa}]"), "--out", filepath.Join(t.TempDir(), "out"), "--json")
}

func TestOddStepsAreWarnedOf(t *testing.T) {
	part := partitioned(t, "--ranks", "2")
	for steps, says := range map[string]string{"5": "6 steps are computed instead of 5", "6": ""} {
		status, stdout, stderr := invoke(t, "solve", part, "--flow", "1L/min", "--steps", steps, "--json")
		var s airflow.Summary
		if err := json.Unmarshal([]byte(stdout), &s); status != 0 || err != nil || s.Steps != 6 {
			t.Fatalf("%s steps: status %d, %d steps, %v", steps, status, s.Steps, err)
		}
		for where, text := range map[string]string{"the warnings": stderr, "the summary": strings.Join(s.Warnings, "\n")} {
			if strings.Contains(text, "instead of") != (says != "") || !strings.Contains(text, says) {
				t.Errorf("%s steps: %s say %q; want %q", steps, where, text, says)
			}
		}
	}
}

// A warning is told before the computation and stands in the summary; the words at
// the end do not say it again, but what the flow has shown.
func TestWarningsAreToldOnce(t *testing.T) {
	part, out := partitioned(t, "--ranks", "2"), t.TempDir()
	status, stdout, stderr := invoke(t, "solve", part, "--flow", "60L/min", "--steps", "4", "--out", out)
	if status != 0 {
		t.Fatal(stderr)
	}
	var s airflow.Summary
	decode(t, filepath.Join(out, "summary.json"), &s)
	early := 0
	for _, warning := range s.Warnings {
		if n := strings.Count(stdout+stderr, warning); n != 1 {
			t.Errorf("%q is told %d times", warning, n)
		}
		early += strings.Count(stderr, warning)
	}
	if early == 0 || early == len(s.Warnings) {
		t.Errorf("%d of %d warnings are told before the computation: the flow is not as expected", early, len(s.Warnings))
	}
}

func TestSolveHonoursTheFolderOfItsCase(t *testing.T) {
	part, out := partitioned(t, "--ranks", "2"), filepath.Join(t.TempDir(), "out")
	path := caseFile(t, "steps: 2", "output: "+out)
	s := succeed[*airflow.Summary](t, "solve", part, "--case", path)
	data, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil || !strings.Contains(string(data), s.StateHash) {
		t.Errorf("no summary in the case's folder: %v", err)
	}
}
