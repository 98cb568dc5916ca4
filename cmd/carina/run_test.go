package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"carina/internal/race"
	"carina/solver/airflow"
)

// A coarse grid that resolves a small bifurcation at a low Reynolds number.
var (
	bifurcationGeometry = []string{"--unit", "mm", "--spacing", "2mm"}
	bifurcationFlow     = []string{"--flow", "0.3L/min", "--steps", race.Few("12", "40")}
)

func TestSameFlowForAllRanksDecompositionsAndBalancers(t *testing.T) {
	surface, folder := generated(t, "bifurcation"), t.TempDir()
	grid := filepath.Join(folder, "bifurcation.grid")
	succeed[map[string]any](t, append([]string{"voxelize", surface, "-o", grid}, bifurcationGeometry...)...)
	solve := func(arguments ...string) *airflow.Summary {
		t.Helper()
		file := filepath.Join(folder, "ranks.part.json")
		succeed[partitionResult](t, append([]string{"partition", grid, "-o", file}, arguments...)...)
		return succeed[*airflow.Summary](t, append([]string{"solve", file}, bifurcationFlow...)...)
	}
	one := solve("--ranks", "1")
	if one.StateHash == "" || one.FluidCells < 1000 || len(one.Openings) != 3 {
		t.Fatalf("one rank: %+v", one)
	}
	all, decompositions := []int{3, 2, 7}, []string{"octree", "regular", "shrink", "bricks"}
	for _, ranks := range race.Few(all[:1], all) {
		for _, decompose := range race.Few(decompositions[:1], decompositions) {
			for _, balance := range []string{"linear", "lpt", "graph", "sfc", "rcb"} {
				s := solve("--ranks", fmt.Sprint(ranks), "--decompose", decompose, "--balance", balance)
				if s.StateHash != one.StateHash {
					t.Errorf("%d ranks, %s, %s: state %s, one rank has %s", ranks, decompose, balance, s.StateHash, one.StateHash)
				}
				if len(s.Ranks) != ranks {
					t.Errorf("%d ranks were asked for, %d reported", ranks, len(s.Ranks))
				}
				for i, r := range s.Ranks {
					if r.FluidCells == 0 {
						t.Errorf("%d ranks, %s, %s: rank %d is empty", ranks, decompose, balance, i)
					}
				}
			}
		}
	}
}

func TestLayoutsEndInTheSameState(t *testing.T) {
	surface := generated(t, "bifurcation")
	run := func(layout string) *airflow.Summary {
		t.Helper()
		arguments := append([]string{"run", surface, "--layout", layout, "--decompose", "octree", "--ranks", "3", "--out", t.TempDir()}, bifurcationGeometry...)
		return succeed[*airflow.Summary](t, append(arguments, bifurcationFlow...)...)
	}
	sparse, dense := run("sparse"), run("dense")
	if dense.StateHash != sparse.StateHash {
		t.Errorf("the dense layout ends in state %s, the sparse one in %s", dense.StateHash, sparse.StateHash)
	}
	memory := func(s *airflow.Summary) (bytes int64) {
		for _, r := range s.Ranks {
			bytes += r.Bytes
		}
		return bytes
	}
	if memory(dense) <= memory(sparse) {
		t.Errorf("whole cuboids take %d bytes, fluid cells alone %d", memory(dense), memory(sparse))
	}
}

func TestPartitionAndSolveEqualRun(t *testing.T) {
	surface := generated(t, "bifurcation")
	folder := t.TempDir()
	arguments := append([]string{"run", surface, "--out", folder}, bifurcationGeometry...)
	ran := succeed[*airflow.Summary](t, append(arguments, bifurcationFlow...)...)
	for _, ranks := range []string{"1", "71"} {
		file := filepath.Join(folder, ranks+".part.json")
		p := succeed[partitionResult](t, append([]string{"partition", surface, "--ranks", ranks, "--decompose", "shrink", "-o", file}, bifurcationGeometry...)...)
		if fmt.Sprint(p.Ranks) != ranks || p.EmptyRanks != 0 || p.FluidCells != ran.FluidCells {
			t.Errorf("%s ranks: %+v", ranks, p)
		}
		solved := succeed[*airflow.Summary](t, append([]string{"solve", file}, bifurcationFlow...)...)
		if solved.StateHash != ran.StateHash {
			t.Errorf("solve on %s ranks ends in state %s, run in %s", ranks, solved.StateHash, ran.StateHash)
		}
	}
}

func TestRunWritesItsResults(t *testing.T) {
	surface := generated(t, "pipe", "--length", "60mm")
	folder := filepath.Join(t.TempDir(), "results")
	s := succeed[*airflow.Summary](t, "run", surface, "--fluid-cells", "4000", "--flow", "0.5L/min", "--steps", "30", "--ranks", "2", "--out", folder)
	for _, name := range []string{"pipe.grid", "pipe.part.json", "flow.pvtu", "flow_0000.vtu", "flow_0001.vtu", "cuboids.vtu", "flow.png", "pressure.png", "ranks.png", "summary.json"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Started == nil || math.Abs(s.Openings[0].Flow-0.5e-3/60**s.Started) > 0.001*s.Openings[0].Flow {
		t.Fatalf("%g m³/s flow, %v of the start", s.Openings[0].Flow, s.Started)
	}
	diameter, viscosity := 18e-3, 1.5e-5
	reynolds := 4 * s.Openings[0].Flow / (math.Pi * diameter * viscosity) // within the start
	if math.Abs(s.Reynolds-reynolds) > 0.02*reynolds {
		t.Errorf("Reynolds number %g, want %g", s.Reynolds, reynolds)
	}
}

func TestRunReadsCaseFile(t *testing.T) {
	folder := filepath.Dir(generated(t, "pipe"))
	path := filepath.Join(folder, "case.yaml")
	text := "surface: pipe.stl\nunit: mm\nspacing: 2mm\nflow: 0.5L/min\nranks: 2\nsteps: 10\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "out")
	s := succeed[*airflow.Summary](t, "run", path, "--steps", "14", "--out", out)
	if s.Steps != 14 || s.Spacing != 2e-3 || len(s.Ranks) != 2 {
		t.Errorf("steps %d, spacing %g, %d ranks", s.Steps, s.Spacing, len(s.Ranks))
	}
}

func TestExtendedOpeningsAddTheirVolume(t *testing.T) {
	pipe := generated(t, "pipe", "--diameter", "10mm", "--length", "30mm")
	cells := func(arguments ...string) float64 {
		t.Helper()
		arguments = append([]string{"voxelize", pipe, "--spacing", "0.5mm", "-o", filepath.Join(t.TempDir(), "grid")}, arguments...)
		return succeed[map[string]any](t, arguments...)["fluid_cells"].(float64)
	}
	plain := cells()
	for _, extension := range []string{"1.5D", "15mm"} {
		// 15 mm at either end of 30 mm double the pipe.
		if got := cells("--extend-openings", extension); math.Abs(got-2*plain) > 0.02*plain {
			t.Errorf("extended by %s: %g cells, %g without", extension, got, plain)
		}
	}
	for _, extension := range []string{"D", "-2D", "2", "0mm", "NaND"} {
		if status, _, stderr := invoke(t, "voxelize", pipe, "--spacing", "1mm", "-o", filepath.Join(t.TempDir(), "grid"), "--extend-openings", extension); status != exitFailure || stderr == "" {
			t.Errorf("extended by %s: status %d, says %q", extension, status, stderr)
		}
	}
}
