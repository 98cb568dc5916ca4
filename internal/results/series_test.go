package results

import "testing"

// Spectra are of the last samples that are equally far apart.
func TestLastEven(t *testing.T) {
	for _, c := range []struct {
		steps []float64
		want  int
	}{
		{nil, 0}, {[]float64{50}, 0}, {[]float64{50, 100}, 0}, {[]float64{50, 100, 150, 200}, 0},
		{[]float64{50, 100, 150, 200, 400, 600, 800}, 3}, {[]float64{200, 400, 450, 500}, 1}, {[]float64{50, 100, 150, 450}, 2},
	} {
		if got := lastEven(c.steps); got != c.want {
			t.Errorf("%v: from %d on, want %d", c.steps, got, c.want)
		}
	}
}
