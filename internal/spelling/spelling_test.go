package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"spacing", "surface", "flow", "fluid-cells", "viscosity", "ranks", "time", "steps"}
	for word, want := range map[string]string{
		"spacng": "spacing", "flwo": "flow", "viscocity": "viscosity", "fluidcells": "fluid-cells", "Ranks": "ranks", "tmie": "time",
		"wings": "", "zzz": "", "": "", "f": "", "spacing": "spacing",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"kitten", "sitting", 3}, {"", "abc", 3}, {"abc", "", 3}, {"ab", "ba", 1}, {"µm", "mm", 1}, {"same", "same", 0},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("from %q to %q are %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
