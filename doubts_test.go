package carina

import (
	"math"
	"strings"
	"testing"

	"carina/solver/airflow"
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
		c    Case
		m    func(m *airflow.Summary)
		says string
	}{
		{"pinched", Case{}, func(*airflow.Summary) {}, "--drop-opening 8"},
		{"a small end with a small flow", Case{}, func(m *airflow.Summary) { m.Openings[3].Area, m.Openings[3].Flow = 0.5e-6, -0.05e-6 }, ""},
		{"just the share that is suspect", Case{}, func(m *airflow.Summary) {
			m.Openings = []airflow.OpeningSummary{opening(1, "inlet", 2, 200), opening(2, "outlet", 1e6, -199e6), opening(8, "outlet", 1e6, -1e6)}
		}, ""},
		{"a little less", Case{}, func(m *airflow.Summary) {
			m.Openings = []airflow.OpeningSummary{opening(1, "inlet", 2, 200), opening(2, "outlet", 1e6, -200e6), opening(8, "outlet", 1e6, -1e6)}
		}, "--drop-opening 8"},
		{"its flow was imposed", Case{FlowCase: FlowCase{Conditions: []ConditionCase{{Opening: "8", Kind: "flow", Flow: "-0.2mL/min"}}}}, func(*airflow.Summary) {}, ""},
		{"what enters has not arrived", Case{}, func(m *airflow.Summary) { m.MassBalance = 0.9 }, ""},
		{"it breathes", Case{FlowCase: FlowCase{Waveform: "sine:2s"}}, func(*airflow.Summary) {}, ""},
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

func TestEndWithinTheStartIsSaid(t *testing.T) {
	part := 0.85
	m := &airflow.Summary{Time: 1.413, Started: &part, Settings: &airflow.UsedSettings{RampTime: 1.893}}
	want := "what the openings impose had reached 85 % of what was asked for at the end, since the flow rises for 1.89 s and 1.41 s were computed: compute a longer time"
	if got := doubtStart(m); got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	if m.Started = nil; doubtStart(m) != "" {
		t.Errorf("says %q of a flow that has started", doubtStart(m))
	}
}

func TestDifferenceOfInAndOutflowIsExplained(t *testing.T) {
	yes, no := true, false
	summary := func(balance, flow float64, steady *bool) *airflow.Summary {
		return &airflow.Summary{MassBalance: balance, Steady: steady, Spacing: 1e-3, TimeStep: 1e-2,
			Openings: []airflow.OpeningSummary{{Flow: flow, Area: 1e-4}, {Flow: -flow * (1 - balance), Area: 1e-4}}}
	}
	stores := summary(1, 1e-6, &no)
	stores.Stored = 1e-6
	for name, c := range map[string]struct {
		m    *airflow.Summary
		says string
	}{
		"as it should be":  {summary(0.009, 1e-6, &yes), ""},
		"steady":           {summary(0.02, 1e-6, &yes), "choose a smaller spacing"},
		"not steady":       {summary(0.02, 1e-6, &no), "compute a longer time"},
		"hardly any flow":  {summary(0.02, 1e-17, &yes), "give a larger flow"},
		"it was imposed":   {stores, ""},
		"nothing is known": {summary(math.NaN(), 1e-6, nil), "compute a longer time"},
	} {
		if got := doubtBalance(c.m); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: says %q, want %q", name, got, c.says)
		}
	}
}
