package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A flood is told in words, as JSON, and by its files; a case file, flags that change it and
// a restart agree.
func TestFlood(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("flood.yaml", []byte("terrain: valley\nspacing: 25m\ntime: 30s\nmanning: 0.05\nedges:\n  - east=open\ngauges: [\"dam=230,300\"]\noutput: out\nsnapshots: 10s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	status, words, stderr := invoke(t, "water", "flood.yaml", "--ranks", "2", "--checkpoint", "end", "--rebalance", "auto")
	if status != 0 || !strings.Contains(words, "gauge dam: ") || !strings.Contains(words, "wrote out/arrival.asc\n") {
		t.Fatalf("status %d: %s%s", status, words, stderr)
	}
	if list, err := filepath.Glob("out/series/fields_*.vti"); err != nil || len(list) != 3 {
		t.Errorf("snapshots of 30 s: %v (%v)", list, err)
	}
	volume := func(arguments ...string) float64 {
		status, words, stderr := invoke(t, append(arguments, "--json")...)
		var s struct {
			After float64 `json:"volume_after_m3"`
			Time  float64 `json:"time_s"`
		}
		if err := json.Unmarshal([]byte(words), &s); status != 0 || err != nil || s.Time != 45 {
			t.Fatalf("status %d after %g s: %s%s (%v)", status, s.Time, words, stderr, err)
		}
		return s.After
	}
	on := volume("water", "--restart", "out", "--time", "45s")
	if anew := volume("water", "flood.yaml", "--time", "45s", "--ranks", "3", "--out", "other"); on/anew > 1.0001 || on/anew < 0.9999 {
		t.Errorf("after a restart there are %g m³, anew %g", on, anew)
	}
	for _, bad := range []struct{ says, line string }{
		{"no such file", "water absent.asc --time 1s"},
		{"choose one of heun or euler", "water dam --scheme rk4"},
		{"no edge", "water dam --edge up=wall"},
		{"--ranks 0 cannot be meant", "water dam --ranks 0"},
		{"--cfl 0 cannot be meant", "water dam --cfl 0"},
		{"--chezy 0 cannot be meant", "water dam --chezy 0"},
		{"--manning 0.0303", "water dam --manning 33"},
		{"carina water", "run flood.yaml"},
		{"say off, auto", "water dam --rebalance now"},
		{"with the program and the command", "run --restart out"},
		{"stands at", "water dam --gauge far=1e6,0"},
	} {
		if status, _, stderr := invoke(t, strings.Fields(bad.line)...); status == 0 || !strings.Contains(stderr, bad.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("carina %s: status %d, says %q", bad.line, status, stderr)
		}
	}
	for line, want := range map[string]string{"water va": "valley", "water valley --scheme e": "euler", "water valley --edge east=o": "east=open", "water valley --precision d": "double"} {
		if got := completed(t, strings.Fields(line)...); len(got) != 1 || got[0] != want {
			t.Errorf("%s completes %q", line, got)
		}
	}
}
