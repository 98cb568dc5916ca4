package quantity

import "testing"

// Headings name units as people write them, and words are none.
func TestStated(t *testing.T) {
	const litre = 1e-3
	for _, c := range []struct {
		kind    Kind
		heading string
		unit    string
		factor  float64
	}{
		{Time, "time (ms)", "ms", 1e-3}, {Time, "time_ms", "ms", 1e-3}, {Time, "t [min]", "min", 60}, {Time, "Time, hours", "hours", 3600},
		{Time, "t_s", "s", 1}, {Time, "time", "", 0}, {Time, "Zeit", "", 0}, {Time, "", "", 0},
		{Flow, "Q [L/s]", "L/s", litre}, {Flow, "flow_ml/min", "ml/min", 1e-3 * litre / 60}, {Flow, "discharge m³/s", "m³/s", 1}, {Flow, "factor", "", 0},
		{Pressure, "p (cmH2O)", "cmH2O", 98.0665}, {Part, "share (%)", "%", 0.01},
	} {
		if unit, factor := c.kind.Stated(c.heading); unit != c.unit || factor != c.factor {
			t.Errorf("%q states %q, %g; want %q, %g", c.heading, unit, factor, c.unit, c.factor)
		}
	}
}
