//go:build mpi

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/solver/airflow"
)

// Processes between which cells change owner end where one process does that moves none,
// and all must be told to.
func TestMPIRebalances(t *testing.T) {
	mpirun, binary := withMPI(t)
	surface, folder := generated(t, "bifurcation"), t.TempDir()
	file := filepath.Join(folder, "3.part.json")
	succeed[partitionResult](t, append([]string{"partition", surface, "--ranks", "3", "-o", file}, bifurcationGeometry...)...)
	alone := succeed[*airflow.Summary](t, append(append([]string{"solve", file}, bifurcationFlow...), "--steps", "400")...)
	arguments := append([]string{"--oversubscribe", "-np", "3", binary, "solve", file, "--json", "--rebalance", "every=50"}, append(slices.Clone(bifurcationFlow), "--steps", "400")...)
	command := exec.Command(mpirun, arguments...)
	command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var together airflow.Summary
	if err := json.Unmarshal(out, &together); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if together.StateHash != alone.StateHash {
		t.Errorf("the processes end in state %s, one in %s", together.StateHash, alone.StateHash)
	}
	plain := append([]string{file}, bifurcationFlow...)
	answer := ofUnlike(t, mpirun, binary, plain, append(slices.Clone(plain), "--rebalance", "auto"), plain)
	if answer.status != exitFailure || !strings.Contains(answer.output, "balance while the flow is computed") {
		t.Errorf("one of three processes balances: status %d\n%s", answer.status, answer.output)
	}
}

// Processes compute the same flood, and the same gas, as one, also while cells change owner and
// from a checkpoint, and are told where what they are to compute differs.
func TestMPIOtherPhysics(t *testing.T) {
	mpirun, binary := withMPI(t)
	for _, c := range []struct {
		physics string
		line    []string
	}{
		{"water", []string{"valley", "--spacing", "25m", "--time", "30s"}},
		{"thermal", []string{"rayleigh-taylor", "--size", "24x32", "--steps", "300"}},
	} {
		folder := t.TempDir()
		type summary struct {
			State string `json:"state_hash"`
			Hash  string `json:"hash"`
		}
		alone := succeed[summary](t, append(append([]string{c.physics}, c.line...), "--out", filepath.Join(folder, "alone"))...)
		run := func(ranks string, arguments ...string) (s summary) {
			command := exec.Command(mpirun, append([]string{"--oversubscribe", "-np", ranks, binary, c.physics, "--json"}, arguments...)...)
			command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
			command.Stderr = os.Stderr
			out, err := command.Output()
			if err == nil {
				err = json.Unmarshal(out, &s)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return s
		}
		out := filepath.Join(folder, "out")
		first := run("3", append(slices.Clone(c.line), "--out", out, "--rebalance", "auto", "--checkpoint", "every=100,end")...)
		again := run("2", "--restart", out)
		if first != alone || again != alone {
			t.Errorf("%s: one process ends in state %v, three in %v, two that go on from there in %v", c.physics, alone, first, again)
		}
	}
}
