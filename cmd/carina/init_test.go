package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/cmd/carina/report"
	"carina/internal/race"
)

// A case file that init writes is run as it is, with the roles and shares that it
// tells.
func TestInitWritesACaseThatRuns(t *testing.T) {
	race.SkipArithmetic(t)
	surface := generated(t, "bifurcation")
	file := filepath.Join(t.TempDir(), "fork.yaml")
	n := succeed[report.NewCase](t, "init", surface, "-o", file)
	if n.Ends != 3 || n.Cells < 50_000 {
		t.Errorf("%+v", n)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"unit: mm", "inlet: 1", "{opening: 2, kind: share, share: 0.5}", "spacing: ", "flow: 15L/min"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the case does not say %q", want)
		}
	}
	if _, err := os.Stat(strings.TrimSuffix(file, ".yaml") + ".png"); err != nil {
		t.Error(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	s := succeed[struct {
		Branches []struct {
			Flow float64 `json:"flow_m3_per_s"`
		} `json:"branches"`
	}](t, "run", file, "--spacing", "2mm", "--steps", "20", "--out", out)
	if len(s.Branches) != 3 {
		t.Errorf("%d branches", len(s.Branches))
	}
	announcesThePlan(t, file, &n)
	// What is there is not overwritten.
	if status, _, message := invoke(t, "init", surface, "-o", file); status != 1 || !strings.Contains(message, "is there already") {
		t.Errorf("exit status %d: %s", status, message)
	}
	if status, _, message := invoke(t, "init", surface, "-o", file+".txt"); status != 2 || !strings.Contains(message, "ends in .yaml") {
		t.Errorf("exit status %d: %s", status, message)
	}
}

// A case file and its picture are written both or not at all.
func TestInitWithoutRoomForThePicture(t *testing.T) {
	race.SkipArithmetic(t) // steps are computed for the plan
	surface, folder := generated(t, "pipe"), t.TempDir()
	// In 4 KiB there is room for the case file, and would be for a draft.
	p := start(t, "export "+asShown+"=1; ulimit -f 8", "init", surface, "-o", filepath.Join(folder, "pipe.yaml"))
	if status, said := p.status(t), p.stderr.String(); status != exitFailure || !strings.Contains(said, "writing "+filepath.Join(folder, "pipe.png")) || strings.Count(said, "\n") != 1 {
		t.Errorf("it ends with %d and says %q", status, said)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// announcesThePlan compares the steps that are told for a case with those that a run of
// it announces, at the most.
func announcesThePlan(t *testing.T, file string, n *report.NewCase) {
	t.Helper()
	c, err := carina.ReadCase(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var announced int64
	_, err = carina.Run(ctx, c, carina.Discard(), carina.Listen(carina.Listener{Announce: func(o carina.Outlook) { announced = max(announced, o.Steps); stop() }}))
	if err == nil || len(n.Plans) != 3 || n.Updates <= 0 {
		t.Fatalf("error %v, plans %+v, %g updates/s", err, n.Plans, n.Updates)
	}
	exchange := float64(n.Plans[0].Least - n.Plans[0].Start)
	if p := n.Plans[0]; math.Abs(float64(p.Most-announced)) > 2 || math.Abs(float64(p.Most-p.Start)/exchange-10) > 0.01 || math.Abs(float64(p.Usual)-max(3*exchange, float64(p.Least))) > 3 || p.Start <= 0 || n.Plans[2].Most < 2*p.Most-2 || n.Plans[2].Cells < 7*p.Cells {
		t.Errorf("%d steps are announced; plans %+v", announced, n.Plans)
	}
}

// Within a limit the case takes as many steps as the speed allows, at a spacing of its own.
func TestInitWithinALimit(t *testing.T) {
	var c carina.Case
	c.Surface = generated(t, "bifurcation")
	const updates = 1e7
	for _, within := range []float64{20, 300} {
		file := filepath.Join(t.TempDir(), "fork.yaml")
		n, err := report.InitCase(t.Context(), &c, report.CaseOptions{File: file, Picture: file + ".png", Within: within, Updates: updates})
		if err != nil {
			t.Fatal(err)
		}
		p := n.Plans[0]
		steps := n.Time / p.TimeStep
		if took := steps * float64(p.Cells) / updates; took > within || took < within/3 || steps < float64(p.Least)-1 {
			t.Errorf("%g s: %g s for %.0f steps of %+v", within, took, steps, p)
		}
		if err := os.WriteFile(file, []byte(n.Text()), 0o644); err != nil {
			t.Fatal(err)
		}
		written, err := carina.ReadCase(file)
		if err != nil || written.Time == "" || written.Tolerance != 0.005 || written.Spacing == "" {
			t.Errorf("error %v, time %q, tolerance %g, spacing %q", err, written.Time, written.Tolerance, written.Spacing)
		}
	}
	if status, _, message := invoke(t, "init", c.Surface, "--within", "15"); status != 2 || !strings.Contains(message, "unit") {
		t.Errorf("exit status %d: %s", status, message)
	}
}
