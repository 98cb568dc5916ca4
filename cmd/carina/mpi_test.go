//go:build mpi

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"carina/solver"
)

func TestMPIRanksAgreeWithOneProcess(t *testing.T) {
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("there is no mpirun on the path")
	}
	binary := filepath.Join(t.TempDir(), "carina")
	if out, err := exec.Command("go", "build", "-tags", "mpi", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("building with MPI: %v\n%s", err, out)
	}
	surface, folder := generated(t, "bifurcation"), t.TempDir()
	for _, ranks := range []string{"2", "4"} {
		file := filepath.Join(folder, ranks+".part.json")
		succeed[partitionResult](t, append([]string{"partition", surface, "--ranks", ranks, "-o", file}, bifurcationGeometry...)...)
		alone := succeed[*solver.Summary](t, append([]string{"solve", file}, bifurcationFlow...)...)
		results := filepath.Join(folder, ranks)
		arguments := append([]string{"--oversubscribe", "-np", ranks, binary, "solve", file, "--json", "--out", results}, bifurcationFlow...)
		command := exec.Command(mpirun, arguments...)
		command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("mpirun -np %s: %v", ranks, err)
		}
		var together solver.Summary
		if err := json.Unmarshal(out, &together); err != nil {
			t.Fatalf("mpirun -np %s printed no single JSON object: %v\n%s", ranks, err, out)
		}
		if together.StateHash != alone.StateHash {
			t.Errorf("mpirun -np %s ends in state %s, one process in %s", ranks, together.StateHash, alone.StateHash)
		}
		failing := exec.Command(mpirun, "--oversubscribe", "-np", ranks, binary, "solve", file, "--flow", "3000L/min", "--time-step", "50us", "--steps", "20000")
		failing.Env = command.Env
		said, err := failing.CombinedOutput()
		if err == nil || failing.ProcessState.ExitCode() != exitFailure || bytes.Count(said, []byte("carina: ")) != 1 || !bytes.Contains(said, []byte("diverged")) {
			t.Errorf("mpirun -np %s with a flow that diverges: %v, says\n%s", ranks, err, said)
		}
		for _, name := range []string{"flow.png", "flow.pvtu", "flow_0000.vtu", "flow_0001.vtu"} {
			if _, err := os.Stat(filepath.Join(results, name)); err != nil {
				t.Error(err)
			}
		}
	}
}
