package airflow

import (
	"context"
	"math"
	"testing"

	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/steadiness"

	"github.com/google/go-cmp/cmp"
)

// What is known of a flow, and when it ends, does not depend on who computes it.
func TestKnownOnAllRanks(t *testing.T) {
	g := thinFork()
	s := caveSettings(g)
	s.FlowRate, s.LatticeVelocity, s.RampTime = 1e-6, 0.1, 0
	var all []*Summary
	for _, domain := range []*solver.Domain{solver.WholeDomain(g), scattered(g, 6, 3, 2, [3]bool{})} {
		summary, err := RunInProcess(context.Background(), domain, s, Plan{Steps: 20000, Tolerance: 5e-3})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, summary)
	}
	if diff := cmp.Diff(all[0].Known, all[1].Known); diff != "" || all[0].Steps != all[1].Steps {
		t.Errorf("after %d and %d steps:\n%s", all[0].Steps, all[1].Steps, diff)
	}
	if race.Enabled {
		return // what follows is about one rank's numbers
	}
	known := all[0].Known
	if len(known) != 5 || all[0].Steps >= 20000 || !*all[0].Steady {
		t.Fatalf("after %d steps %+v is known", all[0].Steps, known)
	}
	long, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 20000, Tolerance: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range known {
		if k.How != steadiness.Still || math.Abs(k.Value-long.Known[i].Value) > 3*5e-3*k.Value {
			t.Errorf("%s is %g ± %g, at the end %g", &k, k.Value, k.Error, long.Known[i].Value)
		}
	}
}

// Cycles of a breath are watched as a whole.
func TestKnownOfCycles(t *testing.T) {
	race.SkipArithmetic(t)
	g := thinFork()
	s := caveSettings(g)
	s.FlowRate, s.LatticeVelocity, s.Waveform = 1e-6, 0, opening.Sine{Period: 1e-2, Amplitude: 1}
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 60000, Tolerance: 5e-3})
	if err != nil {
		t.Fatal(err)
	}
	if cycles := summary.Time / 1e-2; summary.Steady == nil || !*summary.Steady || cycles < 3.9 || cycles > 8 {
		t.Fatalf("after %.2f cycles: %+v", cycles, summary.Known)
	}
	if share := summary.Known[3]; math.Abs(share.Value-0.5) > 0.01 || summary.MassBalance > 0.01 {
		t.Errorf("half of each breath has the share %+v; in and out differ by %g", share, summary.MassBalance)
	}
}
