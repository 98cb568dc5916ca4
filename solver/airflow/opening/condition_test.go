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
