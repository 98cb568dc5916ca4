package main

import (
	"path/filepath"
	"strings"
	"testing"

	"carina/gas"
)

// A gas is told as JSON and by its files, and goes on from a checkpoint on the ranks of a
// partition file to the state that it has without.
func TestGas(t *testing.T) {
	t.Chdir(t.TempDir())
	line := strings.Fields("thermal waves --size 16x12 --every 10 --pictures 0")
	run := func(more string) gas.Summary {
		return succeed[gas.Summary](t, append(append([]string{}, line...), strings.Fields(more)...)...)
	}
	one := run("--steps 40 --out one")
	run("--steps 30 --out out --snapshots every=30 --checkpoint end --rebalance auto --ranks 3 --decompose regular --balance rcb")
	line = []string{"thermal"}
	if on := run("--restart out --steps 40 --ranks 3 --partition out/partition.part.json"); on.Hash != one.Hash || on.Last != one.Last || on.Cut != "regular + rcb" {
		t.Errorf("%+v after a restart, want %+v", on, one)
	}
	if list, err := filepath.Glob("out/series/fields*"); err != nil || len(list) != 3 {
		t.Errorf("snapshots %v (%v), want two and their list", list, err)
	}
	for _, bad := range []struct{ says, line string }{
		{"give rayleigh-taylor", "thermal rayleigh-tailor"},
		{"cannot be meant", "thermal sod --steps 0"},
		{"no size of a box", "thermal sod --size 12"},
		{"give one of them", "thermal sod --cut tiles --balance rcb"},
		{"is for 3 ranks", "thermal waves --size 16x12 --partition out/partition.part.json --ranks 2"},
		{"grid of 16×12×1", "thermal waves --size 16x24 --partition out/partition.part.json --ranks 3"},
		{"carina thermal computes", "run --restart out"},
		{"is not of a flood", "water --restart out"},
		{"negative", "thermal sod --pictures -1"},
	} {
		if status, _, stderr := invoke(t, strings.Fields(bad.line)...); status == 0 || !strings.Contains(stderr, bad.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("carina %s: status %d, says %q", bad.line, status, stderr)
		}
	}
}
