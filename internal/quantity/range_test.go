package quantity

import (
	"math"
	"testing"
)

// Both ends belong to a range, and what is no number to none.
func TestCheckRange(t *testing.T) {
	for _, c := range []struct {
		value float64
		want  bool
	}{{1, true}, {2, true}, {1.5, true}, {0.999, false}, {2.001, false}, {math.NaN(), false}, {math.Inf(1), false}} {
		if err := CheckRange("size", c.value, 1, 2, " m"); (err == nil) != c.want {
			t.Errorf("%g: %v", c.value, err)
		}
	}
}

func TestCheckName(t *testing.T) {
	type fruit string
	list := []fruit{"apple", "pear"}
	for name, want := range map[fruit]bool{"apple": true, "pear": true, "plum": false, "": false} {
		if err := CheckName("fruit", name, list); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}
