package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/solver/airflow"
)

// The end of a computation says whether the flow is steady, which method it
// was, and what flows.
func TestEndOfAComputationSaysWhatItWas(t *testing.T) {
	out := t.TempDir()
	pipe := generated(t, "pipe", "--length", "40mm", "--segments", "24")
	flow := []string{"run", pipe, "--unit", "mm", "--spacing", "3mm", "--flow", "0.3L/min", "--out", out}
	for _, test := range []struct {
		name      string
		arguments []string
		steady    string
		says      []string
	}{
		{"until it is steady", []string{"--time", "90s", "--tolerance", "1e-4"}, "yes", []string{"\nsteady: ", "flow of air", "recursive collision, interpolated walls, D3Q19, single precision"}},
		{"long enough", []string{"--steps", "3000", "--collision", "cumulant", "--wall", "bounce-back"}, "yes", []string{"\nsteady: ", "cumulant collision, bounce-back walls, D3Q27"}},
		{"too short", []string{"--steps", "20"}, "", []string{"not known after so few steps"}},
		{"water before it is steady", []string{"--steps", "300", "--density", "998kg/m3", "--viscosity", "1mm2/s", "--flow", "0.05L/min"}, "no", []string{"\nnot steady: ", "flow of water"}},
	} {
		status, words, stderr := invoke(t, append(flow, test.arguments...)...)
		if status != 0 {
			t.Fatalf("%s: %s", test.name, stderr)
		}
		var s airflow.Summary
		data, err := os.ReadFile(filepath.Join(out, "summary.json"))
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		known := ""
		if s.Steady != nil {
			known = map[bool]string{true: "yes", false: "no"}[*s.Steady]
		}
		if known != test.steady {
			t.Errorf("%s: steady %q, want %q", test.name, known, test.steady)
		}
		for _, says := range test.says {
			if !strings.Contains(words, says) {
				t.Errorf("%s: says nothing of %q:\n%s", test.name, says, words)
			}
		}
	}
}
