package workflow

import "testing"

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u2009000", 123456: "123\u2009456", 1234567: "1\u2009234\u2009567", -123: "-123", -1234: "-1\u2009234"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}
