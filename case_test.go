package carina

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
)

func writeCase(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadCaseRefuses(t *testing.T) {
	tests := []struct{ name, text, says string }{
		{"empty", "", "empty"},
		{"comment", "# nothing\n", "empty"},
		{"no surface", "spacing: 1mm\n", "names no surface"},
		{"unknown key", "surface: a.stl\nspaceing: 1mm\n", "line 2: there is no key spaceing: did you mean spacing?"},
		{"key like no other", "surface: a.stl\n\nwings: 2\n", "line 3: there is no key wings: docs/case-file.md lists those there are"},
		{"unknown key of an opening", "surface: a.stl\nopenings:\n  - {nam: left}\n", "line 3: there is no key nam in openings: did you mean name?"},
		{"unknown key of a condition", "surface: a.stl\nconditions: [{opening: 1, wings: 2}]\n", "line 2: there is no key wings in conditions: the keys are opening, kind"},
		{"key of a condition at the top", "surface: a.stl\nconditions: []\nknd: share\n", "line 3: there is no key knd: docs/case-file.md"},
		{"text for a number", "surface: a.stl\nranks: many\n", "line 2: ranks cannot be many: give a whole number"},
		{"text for a share", "surface: a.stl\nconditions: [{opening: 1, share: half}]\n", "line 2: share cannot be half: give a number"},
		{"number for a switch", "surface: a.stl\nimprove: 3\n", "line 2: improve cannot be 3: give true or false"},
		{"text for a time", "surface: a.stl\ntime-limit: soon\n", `time-limit: invalid duration "soon": give a time such as 30s`},
		{"text for a list", "surface: a.stl\nspeeds: fast\n", "line 2: speeds cannot be fast: give a list"},
		{"text for a mapping", "surface: a.stl\nopenings: [left]\n", "line 2: openings cannot be left: give a mapping"},
		{"fraction", "surface: a.stl\nranks: 2.5\n", "line 2: ranks is 2.5, give a whole number"},
		{"fraction of a long number", "surface: a.stl\nfluid-cells: 2.5\n", "line 2: fluid-cells is 2.5, give a whole number"},
		{"fraction of a seed", "surface: a.stl\nseed: 2.5\n", "line 2: seed is 2.5, give a whole number"},
		{"several documents", "surface: a.stl\n---\nsurface: b.stl\n", "several documents"},
		{"broken", "surface: [a.stl\n", "case.yaml"},
	}
	for _, test := range tests {
		if _, err := ReadCase(writeCase(t, test.text)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: says %v; want %q", test.name, err, test.says)
		}
	}
}

func TestCaseConditions(t *testing.T) {
	path := writeCase(t, `surface: a.stl
flow: 6L/min
waveform: breathing:4s
conditions:
  - {opening: left, kind: share, share: 0.4}
  - {opening: "3", kind: windkessel, proximal-resistance: 1Pa.s/L, distal-resistance: 2Pa.s/L, compliance: 3mL/Pa}
  - {opening: 4, kind: pressure, pressure: 20Pa, waveform: beat.csv}
`)
	table := filepath.Join(filepath.Dir(path), "beat.csv")
	if err := os.WriteFile(table, []byte("time,factor\n0,0\n2,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCase(path)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := c.Settings()
	if err != nil {
		t.Fatal(err)
	}
	if settings.FlowRate != 1e-4 || settings.Waveform != (opening.Breathing{Period: 4, Inspiration: inspiration}) {
		t.Errorf("flow %g, waveform %v", settings.FlowRate, settings.Waveform)
	}
	grid := generate.FullGrid([3]int32{3, 3, 3})
	for i, name := range []string{"trachea", "left", "right", "upper", "twin", "twin", "1"} {
		grid.Openings = append(grid.Openings, geometry.Opening{Number: i + 1, Name: name})
	}
	conditions, err := c.conditions(grid)
	if err != nil {
		t.Fatal(err)
	}
	if got := conditions[2]; got.Kind != opening.FlowShare || got.Share != 0.4 {
		t.Errorf("left: %+v", got)
	}
	if got := conditions[3]; got.ProximalResistance != 1e3 || got.DistalResistance != 2e3 || math.Abs(got.Compliance-3e-6) > 1e-18 {
		t.Errorf("right: %+v", got)
	}
	if got := conditions[4]; got.Pressure != 20 || got.Waveform.Factor(1) != 0.5 {
		t.Errorf("upper: %+v", got)
	}
	for _, test := range []struct {
		condition ConditionCase
		says      string
	}{
		{ConditionCase{Opening: "lingula"}, "trachea, left, right, upper"},
		{ConditionCase{Opening: "left", Pressure: "20"}, "no unit"},
		{ConditionCase{Opening: "left", Waveform: "none.csv"}, "none.csv"},
		{ConditionCase{Opening: "left", Waveform: "sine:-1s"}, "above zero"},
		{ConditionCase{Opening: "left", Kind: "suction"}, "no kind of condition"},
		{ConditionCase{Opening: "left", Kind: "flow"}, "needs flow"},
		{ConditionCase{Opening: "left", Kind: "windkessel", Pressure: "1Pa"}, "needs proximal-resistance or distal-resistance or compliance"},
		{ConditionCase{Opening: "left", Kind: "pressure", Pressure: "1Pa", Share: 0.5}, "share means nothing for the kind pressure"},
		{ConditionCase{Opening: "left", Kind: "share", Share: 0.5, Waveform: "sine:1s"}, "waveform means nothing for the kind share"},
		{ConditionCase{Opening: "twin", Kind: "pressure", Pressure: "1Pa"}, "5 (twin) and 6 (twin)"},
		{ConditionCase{Opening: "1", Kind: "pressure", Pressure: "1Pa"}, "1 (trachea) and 7 (1)"},
	} {
		bad := Case{FlowCase: FlowCase{Conditions: []ConditionCase{test.condition}}}
		if _, err := bad.conditions(grid); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: says %v; want %q", test.condition, err, test.says)
		}
	}
}

// Without a time the air in the lumen is exchanged ten times at most after the start,
// whichever way it flows, in whole cycles of a waveform by what enters in the mean, and
// three times where a waveform has none, but to its end.
func TestPlanOfACase(t *testing.T) {
	const cells = 1_000_000 // a litre
	grid := &geometry.Grid{Spacing: 1e-3, Openings: []geometry.Opening{{Number: 1, Role: geometry.Inlet, Area: 1e-4}, {Number: 2, Role: geometry.Outlet, Area: 1e-4}}}
	grid.Links.Openings = []geometry.OpeningLink{{Link: 0, Number: 1}, {Link: 1, Number: 2}}
	imposed := func(number int, flow float64) map[int]opening.Condition {
		return map[int]opening.Condition{number: {Kind: opening.ImposedFlow, Flow: flow}}
	}
	pressures := map[int]opening.Condition{1: {Kind: opening.ImposedPressure, Pressure: 1}}
	withPressure := imposed(2, -0.1e-3)
	withPressure[1] = pressures[1]
	for name, c := range map[string]struct {
		c      Case
		flow   float64
		at     map[int]opening.Condition
		steps  int64
		time   float64
		steady bool
		says   string
	}{
		"nothing said":       {Case{}, 0.5e-3, nil, 0, 20, true, ""},
		"out of the lumen":   {Case{}, -0.5e-3, nil, 0, 20, true, ""},
		"steps":              {Case{FlowCase: FlowCase{Steps: 7}}, 0.5e-3, nil, 7, 0, false, ""},
		"a time":             {Case{FlowCase: FlowCase{Time: "2s"}}, 0, nil, 0, 2, false, ""},
		"breathing":          {Case{FlowCase: FlowCase{Waveform: "breathing:4s"}}, 0.5e-3, nil, 0, 56, true, ""}, // 2·0.3·4 s·0.5 L/s·2/π are exchanged in a cycle
		"a gust":             {Case{FlowCase: FlowCase{Waveform: "gust.csv"}}, 0.5e-3, nil, 0, 6, false, ""},
		"a long gust":        {Case{FlowCase: FlowCase{Waveform: "long.csv"}}, 0.5e-3, nil, 0, 9, false, ""},
		"a waveform at one":  {Case{FlowCase: FlowCase{Conditions: []ConditionCase{{Waveform: "sine:1s"}}}}, 0.5e-3, nil, 0, 6, false, ""},
		"no flow":            {Case{}, 0, nil, 0, 0, false, "give --time or --steps"},
		"a time before zero": {Case{FlowCase: FlowCase{Time: "-2s"}}, 0.5e-3, nil, 0, 0, false, "above zero"},
		"in at a condition":  {Case{}, 0.5e-3, imposed(1, 0.1e-3), 0, 100, true, ""},
		"out at a condition": {Case{}, 0.5e-3, withPressure, 0, 100, true, ""},
		"pressures alone":    {Case{}, 0.5e-3, pressures, 0, 0, false, "give --time or --steps"},
		"pressures, a flow":  {Case{FlowCase: FlowCase{Flow: "0.5L/s"}}, 0.5e-3, pressures, 0, 20, true, ""},
	} {
		s := airflow.Settings{FlowRate: c.flow, Conditions: c.at}
		switch c.c.Waveform {
		case "breathing:4s":
			s.Waveform = opening.Breathing{Period: 4, Inspiration: 0.3}
		case "gust.csv":
			s.Waveform = &opening.Table{Times: []float64{0, 1}, Values: []float64{0, 1}}
		case "long.csv":
			s.Waveform = &opening.Table{Times: []float64{0, 9}, Values: []float64{0, 1}}
		}
		plan, err := c.c.plan(grid, cells, s)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
			}
			continue
		}
		if err != nil || plan.Steps != c.steps || math.Abs(plan.Time-c.time) > 1e-9 || (plan.Tolerance > 0) != c.steady || (plan.AfterStart != (c.steady && c.c.Waveform == "")) || (plan.Watch > 0) != (name != "a gust" && name != "a long gust" && name != "a waveform at one") {
			t.Errorf("%s: %+v, %v", name, plan, err)
		}
	}
}

