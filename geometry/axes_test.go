package geometry_test

import (
	"testing"

	"carina/geometry"
)

func TestAxesAreReadAndNamed(t *testing.T) {
	for text, want := range map[string]geometry.Axes{"": "", "LPS": geometry.LPS, " ras ": geometry.RAS, "Lps": geometry.LPS} {
		if got, err := geometry.ParseAxes(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"LPI", "RAI", "left", "LPS+", "xyz", "0"} {
		if got, err := geometry.ParseAxes(text); err == nil {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
	if geometry.UnknownAxes.Side(0, false) != "" || geometry.LPS.Side(0, false) != "left" || geometry.RAS.Side(1, true) != "back" || geometry.RAS.Side(2, false) != "head" {
		t.Error("sides have wrong names")
	}
}
