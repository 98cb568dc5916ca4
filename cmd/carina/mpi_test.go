//go:build mpi

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/internal/crash"
	"carina/internal/simd"
	"carina/solver/airflow"
)

// withMPI returns mpirun and the program built with MPI, which this test's
// binary is where its environment says so.
func withMPI(t *testing.T) (mpirun, binary string) {
	t.Helper()
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("there is no mpirun on the path")
	}
	if binary, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	t.Setenv(asCarina, "1")
	return mpirun, binary
}

func TestMPIRanksAgreeWithOneProcess(t *testing.T) {
	mpirun, binary := withMPI(t)
	surface, folder := generated(t, "bifurcation"), t.TempDir()
	for _, ranks := range []string{"2", "4"} {
		file := filepath.Join(folder, ranks+".part.json")
		succeed[partitionResult](t, append([]string{"partition", surface, "--ranks", ranks, "-o", file}, bifurcationGeometry...)...)
		alone := succeed[*airflow.Summary](t, append([]string{"solve", file}, bifurcationFlow...)...)
		results := filepath.Join(folder, ranks)
		arguments := append([]string{"--oversubscribe", "-np", ranks, binary, "solve", file, "--json", "--out", results}, bifurcationFlow...)
		command := exec.Command(mpirun, arguments...)
		command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("mpirun -np %s: %v", ranks, err)
		}
		var together airflow.Summary
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

// mpiAnswer is what processes under mpirun have said together.
type mpiAnswer struct {
	status int
	output string
}

// ofUnlike runs carina solve with one process for every command line, each of
// which may begin with a variable of the environment.
func ofUnlike(t *testing.T, mpirun, binary string, lines ...[]string) mpiAnswer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	arguments := []string{"--oversubscribe"}
	for i, line := range lines {
		if i > 0 {
			arguments = append(arguments, ":")
		}
		arguments = append(arguments, "-np", "1", "env")
		if strings.Contains(line[0], "=") {
			arguments, line = append(arguments, line[0]), line[1:]
		}
		arguments = append(append(arguments, binary, "solve"), line...)
	}
	command := exec.CommandContext(ctx, mpirun, arguments...)
	command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	output, _ := command.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%q hang:\n%s", lines, output)
	}
	return mpiAnswer{command.ProcessState.ExitCode(), string(output)}
}

func TestMPIRanksThatDifferAreRefused(t *testing.T) {
	mpirun, binary := withMPI(t)
	pipe, folder := generated(t, "pipe"), t.TempDir()
	part := func(name string, arguments ...string) string {
		path := filepath.Join(folder, name+".part.json")
		succeed[partitionResult](t, append([]string{"partition", pipe, "--ranks", "2", "-o", path}, arguments...)...)
		return path
	}
	same, linear, fine := part("same", "--spacing", "3mm"), part("linear", "--spacing", "3mm", "--balance", "linear"), part("fine", "--spacing", "2mm")
	slow, fast := filepath.Join(folder, "slow.yaml"), filepath.Join(folder, "fast.yaml")
	for path, period := range map[string]string{slow: "4s", fast: "2s"} {
		text := "surface: pipe.stl\nflow: 1L/min\nsteps: 4\nwaveform: sine:" + period + "\nconditions: [{opening: 2, kind: pressure, pressure: " + period[:1] + "Pa}]\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(folder, "out")
	usual := []string{same, "--flow", "1L/min", "--steps", "4", "--out", out}
	with := func(arguments ...string) []string { return append(append([]string{}, usual...), arguments...) }
	tests := []struct {
		name  string
		other []string
		says  string
	}{
		{"flow", with("--flow", "2L/min"), "differ in the flow rate"},
		{"steps", with("--steps", "40000"), "differ in the steps"},
		{"partition", append([]string{linear}, usual[1:]...), "differ in the partition"},
		{"grid", append([]string{fine}, usual[1:]...), "differ in the grid"},
		{"folder", with("--out", out+"2"), "differ in the folder for results"},
		{"instruction set", append([]string{"CARINA_SIMD=none"}, usual...), "differ in the instruction set"},
		{"a file that is not there", append([]string{filepath.Join(folder, "none.part.json")}, usual[1:]...), "none.part.json"},
		{"a value that cannot be read", with("--flow", "fast"), `"fast" is not a flow rate`},
	}
	for i, test := range tests {
		// Which of the two is rank 0 changes from case to case.
		lines := [][]string{usual, test.other}
		if i%2 == 1 {
			slices.Reverse(lines)
		}
		a := ofUnlike(t, mpirun, binary, lines...)
		if a.status != exitFailure || strings.Count(a.output, "carina: ") != 1 || !strings.Contains(a.output, test.says) {
			t.Errorf("%s: status %d, says\n%s\nwant %q once", test.name, a.status, a.output, test.says)
		}
		if strings.Contains(test.says, "differ") && !strings.Contains(a.output, "ranks 0 and 1 differ") {
			t.Errorf("%s: does not say which ranks differ:\n%s", test.name, a.output)
		}
	}
	if a := ofUnlike(t, mpirun, binary, []string{same, "--case", slow}, []string{same, "--case", fast}); a.status != exitFailure || !strings.Contains(a.output, "differ in the") {
		t.Errorf("cases that differ: status %d, says\n%s", a.status, a.output)
	}
	for _, folder := range []string{out, out + "2"} {
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("ranks that differ made the folder %s", folder)
		}
	}
}

