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
		{carina.Case{FlowCase: carina.FlowCase{Waveform: "sine:2s"}}, &yes, nil, "cycles alike: pressure drop"},
		{carina.Case{}, &no, nil, "not steady: the share of opening 3 still moves by some 10 %; pressure drop"},
	} {
		known := []steadiness.Known{{Name: "pressure drop", Value: 2, Error: 0.01, How: steadiness.Still, Within: true}, {Name: "inflow", Value: 1, Within: true},
			{Name: "share", Opening: 2, Value: 0.9, Error: 0.001, Within: true}, {Name: "share", Opening: 3, Value: 0.1, Error: 0.01, How: steadiness.Drifts, Within: test.steady != &no}}
		if got := steadyWords(&test.c, &airflow.Summary{Steady: test.steady, VelocityChange: test.change, Known: known}); !strings.HasPrefix(got, test.begins) {
			t.Errorf("says %q, want %q", got, test.begins)
		}
	}
}
