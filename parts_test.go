package carina_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry/generate"

	"github.com/google/go-cmp/cmp"
)

// WaterCase is the part of a case that another physics has in the place of air.
type WaterCase struct {
	Depth    float64  `yaml:"depth" zero:"refused"`
	Friction string   `yaml:"friction"`
	Gauges   []gauge  `yaml:"gauges"`
	Names    []string `yaml:"names"`
}

type gauge struct {
	Name  string    `yaml:"name"`
	Place []float64 `yaml:"place"`
}

// basin is a case of another physics.
type basin struct {
	carina.SurfaceCase
	carina.PartitionCase
	WaterCase
	carina.ResultsCase
}

// The case of another physics is read as one of air, shares its parts, and is refused in
// the same words.
func TestPartsOfAnotherPhysics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "basin.yaml")
	read := func(text string) (b basin, err error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return b, carina.ReadParts(path, &b)
	}
	b, err := read("surface: basin.grid\ndepth: 0.5\nranks: 3\nbalance: sfc\ndevice: cpu\noutput: out\ngauges: [{name: dam, place: [1, 2]}]\nnames: [a, b]\n")
	if err != nil {
		t.Fatal(err)
	}
	want := WaterCase{Depth: 0.5, Gauges: []gauge{{"dam", []float64{1, 2}}}, Names: []string{"a", "b"}}
	if diff := cmp.Diff(want, b.WaterCase); diff != "" || b.Output != "out" || b.Surface != filepath.Join(filepath.Dir(path), "basin.grid") {
		t.Errorf("%+v, %s", b, diff)
	}
	if devices, err := b.Devices(3); err != nil || !cmp.Equal(devices, []carina.Device{carina.CPU, carina.CPU, carina.CPU}) {
		t.Errorf("devices %v, %v", devices, err)
	}
	cost := balance.DefaultCost(balance.Sparse)
	options, err := b.Options(&cost)
	if err != nil {
		t.Fatal(err)
	}
	p, err := balance.Make(t.Context(), generate.FullGrid([3]int32{30, 20, 1}), options)
	if err != nil || len(p.Ranks) != 3 || p.Method.Balance != "sfc" {
		t.Errorf("a partition %+v, %v", p, err)
	}
	for text, says := range map[string]string{
		"":                                   "empty",
		"depth: 1\n":                         "names no surface",
		"surface: a\ndepth: 0\n":             "depth",
		"surface: a\ndept: 1\n":              "did you mean depth?",
		"surface: a\nflow: 1L/min\n":         "there is no key flow",
		"surface: a\ngauges: [{nam: dam}]\n": "did you mean name?",
		"surface: a\ndepth: deep\n":          "depth cannot be deep: give a number",
		"surface: a\nranks: 2.5\n":           "ranks is 2.5, give a whole number",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: says %v, want %q", text, err, says)
		}
	}
	b.Decompose = "slices of bread"
	if _, err := b.Options(&cost); err == nil || !strings.Contains(err.Error(), "slices of bread") {
		t.Errorf("a decomposition that is none: %v", err)
	}
	b.Device = "cpu,gpu"
	if _, err := b.Devices(3); err == nil || !strings.Contains(err.Error(), "2 devices are named for 3 ranks") {
		t.Errorf("devices of two ranks for three: %v", err)
	}
}
