package carina

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Values are what their text says, whatever the YAML library makes of it.
func TestValuesAreReadFromTheirText(t *testing.T) {
	for text, want := range map[string]func(c *Case) bool{
		"fluid-cells: 03000\nsteps: 020":                func(c *Case) bool { return c.FluidCells == 3000 && c.Steps == 20 },
		"fluid-cells: 1e6\nsteps: 1_000":                func(c *Case) bool { return c.FluidCells == 1e6 && c.Steps == 1000 },
		"scale: 010\nmin-side: 08\nmax-side: 0016":      func(c *Case) bool { return c.Scale == 10 && c.MinSide == 8 && c.MaxSide == 16 },
		"roles: {03: inlet, 010: outlet}":               func(c *Case) bool { return c.Roles[3] == "inlet" && c.Roles[10] == "outlet" },
		"drop-openings: [010, 2]\nspeeds: [01, 010]":    func(c *Case) bool { return c.DropOpenings[0] == 10 && c.Speeds[1] == 10 },
		"openings: [{center: [010, 0, −0.5], name: a}]": func(c *Case) bool { return c.Openings[0].Center[0] == 10 && c.Openings[0].Center[2] == -0.5 },
		"seed: 18446744073709551615":                    func(c *Case) bool { return c.Seed == math.MaxUint64 },
		"seed: 9223372036854775808":                     func(c *Case) bool { return c.Seed == 1<<63 },
		"ranks: \"3\"\ninlet: !!str 2":                  func(c *Case) bool { return c.Ranks == 3 && c.Inlet == 2 },
		"\"ranks\": 3\n'inlet': 2":                      func(c *Case) bool { return c.Ranks == 3 && c.Inlet == 2 },
		"? ranks\n: 3\n&k inlet: &v 2\nsteps: *v":       func(c *Case) bool { return c.Ranks == 3 && c.Inlet == 2 && c.Steps == 2 },
		"openings: [&a {name: a, radius: 3mm}, {<<: *a, name: b}, {<<: [*a]}]": func(c *Case) bool {
			return c.Openings[1].Name == "b" && c.Openings[1].Radius == "3mm" && c.Openings[2].Name == "a"
		},
		"time-limit: 30 s":                                  func(c *Case) bool { return c.TimeLimit == 30*time.Second },
		"time-limit: 2min":                                  func(c *Case) bool { return c.TimeLimit == 2*time.Minute },
		"time-limit: 1m30s":                                 func(c *Case) bool { return c.TimeLimit == 90*time.Second },
		"improve: True\nkeep-heavy: \"true\"":               func(c *Case) bool { return c.Improve && c.KeepHeavy },
		"flow: >-\n  6\n  L/min\ntime: |\n  2s\n":           func(c *Case) bool { return c.Flow == "6 L/min" && strings.TrimSpace(c.Time) == "2s" },
		"%YAML 1.2\n---\ndrop-openings: []\nconditions: []": func(c *Case) bool { return len(c.DropOpenings) == 0 },
	} {
		lines, directive := "surface: a.stl\n"+text, strings.HasPrefix(text, "%")
		if directive {
			lines = text + "\nsurface: a.stl"
		}
		if c, err := ReadCase(writeCase(t, lines)); err != nil || !want(&c) {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

// What cannot be meant is refused with its place, however it is written.
func TestValuesThatCannotBeMeant(t *testing.T) {
	for text, says := range map[string]string{
		"ranks: 2.9":                            "line 2: ranks is 2.9, give a whole number (column 8)",
		"ranks: \"2.9\"":                        "ranks is 2.9",
		"\"ranks\": 2.9":                        "ranks is 2.9",
		"ranks: &a 2.7":                         "ranks is 2.7",
		"ranks: !!float 2.9":                    "ranks is 2.9",
		"ranks: !!int 2.9":                      "ranks is 2.9",
		"? ranks\n: 2.9":                        "line 3: ranks is 2.9",
		"scale: &a 2.5\nranks: *a":              "line 3: ranks is 2.5",
		"openings: [{<<: {name: 1, radius: }}]": "radius is empty",
		"fluid-cells: 3.000":                    "fluid-cells is 3.000",
		"fluid-cells: 3,000":                    "fluid-cells cannot be 3,000",
		"ranks: 1e-1":                           "ranks is 1e-1",
		"steps: 9223372036854775808":            "steps is 9223372036854775808, which is out of range",
		"seed: 18446744073709551616":            "seed is 18446744073709551616, give a whole number from 0 to 18446744073709551615",
		"seed: -1":                              "seed is -1, give a whole number from 0",
		"seed: 1e30":                            "seed is 1e30",
		"steps: 0":                              "steps is 0",
		"scale: 0.0":                            "scale is 0",
		"scale: -0":                             "scale is 0",
		"ranks: 00":                             "ranks is 0",
		"inlet: 0x0":                            "inlet is 0",
		"imbalance: 0e5":                        "imbalance is 0",
		"fluid-cells: 0":                        "fluid-cells is 0",
		"directions: 0":                         "directions is 0",
		"cuboids-per-rank: 0":                   "cuboids-per-rank is 0",
		"min-side: 0":                           "min-side is 0",
		"max-side: 0":                           "max-side is 0",
		"devices-per-host: 0":                   "devices-per-host is 0",
		"time-limit: 0s":                        "time-limit is 0",
		"lattice-velocity: 0":                   "lattice-velocity is 0",
		"tolerance: 0":                          "tolerance is 0",
		"conditions: [{opening: 1, share: 0}]":  "share is 0",
		"flow:":                                 "line 2: flow is empty: give text, or leave it out",
		"flow: ~":                               "flow is empty",
		"flow: null":                            "flow is empty",
		"flow: ''":                              "flow is empty",
		"flow: \" \"":                           "flow is empty",
		"flow: !!null":                          "flow is empty",
		"flow: &a ~\nviscosity: *a":             "flow is empty",
		"unit:":                                 "unit is empty",
		"ranks:":                                "ranks is empty",
		"openings:":                             "openings is empty",
		"conditions: ~":                         "conditions is empty",
		"roles:":                                "roles is empty",
		"speeds: []":                            "speeds is empty",
		"speeds: [1, ~]":                        "speeds cannot be empty",
		"drop-openings: [~]":                    "drop-openings cannot be empty",
		"improve:":                              "improve is empty",
		"improve: yes":                          "improve cannot be yes: give true or false",
		"scale: .inf":                           "scale cannot be .inf",
		"scale: .nan":                           "scale cannot be .nan",
		"scale: NaN":                            "scale cannot be NaN",
		"scale: 1,5":                            "scale cannot be 1,5",
		"imbalance: 3%":                         "imbalance cannot be 3%: give a number",
		"flow: {a: 1}":                          "flow cannot be a mapping",
		"flow: [1L/min]":                        "flow cannot be a list",
		"flow: !!binary aGk=":                   "the tag !!binary means nothing here",
		"flow: !own 1L/min":                     "the tag !own means nothing here",
		"flow: *a":                              "there is no anchor &a before it",
		"flow: *a\ntime: &a 1s":                 "there is no anchor &a before it",
		"speeds: &a [1, *a]":                    "there is no anchor &a before it",
		"<<: 3":                                 "<< cannot be 3: give a mapping",
		"<<: {wings: 2}":                        "there is no key wings",
		"ranks: 1\n&a ranks: 2":                 "ranks stands there twice",
		"ranks: 1\n? ranks\n: 2":                "twice",
		"roles: {3: inlet, 03: outlet}":         "opening 3 stands there twice",
		"conditions:\n\t- {opening: 2}":         "line 3: it is indented with a tab: indent with spaces (column 1)",
		"waveform: sine:":                       "line 2: there is a second colon with a space or nothing behind it: put a value",
		"flow: a: 3":                            "put a value that has one into quotes",
		"ranks: many\n":                         "line 2: ranks cannot be many: give a whole number (column 8)",
		"- 1":                                   "case.yaml",
	} {
		_, err := ReadCase(writeCase(t, "surface: a.stl\n"+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), says) && !strings.Contains(err.Error(), "already defined") || strings.ContainsAny(err.Error(), "\n\t") {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	if _, err := ReadCase(writeCase(t, "\xff\xfes\x00")); err == nil || !strings.Contains(err.Error(), "it is text in UTF-16: save it as UTF-8") {
		t.Error(err)
	}
	if _, err := ReadCase(writeCase(t, "- surface\n")); err == nil || !strings.Contains(err.Error(), "it has no keys") {
		t.Error(err)
	}
}

// bomb is a file of aliases of aliases, which would hold 9 to the power of its
// levels of values.
func bomb(levels int, last string) string {
	text := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < levels; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
	}
	return text + fmt.Sprintf(last, levels-1)
}

// What aliases stand for is counted before it is made.
func TestAliasesAreCounted(t *testing.T) {
	merges := "x: &a0 {name: a}\n"
	for i := 1; i < 12; i++ {
		merges += fmt.Sprintf("x%d: &a%d {<<: [%s*a%d]}\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 8), i-1)
	}
	for name, text := range map[string]string{
		"surface": bomb(6, "surface: *a%d\n"), "deep": bomb(200, "surface: *a%d\n"), "speeds": bomb(7, "speeds: *a%d\n"), "key": bomb(7, "? *a%d\n: 1\n"),
		"merges": merges, "tags": bomb(7, "flow: !!str &b !!seq *a%d\n"),
		"groups": "merge-openings:\n - &a [" + strings.Repeat("1,", 9000) + "1]\n" + strings.Repeat(" - *a\n", 900),
	} {
		path := writeCase(t, text)
		var err error
		taken := allocated(func() { _, err = ReadCase(path) })
		if err == nil || !strings.Contains(err.Error(), "aliases written out") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %.200v", name, err)
		}
		if taken > 100<<20 {
			t.Errorf("%s: %d bytes were allocated", name, taken)
		}
	}
	text := "surface: a.stl\nopenings:\n  - &a {name: a, center: [1, 2, 3], radius: 3mm}\n" + strings.Repeat("  - {<<: *a, name: b}\n", 500)
	if c, err := ReadCase(writeCase(t, text)); err != nil || len(c.Openings) != 501 || c.Openings[500].Radius != "3mm" {
		t.Errorf("aliases as people use them: %v", err)
	}
}

// The cases that strangers wrote, as they are.
func TestStrangersCases(t *testing.T) {
	folder := filepath.Join("..", "shared", "cases")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the collection of cases is not there: %v", err)
	}
	for name, says := range map[string]string{
		"empty-flow-is-15-L-min.yaml": "flow is empty", "fractions-cut.yaml": "ranks is 2.9", "scale-0-ignored.yaml": "scale is 0",
		"steps-0-runs-2232-steps.yaml": "steps is 0", "tab-indent-message.yaml": "tab", "yaml-alias-bomb.yaml": "aliases",
		"leading-zero-is-octal.yaml": "", "greek-mu-refused.yaml": "",
	} {
		c, err := ReadCase(filepath.Join(folder, name))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
		if err == nil {
			if _, err := c.voxelOptions(1); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
