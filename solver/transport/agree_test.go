package transport

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAgreeTellsTheLowestFailure(t *testing.T) {
	cause := errors.New("out of air")
	for rank, err := range onAll(4, func(l *Local) error {
		if l.Rank() >= 2 {
			return Agree(l, fmt.Errorf("%d is %w", l.Rank(), cause))
		}
		return Agree(l, nil)
	}) {
		var agreed AgreedError
		want := "rank 2: 2 is out of air"
		if rank == 2 {
			want = "2 is out of air"
		}
		if rank == 3 {
			want = "rank 2: 2 is out of air"
		}
		if !errors.As(err, &agreed) || err.Error() != want {
			t.Errorf("rank %d: %v; want %q", rank, err, want)
		}
		if errors.Is(err, cause) != (rank == 2) {
			t.Errorf("rank %d: the cause itself is known on its own rank only: %v", rank, err)
		}
	}
}

func TestSameComparesByName(t *testing.T) {
	const advice = ": start all with the same program, options and files"
	base := []Item{{"flow rate", "1"}, {"steps", "100"}, {"wall", "interpolated"}}
	tests := []struct {
		name string
		of   map[int][]Item // other items than the base's
		want string
	}{
		{"all the same", nil, ""},
		{"one value", map[int][]Item{3: {{"flow rate", "1"}, {"steps", "200"}, {"wall", "interpolated"}}}, "ranks 0 and 3 differ in the steps (100 and 200)"},
		{"rank 0 alone", map[int][]Item{0: {{"flow rate", "2"}, {"steps", "100"}, {"wall", "interpolated"}}}, "ranks 0 and 1 differ in the flow rate (2 and 1)"},
		{"the lowest rank", map[int][]Item{2: {{"flow rate", "1"}, {"steps", "100"}, {"wall", "quadratic"}}, 3: {{"flow rate", "9"}}}, "ranks 0 and 2 differ in the wall (interpolated and quadratic)"},
		{"another order", map[int][]Item{1: {{"wall", "interpolated"}, {"flow rate", "1"}, {"steps", "100"}}}, ""},
		{"one missing", map[int][]Item{1: {{"flow rate", "1"}, {"wall", "interpolated"}}}, "ranks 0 and 1 differ in the steps (100 and none)"},
		{"one more", map[int][]Item{1: append([]Item{{"share", "½"}}, base...)}, "ranks 0 and 1 differ in the share (none and ½)"},
		{"no items", map[int][]Item{2: {}}, "ranks 0 and 2 differ in the flow rate (1 and none)"},
	}
	for _, test := range tests {
		for rank, err := range onAll(4, func(l *Local) error {
			if items, other := test.of[l.Rank()]; other {
				return Same(l, items)
			}
			return Same(l, base)
		}) {
			if test.want == "" {
				if err != nil {
					t.Errorf("%s: rank %d: %v", test.name, rank, err)
				}
				continue
			}
			var agreed AgreedError
			if !errors.As(err, &agreed) || err.Error() != test.want+advice {
				t.Errorf("%s: rank %d says %v; want %q", test.name, rank, err, test.want)
			}
		}
	}
	if err := Same(nil, base); err != nil || strings.Contains(fmt.Sprint(err), "differ") {
		t.Errorf("a process alone: %v", err)
	}
}
