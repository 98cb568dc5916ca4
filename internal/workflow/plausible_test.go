package workflow

import (
	"strings"
	"testing"

	"carina"
	"carina/solver/airflow"
	"carina/solver/airflow/steadiness"
)

func TestFlowThatCannotBeRightIsSaid(t *testing.T) {
	opening := func(number int, role string, area, flow float64) airflow.OpeningSummary {
		return airflow.OpeningSummary{Number: number, Name: role, Role: role, Area: area * 1e-6, Flow: flow * 1e-6}
	}
	m := &airflow.Summary{Openings: []airflow.OpeningSummary{
		opening(1, "inlet", 128.9, 250), opening(2, "outlet", 33, -150), opening(3, "outlet", 24, -99.997), opening(8, "outlet", 12.2, -0.003),
	}}
	for _, test := range []struct {
		name string
		c    carina.Case
		m    func(m *airflow.Summary)
		says string
	}{
		{"pinched", carina.Case{}, func(*airflow.Summary) {}, "--drop-opening 8"},
		{"a small end with a small flow", carina.Case{}, func(m *airflow.Summary) { m.Openings[3].Area, m.Openings[3].Flow = 0.5e-6, -0.05e-6 }, ""},
		{"just the share that is suspect", carina.Case{}, func(m *airflow.Summary) {
			m.Openings = []airflow.OpeningSummary{opening(1, "inlet", 2, 200), opening(2, "outlet", 1e6, -199e6), opening(8, "outlet", 1e6, -1e6)}
		}, ""},
		{"a little less", carina.Case{}, func(m *airflow.Summary) {
			m.Openings = []airflow.OpeningSummary{opening(1, "inlet", 2, 200), opening(2, "outlet", 1e6, -200e6), opening(8, "outlet", 1e6, -1e6)}
		}, "--drop-opening 8"},
		{"its flow was imposed", carina.Case{Conditions: []carina.ConditionCase{{Opening: "8", Kind: "flow", Flow: "-0.2mL/min"}}}, func(*airflow.Summary) {}, ""},
		{"what enters has not arrived", carina.Case{}, func(m *airflow.Summary) { m.MassBalance = 0.9 }, ""},
		{"it breathes", carina.Case{Waveform: "sine:2s"}, func(*airflow.Summary) {}, ""},
	} {
		changed := *m
		changed.Openings = append([]airflow.OpeningSummary(nil), m.Openings...)
		test.m(&changed)
		said := strings.Join(doubtFlow(&test.c, &changed), "\n")
		if (said == "") != (test.says == "") || !strings.Contains(said, test.says) {
			t.Errorf("%s: says %q, want %q", test.name, said, test.says)
		}
	}
}

func TestTimeBeyondWhatWasAskedForIsSaid(t *testing.T) {
	for _, test := range []struct {
		asked, step float64
		steps       int64
		says        string
	}{
		{0.02, 24.7e3, 2, "49.4 ks were computed instead of 20.0 ms, as 2 steps of 24.7 ks"},
		{0.02, 0.0145, 2, ""}, // 45 %, as steps are whole
		{0.02, 0.0155, 2, "31.0 ms"},
		{0, 24.7e3, 2, ""},  // until steady, or by steps
		{1, 1e-4, 5000, ""}, // ended earlier
	} {
		m := &airflow.Summary{Steps: test.steps, TimeStep: test.step, Time: float64(test.steps) * test.step}
		if got := doubtTime(test.asked, m); (got == "") != (test.says == "") || !strings.Contains(got, test.says) {
			t.Errorf("%g s asked for, %d steps of %g s: says %q, want %q", test.asked, test.steps, test.step, got, test.says)
		}
	}
}

func TestSteadyOrNotIsSaid(t *testing.T) {
	yes, no, change := true, false, 2e-5
	for _, test := range []struct {
		c      carina.Case
		steady *bool
		change *float64
		begins string
	}{
		{carina.Case{}, &yes, &change, "steady: "}, {carina.Case{}, &no, &change, "not steady: "}, {carina.Case{}, nil, nil, "steady or not is not known"},
		{carina.Case{Waveform: "sine:2s"}, nil, nil, "not steady: a waveform"},
		{carina.Case{}, &yes, nil, "steady: pressure drop 2.00 Pa ± 10.0 mPa, shares ± 1 points at most (opening 3)"},
		{carina.Case{Waveform: "sine:2s"}, &yes, nil, "cycles alike: pressure drop"},
		{carina.Case{}, &no, nil, "not steady: the share of opening 3 still moves by some 10 %; pressure drop"},
	} {
		known := []steadiness.Known{{Name: "pressure drop", Value: 2, Error: 0.01, How: steadiness.Still, Within: true}, {Name: "inflow", Value: 1, Within: true},
			{Name: "share", Opening: 2, Value: 0.9, Error: 0.001, Within: true}, {Name: "share", Opening: 3, Value: 0.1, Error: 0.01, How: steadiness.Drifts, Within: test.steady != &no}}
		if got := steadyWords(&test.c, &airflow.Summary{Steady: test.steady, VelocityChange: test.change, Known: known}); !strings.HasPrefix(got, test.begins) {
			t.Errorf("says %q, want %q", got, test.begins)
		}
	}
}

func TestFluidIsNamed(t *testing.T) {
	for _, test := range []struct {
		density, viscosity float64
		name               string
	}{
		{1.2, 15e-6, "air"}, {1060, 3.3e-6, "blood"}, {998, 1e-6, "water"}, {1.8, 8e-6, "a fluid of 1.8 kg/m³ and 8 mm²/s"},
	} {
		if got := fluidName(test.density, test.viscosity); got != test.name {
			t.Errorf("%g kg/m³ and %g m²/s are %q, want %q", test.density, test.viscosity, got, test.name)
		}
	}
}
