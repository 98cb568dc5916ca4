package report

import (
	"strings"
	"testing"

	"carina"
	"carina/geometry"
	"carina/solver/airflow"
)

// Before the first step stands how long the flow rises, whether the end lies before that,
// and what sets the time step.
func TestOutlookWords(t *testing.T) {
	narrow := &geometry.Narrow{Area: 1e-5}
	for _, c := range []struct {
		o    airflow.Outlook
		want string
	}{
		{airflow.Outlook{Steps: 3000, TimeStep: 471e-6, Time: 1.413, Exchange: 3, Start: 1.893}, "to compute: 3 000 steps of 471 µs = 1.41 s, 0.164 exchanges of the air, too few for the flow to develop, which takes 3.00 s each; " +
			"the end lies within the start of 1.89 s, in which the flow rises to what is asked for: compute a longer time"},
		{airflow.Outlook{Steps: 3000, TimeStep: 1e-3, Time: 3, Exchange: 0.5, Start: 1, UntilSteady: true}, "to compute: at most 3 000 steps of 1.00 ms = 3.00 s, 5 exchanges of the air; the flow rises in the first 1.00 s; it ends when the flow is steady"},
		{airflow.Outlook{Steps: 3000, TimeStep: 1e-3, Time: 3, Narrow: narrow}, "to compute: 3 000 steps of 1.00 ms = 3.00 s; the narrowest place inside (10 mm² at 0,0,0 mm), where air is faster than at openings, sets the time step"},
		{airflow.Outlook{Seconds: 5}, ""}, {airflow.Outlook{Seconds: 90, MLUPS: 17678, UntilSteady: true}, "this takes at most 2 minutes, at 17678.0 million cell updates a second"},
	} {
		if got := OutlookWords(&carina.Case{}, c.o); strings.ReplaceAll(got, "\u2009", " ") != c.want {
			t.Errorf("says %q, want %q", got, c.want)
		}
	}
}