func TestCentersOfOpeningsHaveThreeNumbers(t *testing.T) {
	for _, center := range []string{"[]", "[0, 0]", "[0, 0, 60, 4]"} {
		c, err := ReadCase(writeCase(t, "surface: a.stl\nspacing: 1mm\nopenings:\n  - {name: x, center: "+center+", radius: 12mm}\n"))
		if err == nil {
			_, err = c.voxelOptions(geometry.Millimetre)
		}
		if err == nil || !strings.Contains(err.Error(), "give x, y and z") {
			t.Errorf("%s: says %v", center, err)
		}
	}
}

// Where the lumen is too narrow at every outlet for a cell, all openings but the
// inlet are closed.
func TestOutletsThatMeetNoCellAreNoWayOut(t *testing.T) {
	grid := &geometry.Grid{Openings: []geometry.Opening{{Number: 1, Role: geometry.Inlet}, {Number: 3, Role: geometry.Outlet}, {Number: 4, Role: geometry.Outlet}}}
	for _, test := range []struct {
		meet []uint16 // places of openings, from 1
		says string
	}{
		{[]uint16{1, 2, 3}, ""}, {[]uint16{1, 3}, ""}, {[]uint16{1}, "no cell meets outlets 3, 4: choose a smaller spacing"},
	} {
		grid.Links.Openings = nil
		for _, place := range test.meet {
			grid.Links.Openings = append(grid.Links.Openings, geometry.OpeningLink{Number: place})
		}
		c := Case{}
		if err := c.checkOpenings(grid); (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("openings %v meet cells: %v, want %q", test.meet, err, test.says)
		}
	}
}

