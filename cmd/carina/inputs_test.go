package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/solver/airflow"
)

// Numbers of flags are what they look like, as in case files.
func TestNumbersOfFlagsAreNotOctal(t *testing.T) {
	pipe, out := generated(t, "pipe"), filepath.Join(t.TempDir(), "out")
	s := succeed[*airflow.Summary](t, "run", pipe, "--spacing", "3000 μm", "--flow", "1 L/m", "--steps", "020", "--ranks", "02", "--out", out)
	if s.Steps != 20 || len(s.Ranks) != 2 {
		t.Errorf("%d steps on %d ranks, want 20 on 2", s.Steps, len(s.Ranks))
	}
	g := succeed[*carina.GridReport](t, "voxelize", pipe, "--fluid-cells", "1e3", "-o", filepath.Join(t.TempDir(), "pipe.grid"))
	if g.FluidCells < 500 || g.FluidCells > 2000 {
		t.Errorf("1e3 cells are %d", g.FluidCells)
	}
	for _, wrong := range [][]string{{"--steps", "2.9"}, {"--ranks", "3.000"}, {"--seed", "18446744073709551616"}, {"--seed", "-1"}, {"--inlet", "1.5"}, {"--drop-opening", "1.5"}, {"--time-limit", "soon"}} {
		if status, _, said := invoke(t, append([]string{"run", pipe, "--spacing", "3mm", "--out", out}, wrong...)...); status != exitUsage || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: status %d, says %q", wrong, status, said)
		}
	}
}

// An imbalance of 3 is meant in percent, whatever command it is given to.
func TestImbalanceOfThreeIsRefused(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	graph := written(t, "four.graph", "4 3\n2\n1 3\n2 4\n3\n")
	grid, part := filepath.Join(folder, "a.grid"), filepath.Join(folder, "a.part.json")
	succeed[map[string]any](t, "voxelize", pipe, "--spacing", "3mm", "-o", grid)
	file := written(t, "case.yaml", "surface: "+pipe+"\nspacing: 3mm\nimbalance: 3\n")
	for _, line := range [][]string{
		{"graph", graph, "2", "--imbalance", "3"}, {"graph", graph, "2", "--imbalance", "5"},
		{"partition", grid, "--ranks", "2", "-o", part, "--imbalance", "3"}, {"partition", grid, "--ranks", "2", "-o", part, "--imbalance", "1.03"},
		{"run", grid, "--ranks", "2", "--imbalance", "3", "--out", filepath.Join(folder, "out")}, {"run", file}, {"partition", file, "--ranks", "2", "-o", part},
		{"bench", "partition", "--graphs", folder, "--imbalance", "3", "--out", filepath.Join(folder, "bench")},
	} {
		status, _, said := invoke(t, line...)
		if status != exitFailure || !strings.Contains(said, "imbalance of") || !strings.Contains(said, "% are 0.0") || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: status %d, says %q", line, status, said)
		}
	}
}

// Wrong names are refused before anything is read or made.
func TestWrongNamesAreRefusedBeforeAnyWork(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.stl")
	folder := t.TempDir()
	named := func(line []string, flag, name string) {
		t.Helper()
		status, _, said := invoke(t, append(line, "--"+flag, name)...)
		if status == 0 || !strings.Contains(said, name) || strings.Contains(said, "none") || strings.Count(said, "\n") != 1 {
			t.Errorf("%v --%s %s: status %d, says %q", line[0], flag, name, status, said)
		}
		if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
			t.Errorf("%v --%s %s: left %v, %v", line[0], flag, name, entries, err)
		}
	}
	out := filepath.Join(folder, "out")
	run := []string{"run", missing, "--spacing", "1mm", "--out", out}
	for _, flag := range []string{"unit", "axes", "voxelizer", "decompose", "balance", "preset", "profile", "collision", "layout", "lattice", "wall", "precision", "device", "storage", "exchange"} {
		named(run, flag, "metis")
		file := written(t, "case.yaml", "surface: "+missing+"\n"+flag+": metis\n")
		if status, _, said := invoke(t, "run", file, "--out", out); status != exitFailure || !strings.Contains(said, `"metis"`) || strings.Contains(said, "none.stl") {
			t.Errorf("%s in a case: status %d, says %q", flag, status, said)
		}
	}
	partition := []string{"partition", missing, "--ranks", "2", "-o", filepath.Join(folder, "a.part.json")}
	for _, flag := range []string{"unit", "voxelizer", "decompose", "balance", "preset", "layout"} {
		named(partition, flag, "metis")
	}
	named([]string{"partition", missing, "--ranks", "2", "-o", filepath.Join(folder, "a.part.json")}, "decompose", "octree+metis")
	for _, flag := range []string{"unit", "voxelizer"} {
		named([]string{"voxelize", missing, "-o", filepath.Join(folder, "a.grid")}, flag, "metis")
	}
	for _, flag := range []string{"profile", "collision", "layout", "lattice", "wall", "precision", "device", "storage", "exchange"} {
		named([]string{"solve", missing, "--out", out}, flag, "metis")
	}
	for _, flag := range []string{"preset", "objective"} {
		named([]string{"graph", missing, "4"}, flag, "metis")
	}
	named([]string{"export", missing}, "to", "metis2")
	named([]string{"inspect", missing}, "unit", "metis")
	named([]string{"view", missing, "-o", filepath.Join(folder, "a.html")}, "unit", "metis")
	named([]string{"generate", "airway", "-o", filepath.Join(folder, "a.stl")}, "rule", "metis")
	named([]string{"generate", "airway", "-o", filepath.Join(folder, "a.stl")}, "unit", "metis")
	bench := filepath.Join(folder, "bench")
	for line, flags := range map[string][]string{
		"cost": {"layout"}, "solver": {"layout", "unit"}, "balance": {"layout", "preset", "geometry"}, "scale": {"geometry"}, "rebalance": {"geometry"},
		"validate": {"cases", "device", "precision"}, "gpu": {"collision", "lattice", "wall", "cases", "exchange", "unit"}, "partition": {"presets", "tools"},
	} {
		for _, flag := range flags {
			words := []string{"bench", line, "--quick", "--out", bench}
			if line == "partition" {
				words = append(words, "--graphs", folder)
			}
			named(words, flag, "metis")
		}
	}
	for _, condition := range []string{"{opening: 1, kind: metis}", "{opening: 1, kind: flow, flow: 1L/min, profile: metis}"} {
		file := written(t, "case.yaml", "surface: "+missing+"\nconditions: ["+condition+"]\n")
		if status, _, said := invoke(t, "run", file, "--out", out); status != exitFailure || !strings.Contains(said, `"metis"`) {
			t.Errorf("%s: status %d, says %q", condition, status, said)
		}
	}
}

// The sizes of a METIS graph's vertices are what is communicated.
func TestSizesOfVerticesCount(t *testing.T) {
	text := "20 19 100\n"
	for v := 1; v <= 20; v++ {
		size := 1
		if v > 8 && v <= 12 {
			size = 1000
		}
		text += fmt.Sprint(size)
		if v > 1 {
			text += fmt.Sprint(" ", v-1)
		}
		if v < 20 {
			text += fmt.Sprint(" ", v+1)
		}
		text += "\n"
	}
	row := written(t, "row.graph", text)
	for objective, want := range map[string]int64{"volume": 2, "bottleneck": 2, "cut": 2000} {
		r := succeed[graphResult](t, "graph", row, "2", "--imbalance", "0.3", "--objective", objective)
		if r.CommunicationVolume != want {
			t.Errorf("by %s: volume %d, want %d", objective, r.CommunicationVolume, want)
		}
	}
}
