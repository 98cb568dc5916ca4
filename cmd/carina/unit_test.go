package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unitReport is what the tests below read of `carina inspect --json`.
type unitReport struct {
	Unit         string   `json:"unit"`
	Certainty    string   `json:"unit_certainty"`
	Alternatives []string `json:"unit_alternatives"`
	Volume       float64  `json:"volume_m3"`
}

// The size of a whole airway speaks for millimetres or metres alone; in
// centimetres its numbers are those of a bronchus in millimetres.
func TestUnitOfAnAirway(t *testing.T) {
	folder := t.TempDir()
	make := func(unit string, arguments ...string) string {
		path := filepath.Join(folder, unit+".stl")
		succeed[map[string]any](t, append([]string{"generate", "airway", "--generations", "2", "--segments", "16", "--unit", unit, "-o", path}, arguments...)...)
		return path
	}
	// Ten times as long is no airway's length, but might be a large animal's; what
	// it encloses then is a thousand times as much.
	if r := succeed[foundOpenings](t, "inspect", make("mm"), "--unit", "cm"); !strings.Contains(strings.Join(r.Warnings, "\n"), "with the unit cm that was given, which no airway does: if that was not meant, say --unit mm") {
		t.Errorf("an airway in mm that is taken for one in cm: %q", r.Warnings)
	}
	for _, unit := range []string{"mm", "m", "um"} {
		r := succeed[unitReport](t, "inspect", make(unit))
		if r.Unit != unit || r.Certainty != "sure" || len(r.Alternatives) > 0 {
			t.Errorf("an airway in %s: %+v", unit, r)
		}
	}
	inches := make("in")
	if status, _, stderr := invoke(t, "inspect", inches); status != exitFailure || !strings.Contains(stderr, "--unit in (then it is") {
		t.Errorf("an airway in inches: status %d, says %q; want a refusal that names --unit in", status, stderr)
	}
	if r, want := succeed[unitReport](t, "inspect", inches, "--unit", "in"), succeed[unitReport](t, "inspect", filepath.Join(folder, "mm.stl")); math.Abs(r.Volume/want.Volume-1) > 1e-6 {
		t.Errorf("the airway in inches encloses %g m³, want %g", r.Volume, want.Volume)
	}
	path := make("cm")
	for _, command := range [][]string{{"inspect", path}, {"run", path, "--spacing", "1mm", "--out", filepath.Join(folder, "out")}, {"view", path}} {
		status, _, stderr := invoke(t, command...)
		if status != exitFailure || !strings.Contains(stderr, "--unit mm") || !strings.Contains(stderr, "--unit cm") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, says %q; want a refusal that names --unit mm and --unit cm", command, status, stderr)
		}
	}
	if r := succeed[unitReport](t, "inspect", path, "--unit", "cm"); r.Unit != "cm" || r.Certainty != "given" {
		t.Errorf("with its unit given: %+v", r)
	}
}

// A body of two units may be a vehicle in metres or a bronchiole in
// millimetres.
func TestUnitOfABodyIsNotGambledOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "body.stl")
	succeed[map[string]any](t, "generate", "cavity", "--length", "2.06m", "--unit", "m", "-o", path)
	status, _, stderr := invoke(t, "inspect", path)
	if status != exitFailure || !strings.Contains(stderr, "--unit mm") || !strings.Contains(stderr, "--unit m ") {
		t.Errorf("status %d, says %q; want a refusal that names --unit m and --unit mm", status, stderr)
	}
}

// A unit that was given is used, and doubted where another one fits and it does
// not.
func TestUnitThatCannotBeMeantIsDoubted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.stl")
	succeed[map[string]any](t, "generate", "pipe", "--unit", "m", "--segments", "16", "-o", path)
	for unit, doubt := range map[string]string{"mm": "the surface is 90 µm long and encloses 0.0229 nL with the unit mm that was given", "m": "", "dm": ""} {
		r := succeed[foundOpenings](t, "inspect", path, "--unit", unit)
		said := strings.Join(r.Warnings, "\n")
		if doubted := strings.Contains(said, "that was given"); doubted != (doubt != "") || !strings.Contains(said, doubt) || doubted && !strings.Contains(said, "say --unit m (then it is 90 mm long)") {
			t.Errorf("in %s: says %q, want %q", unit, said, doubt)
		}
	}
	_, table, _ := invoke(t, "inspect", path, "--unit", "mm")
	if !strings.Contains(table, "area (µm²)") || strings.Contains(table, "0.00  100 %") {
		t.Errorf("areas of tiny openings are not to be read:\n%s", table)
	}
}

// A body too small in every unit is not told to be an airway's size.
func TestLengthsThatNoAirwayHasAreCalledSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.stl")
	succeed[map[string]any](t, "generate", "pipe", "--unit", "m", "--diameter", "1um", "--length", "6um", "--segments", "16", "-o", path)
	status, table, stderr := invoke(t, "inspect", path)
	if status != 0 || !strings.Contains(table, "is 6 µm in m, which no airway is") {
		t.Errorf("status %d, says %s%s", status, stderr, table)
	}
}

func TestUnitGivenAsALengthAndAScale(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.stl")
	succeed[map[string]any](t, "generate", "pipe", "--unit", "50um", "--segments", "16", "-o", path)
	want := succeed[unitReport](t, "inspect", path, "--unit", "50um")
	if volume := math.Pi * 9e-3 * 9e-3 * 90e-3; math.Abs(want.Volume-volume) > 0.05*volume {
		t.Errorf("the pipe encloses %g m³, want %g", want.Volume, volume)
	}
	for _, arguments := range [][]string{{"--unit", "um", "--scale", "50"}, {"--unit", "mm", "--scale", "0.05"}, {"--scale", "0.05"}} {
		if got := succeed[unitReport](t, append([]string{"inspect", path}, arguments...)...); math.Abs(got.Volume-want.Volume) > 1e-9*want.Volume {
			t.Errorf("%v: %g m³, want %g", arguments, got.Volume, want.Volume)
		}
	}
	view := func(name string, arguments ...string) []byte {
		page := filepath.Join(t.TempDir(), name)
		succeed[map[string]any](t, append([]string{"view", path, "-o", page}, arguments...)...)
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if !bytes.Equal(view("a.html", "--unit", "um", "--scale", "50"), view("b.html", "--unit", "50um")) {
		t.Error("the page with a scale differs from that with the unit as a length")
	}
	for _, command := range []string{"inspect", "view"} {
		if status, _, stderr := invoke(t, command, path, "--scale", "0"); status != exitFailure || !strings.Contains(stderr, "--scale 0 cannot be meant") {
			t.Errorf("%s --scale 0: status %d, says %q", command, status, stderr)
		}
	}
	for _, arguments := range [][]string{{"--scale", "-1"}, {"--scale", "1e300"}, {"--scale", "1e-300"}, {"--unit", "1e200m"}, {"--unit", "0um"}, {"--unit", "50 parsecs"}} {
		if status, _, stderr := invoke(t, append([]string{"inspect", path}, arguments...)...); status != exitFailure || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, says %q", arguments, status, stderr)
		}
	}
}
