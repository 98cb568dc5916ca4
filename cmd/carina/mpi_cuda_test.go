//go:build mpi && cuda

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"carina/solver/airflow"
	"carina/solver/cuda/device"
)

// Processes that share GPUs end in the state of one process with one GPU, bit
// for bit, whether they write to each other's memory or exchange messages.
func TestProcessesOnGPUsAgreeWithOne(t *testing.T) {
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("there is no mpirun on the path")
	}
	if _, err := device.Devices(); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	binary := filepath.Join(folder, "carina")
	if out, err := exec.Command("go", "build", "-tags", "mpi cuda", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("building with MPI and CUDA: %v\n%s", err, out)
	}
	solve := func(arguments ...string) *airflow.Summary {
		t.Helper()
		arguments = append(append(arguments, "--device", "gpu", "--json"), bifurcationFlow...)
		command := exec.Command(arguments[0], arguments[1:]...)
		command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %v", arguments, err)
		}
		s := new(airflow.Summary)
		if err := json.Unmarshal(out, s); err != nil {
			t.Fatalf("%v printed no single JSON object: %v\n%s", arguments, err, out)
		}
		return s
	}
	surface := generated(t, "bifurcation")
	partition := func(ranks string, more ...string) string {
		file := filepath.Join(folder, ranks+".part.json")
		succeed[partitionResult](t, append(append([]string{"partition", surface, "--ranks", ranks, "-o", file}, more...), bifurcationGeometry...)...)
		return file
	}
	want := solve(binary, "solve", partition("1"))
	for ranks, file := range map[string]string{"2": partition("2"), "3": partition("3", "--shares")} {
		for _, exchange := range []string{"ipc", "host"} {
			results := filepath.Join(folder, ranks+exchange)
			got := solve(mpirun, "--oversubscribe", "-np", ranks, binary, "solve", file, "--exchange", exchange, "--out", results)
			if got.StateHash != want.StateHash {
				t.Errorf("%s processes by %s end in state %s, one in %s", ranks, exchange, got.StateHash, want.StateHash)
			}
			if got.FluidCells != want.FluidCells || !slices.Equal(got.Openings, want.Openings) {
				t.Errorf("%s processes by %s: %d cells, %v, one has %d, %v", ranks, exchange, got.FluidCells, got.Openings, want.FluidCells, want.Openings)
			}
			for _, name := range []string{"flow.png", "flow.pvtu", "flow_0000.vtu", "flow_0001.vtu"} {
				if _, err := os.Stat(filepath.Join(results, name)); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