func TestMPIInstructionSetsOfOneResultRunTogether(t *testing.T) {
	machines := simd.Machines()
	if len(machines) < 2 {
		t.Skipf("this processor has the instruction sets %q: two are needed", machines)
	}
	mpirun, binary := withMPI(t)
	part := partitioned(t, "--ranks", "2")
	line := []string{part, "--flow", "1L/min", "--steps", "10"}
	alone := succeed[*airflow.Summary](t, append([]string{"solve"}, line...)...)
	a := ofUnlike(t, mpirun, binary, append([]string{"CARINA_SIMD=" + machines[0]}, line...), append([]string{"CARINA_SIMD=" + machines[1]}, line...))
	if a.status != 0 || !strings.Contains(a.output, "state hash "+alone.StateHash) {
		t.Errorf("%s beside %s: status %d, says\n%s\nwant the state %s", machines[0], machines[1], a.status, a.output, alone.StateHash)
	}
}

// Processes that MPICH starts find themselves alone in Open MPI.
func TestProcessesOfAnotherMPIAreRefused(t *testing.T) {
	_, binary := withMPI(t)
	folder := t.TempDir()
	part := filepath.Join(folder, "pipe.part.json")
	succeed[partitionResult](t, "partition", generated(t, "pipe"), "--spacing", "3mm", "--ranks", "2", "-o", part)
	command := exec.Command(binary, "solve", part, "--steps", "2", "--out", filepath.Join(folder, "out"))
	command.Env = append(os.Environ(), "PMI_SIZE=2", "PMI_RANK=1")
	said, err := command.CombinedOutput()
	if err == nil || command.ProcessState.ExitCode() != exitFailure || !strings.Contains(string(said), "MPI connects 1") {
		t.Errorf("%v, says %s", err, said)
	}
}

// A rank that makes a mistake ends all with one sentence and a status of its own,
// and the folder of results can be used again.
func TestMPIPanicOfOneRankEndsAll(t *testing.T) {
	mpirun, binary := withMPI(t)
	part, out := pipeOn(t, "3"), filepath.Join(t.TempDir(), "out")
	line := append([]string{part, "--out", out}, slowly...)
	stumbling := append([]string{withMistake + "=" + out}, line...)
	for _, lines := range [][][]string{{line, stumbling, line}, {stumbling, line, line}} {
		a := ofUnlike(t, mpirun, binary, lines...)
		if a.status != crash.Status || strings.Count(a.output, "carina: ") != 1 || !strings.Contains(a.output, "a test's mistake") || !strings.Contains(a.output, "please report") {
			t.Errorf("status %d, says\n%s\nwant %d and one sentence", a.status, a.output, crash.Status)
		}
	}
	t.Setenv(asCarina, "")
	succeed[*airflow.Summary](t, "solve", part, "--flow", "0.05L/min", "--steps", "2", "--out", out)
}
