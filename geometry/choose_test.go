package geometry

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// Openings in one plane are merged; of others it is said how they lie to each
// other.
func TestMergeNeedsOnePlane(t *testing.T) {
	sin, cos := math.Sincos(40 * math.Pi / 180)
	for _, test := range []struct {
		normal, center r3.Vec
		says           string
	}{
		{r3.Vec{Z: 1}, r3.Vec{X: 5e-3}, ""},
		{r3.Vec{Z: 1}, r3.Vec{X: 5e-3, Z: 4e-3}, "lie 4 mm one before the other"},
		{r3.Vec{X: sin, Z: cos}, r3.Vec{X: 5e-3}, "are turned by 40° against each other"},
		{r3.Vec{Z: -1}, r3.Vec{X: 5e-3}, "are turned by 180° against each other"},
	} {
		p := &Prepared{Openings: []Opening{
			{Number: 1, Center: r3.Vec{}, Normal: r3.Vec{Z: 1}, Area: 20e-6},
			{Number: 2, Center: test.center, Normal: test.normal, Area: 20e-6},
		}}
		err := p.merge([]int{1, 2})
		if test.says == "" {
			if err != nil || p.Openings[0].Area != 40e-6 {
				t.Errorf("error %v, opening %+v", err, p.Openings[0])
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "--drop-opening 2") {
			t.Errorf("error %v, want one that says %q", err, test.says)
		}
	}
}

// Where the role of inlet goes to another opening than that where air would enter,
// it is said, unless its own role is given.
func TestReplacedInletIsTold(t *testing.T) {
	const in, out = Inlet, Outlet
	for _, test := range []struct {
		options Options
		name    string
		says    string
	}{
		{Options{Roles: map[int]Role{3: in}}, "", "opening 2, the largest, is an outlet, since the role of inlet was given to opening 3: say --inlet 2 as well"},
		{Options{Roles: map[int]Role{2: in, 3: in}}, "Inlet of air", "opening 1, named Inlet of air, is an outlet, since the role of inlet was given to openings 2 and 3: say --inlet 1 as well"},
		{Options{Roles: map[int]Role{3: in}, Inlet: 2}, "", ""},
		{Options{Roles: map[int]Role{3: in, 2: in}}, "", ""},
		{Options{Roles: map[int]Role{3: in, 2: out}}, "", ""},
		{Options{Roles: map[int]Role{3: out}}, "", ""},
		{Options{Inlet: 3}, "", ""},
	} {
		p := &Prepared{Openings: []Opening{{Number: 1, Name: test.name, Role: out, Area: 1}, {Number: 2, Role: out, Area: 3}, {Number: 3, Role: out, Area: 2}}}
		if err := p.giveRoles(&test.options, []int{0, 1, 2}); err != nil {
			t.Fatal(err)
		}
		said := slices.IndexFunc(p.Remarks(), func(s string) bool { return strings.Contains(s, "role of inlet") })
		if (said >= 0) != (test.says != "") || said >= 0 && !strings.HasPrefix(p.Remarks()[said], test.says) {
			t.Errorf("%+v: remarks %q, want %q", test.options, p.Remarks(), test.says)
		}
	}
}

// Openings get the roles that are asked for; where no inlet is, the largest of
// those left becomes it.
func TestRolesOfOpenings(t *testing.T) {
	const in, out = Inlet, Outlet
	for _, test := range []struct {
		name    string
		options Options
		into    []int
		want    []Role
		says    string
	}{
		{"nothing said", Options{}, []int{0, 1, 2}, []Role{out, in, out}, ""},
		{"an inlet", Options{Inlet: 3}, []int{0, 1, 2}, []Role{out, out, in}, ""},
		{"roles", Options{Roles: map[int]Role{1: in, 3: in}}, []int{0, 1, 2}, []Role{in, out, in}, ""},
		{"an inlet and a role", Options{Inlet: 1, Roles: map[int]Role{3: in}}, []int{0, 1, 2}, []Role{in, out, in}, ""},
		{"the largest is an outlet", Options{Roles: map[int]Role{2: out}}, []int{0, 1, 2}, []Role{out, out, in}, ""},
		{"the largest is dropped", Options{}, []int{0, -1, 2}, []Role{out, out, in}, ""},
		{"all are outlets", Options{Roles: map[int]Role{1: out, 2: out, 3: out}}, []int{0, 1, 2}, []Role{out, out, out}, ""},
		{"inlet and outlet", Options{Inlet: 2, Roles: map[int]Role{2: out}}, []int{0, 1, 2}, nil, "opening 2 cannot be the inlet and an outlet"},
		{"no such role", Options{Roles: map[int]Role{2: "door"}}, []int{0, 1, 2}, nil, `opening 2 cannot be "door"`},
		{"before the first", Options{Roles: map[int]Role{0: in}}, []int{0, 1, 2}, nil, "no opening 0 to make the inlet"},
		{"behind the last", Options{Inlet: 4}, []int{0, 1, 2}, nil, "no opening 4 to make the inlet: the surface has 3 openings"},
		{"a dropped one", Options{Roles: map[int]Role{2: out}}, []int{0, -1, 2}, nil, "opening 2 is to be the outlet, but is dropped"},
		{"a merged one", Options{Inlet: 3}, []int{0, 1, 0}, nil, "opening 3 is to be the inlet, but is dropped or merged"},
	} {
		p := &Prepared{Openings: []Opening{{Number: 1, Role: out, Area: 1}, {Number: 2, Role: out, Area: 3}, {Number: 3, Role: out, Area: 2}}}
		err := p.giveRoles(&test.options, test.into)
		if test.says != "" {
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: error %v, want one that says %q", test.name, err, test.says)
			}
			continue
		}
		for i, want := range test.want {
			if got := p.Openings[i].Role; err != nil || got != want {
				t.Errorf("%s: opening %d is an %s, want %s (%v)", test.name, i+1, got, want, err)
			}
		}
	}
}
