package quantity

import "testing"

// What is rounding is written as 0, and what is small beside the whole is not.
func TestLeastPressure(t *testing.T) {
	const density = 1.2
	for _, c := range []struct {
		name                  string
		drop, velocity, value float64
		openings              []float64
		want                  string
	}{
		{"a stress where nothing has arrived yet", 64e-3, 0.1, 1.76e-21, []float64{64e-3, 0}, "0 Pa"},
		{"a drop in a wide branch", 64e-3, 0.1, 2e-9, []float64{64e-3, 0}, "2.00 nPa"},
		{"the means of openings under one pressure", 5.7e-20, 0, 5.7e-20, []float64{5e-4, 5e-4}, "0 Pa"},
		{"a slow flow under such a pressure", 5e-9, 1e-6, -5e-9, []float64{5e-4, 5e-4}, "-5.00 nPa"},
		{"a drop of air that moves around", -3e-17, 1e-3, -3e-17, nil, "0 Pa"},
		{"a flow as slow as can be", 2e-20, 1e-15, 2e-20, []float64{2e-20, 0}, "2e-11 nPa"},
	} {
		if got := FormatFrom(LeastPressure(c.drop, density, c.velocity, c.openings...), c.value, "Pa"); got != c.want {
			t.Errorf("%s is %s, want %s", c.name, got, c.want)
		}
	}
}
