package report

import (
	"strings"
	"testing"

	"carina"
	"carina/solver/airflow"
	"carina/solver/airflow/steadiness"
)

func TestSteadyOrNotIsSaid(t *testing.T) {
	yes, no, change := true, false, 2e-5
	for _, test := range []struct {
		c      carina.Case
		steady *bool
		change *float64
		begins string
	}{
		{carina.Case{}, &yes, &change, "steady: "}, {carina.Case{}, &no, &change, "not steady: "}, {carina.Case{}, nil, nil, "steady or not is not known"},
		{carina.Case{FlowCase: carina.FlowCase{Waveform: "sine:2s"}}, nil, nil, "not steady: a waveform"},
		{carina.Case{}, &yes, nil, "steady: pressure drop 2.00 Pa ± 10.0 mPa, shares ± 1 points at most (opening 3)"},
		{carina.Case{FlowCase: carina.FlowCase{Waveform: "sine:2s"}}, &yes, nil, "cycles alike: pressure drop 2.00 Pa ± 10.0 mPa as root mean square over the cycle, shares"},
		{carina.Case{}, &no, nil, "not steady: the share of opening 3 still moves by some 10 %; pressure drop"},
	} {
		known := []steadiness.Known{{Name: "pressure drop", Value: 2, Error: 0.01, How: steadiness.Still, Within: true}, {Name: "inflow", Value: 1, Within: true},
			{Name: "share", Opening: 2, Value: 0.9, Error: 0.001, Within: true}, {Name: "share", Opening: 3, Value: 0.1, Error: 0.01, How: steadiness.Drifts, Within: test.steady != &no}}
		if got := steadyWords(&test.c, &airflow.Summary{Steady: test.steady, VelocityChange: test.change, Known: known}); !strings.HasPrefix(got, test.begins) {
			t.Errorf("says %q, want %q", got, test.begins)
		}
	}
}

func TestFlowThatIsStoredIsNotSteady(t *testing.T) {
	yes := true
	for stored, want := range map[float64]string{1e-6: "not steady: more is imposed to enter than to leave, so the pressure rises without end", -1e-6: "not steady: more is imposed to leave than to enter, so the pressure falls without end"} {
		if got := steadyWords(&carina.Case{}, &airflow.Summary{Steady: &yes, Stored: stored}); got != want {
			t.Errorf("says %q, want %q", got, want)
		}
	}
}

// What is said of the pressure drop is what the cells allow to say.
func TestResolutionWords(t *testing.T) {
	power := 1.0
	fine := airflow.Resolution{CellsAcross: 12, Narrowest: 2, CellReynolds: 5, Viscous: 0.99, Resolved: 0.99, Power: &power}
	for name, c := range map[string]struct {
		change func(r *airflow.Resolution)
		ends   string
	}{
		"fine":       {func(*airflow.Resolution) {}, "99 % of the dissipation is resolved: the pressure drop is likely to be within 3 % of that on finer cells"},
		"few":        {func(r *airflow.Resolution) { r.CellsAcross = 4 }, "with 3 to 5, so choose a smaller spacing"},
		"few inside": {func(r *airflow.Resolution) { r.CellsAcrossInside = 4 }, "with 3 to 5, so choose a smaller spacing"},
		"coarse":     {func(r *airflow.Resolution) { r.Viscous, r.Resolved = 0.8, 0.8 }, "80 % of the dissipation is resolved: the pressure drop is likely to be some 25 % too high"},
		"both":       {func(r *airflow.Resolution) { r.CellsAcross, r.Viscous, r.Resolved = 4, 0.8, 0.8 }, "at least 25 % too high, and rough with so few cells across, so choose a smaller spacing"},
		"absurd":     {func(r *airflow.Resolution) { r.Viscous, r.Resolved = 1e-4, 1e-4 }, "more than twice that on finer cells, so choose a smaller spacing"},
		"unjudged":   {func(r *airflow.Resolution) { r.Unjudged, r.Resolved = true, 0.3 }, "30 % of the dissipation is resolved"},
		"limited": {func(r *airflow.Resolution) {
			r.Eddy, r.Power, r.CellReynolds, r.CellsAcrossWidest = 0.1, nil, 200, 13
		}, "too high (by what it was in an airway)"},
		"limited and steady": {func(r *airflow.Resolution) {
			r.Eddy, r.CellReynolds, r.CellsAcrossWidest, r.Viscous, r.Resolved = 0.1, 200, 23, 0.6, 0.6
		}, "some 23 % too high, perhaps 67 % (by what it was in an airway and by what the scheme takes of the power), so choose a smaller spacing"},
		"limited and little taken": {func(r *airflow.Resolution) {
			r.Eddy, r.CellReynolds, r.CellsAcrossWidest = 0.1, 80, 20
		}, "up to 11 % too high (by what it was in an airway and by what the scheme takes of the power)"},
		"limited and hardly any cells": {func(r *airflow.Resolution) {
			r.Eddy, r.CellReynolds, r.CellsAcrossWidest, r.CellsAcross, r.Viscous, r.Resolved = 0.1, 200, 23, 2, 0.4, 0.4
		}, "at least 23 % too high, perhaps more than twice that on finer cells, and rough with so few cells across, so choose a smaller spacing"},
		"limited and far": {func(r *airflow.Resolution) {
			r.Eddy, r.Power, r.CellReynolds, r.CellsAcrossWidest = 0.1, nil, 400, 13
		}, "too high (by what it was in an airway), so choose a smaller spacing"},
	} {
		r := fine
		c.change(&r)
		if got := resolutionWords(&r); !strings.HasSuffix(got, c.ends) {
			t.Errorf("%s: says %q, want %q at the end", name, got, c.ends)
		}
	}
}