// Long and deep files are refused before the library takes time and memory with
// their square.
func TestCasesAreShortAndFlat(t *testing.T) {
	const begin = "surface: a.stl\n"
	indented := ""
	for i := range 100 {
		indented += strings.Repeat(" ", i) + "a:\n"
	}
	laughs := "a0: &a0 [1, 1]\n"
	for i := range 60 {
		laughs += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	for name, test := range map[string]struct{ text, says string }{
		"long":              {begin + strings.Repeat("# a comment\n", 10_000), "more than the 65536 bytes"},
		"brackets":          {begin + "speeds: " + strings.Repeat("[", 10_000), "line 2 opens more than 16 brackets"},
		"brackets reopened": {begin + "speeds: " + strings.Repeat("[", 16) + "][[", "line 2 opens more than 16 brackets"},
		"brackets closed":   {begin + "a: ]]]" + strings.Repeat("[", 17), "line 2 opens more than 16 brackets"},
		"braces":            {begin + strings.Repeat("a: {", 1000), "line 2 opens more than 16 brackets"},
		"brackets by lines": {begin + "speeds:\n" + strings.Repeat("  [\n", 5000), "line 19 opens more than 16 brackets"},
		"dashes":            {begin + "speeds:\n  " + strings.Repeat("- ", 10_000), "line 3 lies in more than 16"},
		"questions":         {begin + strings.Repeat("? ", 10_000), "line 2 lies in more than 16"},
		"indentation":       {begin + indented, "lies in more than 16"},
		"aliases":           {begin + laughs, ""},
	} {
		path := writeCase(t, test.text)
		var err error
		taken := allocated(func() { _, err = ReadCase(path) })
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: says %.200v; want %q", name, err, test.says)
		}
		if taken > 2<<20 {
			t.Errorf("%s: %d bytes were allocated", name, taken)
		}
	}
	flat := begin + "openings:\n" + strings.Repeat("  - {name: a, center: [1, 2, 3], radius: 3mm}\n  - name: b\n    center:\n      - 1\n      - 2\n      - 3\n    radius: 3mm\n", 300)
	if c, err := ReadCase(writeCase(t, flat)); err != nil || len(c.Openings) != 600 {
		t.Errorf("an ordinary case: %d openings, %v", len(c.Openings), err)
	}
}

func FuzzReadCase(f *testing.F) {
	f.Add("surface: a.stl\nopenings:\n  - {name: x, center: [0,0,60,4], radius: 12mm}\n")
	f.Add("surface: a.stl\nspeeds: [1, 2]\nconditions:\n  - {opening: 1, kind: share, share: .5}\n")
	f.Add("- a\n---\nb: &c [*c]\n")
	f.Add("surface: &s a.stl\n? ranks\n: !!float 2.9\n\"steps\": 020\n<<: {flow: *s}\n")
	f.Add("surface: a.stl\nspacing: 1000 μm\nseed: 18446744073709551616\nflow: ~\n")
	f.Add("a: &a [x,x]\nb: &b [*a,*a]\nsurface: *b\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "case.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if c, err := ReadCase(path); err == nil && c.Surface == "" {
			t.Error("a case without a surface was accepted")
		}
	})
}
