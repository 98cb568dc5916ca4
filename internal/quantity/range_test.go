package quantity

import (
	"math"
	"strings"
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
		err := CheckName("fruit", name, list)
		if (err == nil) != want || err != nil && !strings.HasSuffix(err.Error(), "; choose one of apple or pear") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestEither(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := Either(names); got != want {
			t.Errorf("%q are %q, want %q", names, got, want)
		}
	}
}

// Whoever writes 3 means percent.
func TestCheckImbalance(t *testing.T) {
	for value, says := range map[float64]string{0: "", 0.03: "", 0.99: "", 1: "1 % are 0.01", 3: "3 % are 0.03", 1.03: "0.0103", 100: "from 0 to below 1", -0.1: "from 0", math.Inf(1): "from 0"} {
		if err := CheckImbalance(value, 1); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%g: %v, want %q", value, err, says)
		}
	}
}
