package opening

import (
	"strings"
	"testing"

	"carina/geometry"
)

// A condition for an opening that a grid lacks is refused with how many it has.
func TestConditionsAreForOpeningsOfTheGrid(t *testing.T) {
	grid := &geometry.Grid{Openings: []geometry.Opening{{Number: 3}, {Number: 4}}}
	for openings, want := range map[int]string{1: "has 1 opening and none", 2: "has 2 openings and none"} {
		part := &geometry.Grid{Openings: grid.Openings[:openings]}
		if err := ValidateConditions(map[int]Condition{9: {Kind: ImposedPressure}}, part); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want that the grid %s", err, want)
		}
	}
	if err := ValidateConditions(map[int]Condition{4: {Kind: ImposedPressure}}, grid); err != nil {
		t.Error(err)
	}
}

// Pressures that follow one waveform differ by no more than it says.
func TestLargestDrop(t *testing.T) {
	sine := func(mean float64) Waveform { return Sine{Period: 1, Mean: mean, Amplitude: 2} }
	pressure := func(p float64, w Waveform) *Condition {
		return &Condition{Kind: ImposedPressure, Pressure: p, Waveform: w}
	}
	for _, c := range []struct {
		name string
		a, b *Condition
		want float64
	}{
		{"constants", pressure(3, nil), pressure(5, nil), 2},
		{"one waveform", pressure(300, sine(-1)), pressure(303, sine(-1)), 9},
		{"another waveform", pressure(3, sine(-1)), pressure(3, sine(0)), 15},
		{"a waveform and a constant", pressure(-3, sine(1)), pressure(2, nil), 11},
		{"a straight line of it", pressure(1, Linear{sine(1), -2, 7}), pressure(0, nil), 9},
		{"a Windkessel, whose pressure is constant", &Condition{Kind: Windkessel, Pressure: 4, Waveform: sine(9)}, pressure(5, nil), 1},
	} {
		if ab, ba := LargestDrop(c.a, c.b), LargestDrop(c.b, c.a); ab != c.want || ba != c.want {
			t.Errorf("%s: they differ by %g and %g, want %g", c.name, ab, ba, c.want)
		}
	}
}
