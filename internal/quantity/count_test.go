package quantity

import "testing"

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n         int64
		one, want string
	}{
		{1, "rank", "1 rank"}, {2, "rank", "2 ranks"}, {0, "flat end", "0 flat ends"}, {-1, "step", "-1 steps"}, {11, "step", "11 steps"},
		{1, "vertex", "1 vertex"}, {0, "vertex", "0 vertices"}, {3, "branch", "3 branches"}, {1, "branch", "1 branch"}, {4, "leaf", "4 leaves"}, {21, "process", "21 processes"},
		{1, "entry", "1 entry"}, {2, "entry", "2 entries"},
	} {
		if got := Count(test.n, test.one); got != test.want {
			t.Errorf("Count(%d, %q) = %q, want %q", test.n, test.one, got, test.want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u2009000", -123: "-123", -1234567: "-1\u2009234\u2009567"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
		if got := GroupedCount(n, "cell"); got != want+" cells" {
			t.Errorf("GroupedCount(%d) = %q, want %q", n, got, want+" cells")
		}
	}
}
