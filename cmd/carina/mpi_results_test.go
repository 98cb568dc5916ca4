//go:build mpi

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"carina/solver/airflow"

	"github.com/google/go-cmp/cmp"
)

// mpiCommand is mpirun with its surroundings.
func mpiCommand(mpirun string, arguments ...string) *exec.Cmd {
	command := exec.Command(mpirun, append([]string{"--oversubscribe"}, arguments...)...)
	command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	return command
}

// Two ranks that see different folders under one name, as on two hosts, each put
// what they have into place.
func TestMPIRanksWithoutASharedFolder(t *testing.T) {
	mpirun, binary := withMPI(t)
	part, first, second := pipeOn(t, "2"), t.TempDir(), t.TempDir()
	run := []string{binary, "solve", part, "--flow", "0.05L/min", "--steps", "50", "--out", "out"}
	arguments := append([]string{"-np", "1", "-wdir", first}, run...)
	arguments = append(append(append(arguments, ":"), "-np", "1", "-wdir", second), run...)
	for range 2 {
		if out, err := mpiCommand(mpirun, arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	there := contents(t, filepath.Join(second, "out"))
	delete(there, ".carina-files")
	if len(there) != 1 || there["flow_0001.vtu"] == "" {
		t.Errorf("the second folder holds %v", there)
	}
	all := contents(t, filepath.Join(first, "out"))
	if all["flow_0000.vtu"] == "" || all["summary.json"] == "" || all["flow_0001.vtu"] != "" {
		t.Errorf("the first folder holds %v", all)
	}
}

// One process is asked to stop; all end after the same step.
func TestMPIRanksStopTogether(t *testing.T) {
	mpirun, binary := withMPI(t)
	part, folder := pipeOn(t, "2"), t.TempDir()
	out := filepath.Join(folder, "out")
	shell := `echo $$ >"$0/$OMPI_COMM_WORLD_RANK"; exec "$@"`
	p, status := stoppedLater(t, func() *process {
		command := mpiCommand(mpirun, append([]string{"-np", "2", "sh", "-c", shell, folder, binary, "solve", part, "--json", "--out", out}, slowly...)...)
		p := &process{Cmd: command}
		p.Stdout, p.Stderr = &p.stdout, &p.stderr
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		p.untilComputing(t, out)
		return p
	}, func(*process) error {
		text, err := os.ReadFile(filepath.Join(folder, "1"))
		if err != nil {
			return err
		}
		number, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return err
		}
		return syscall.Kill(number, syscall.SIGTERM)
	}, func(p *process) bool { return strings.Contains(p.stderr.String(), tooEarly) })
	if status != exitFailure || !strings.Contains(p.stderr.String(), "carina: stopped by the user after step") {
		t.Errorf("status %d, says %s", status, &p.stderr)
	}
	var printed, written airflow.Summary
	if err := json.Unmarshal(p.stdout.Bytes(), &printed); err != nil {
		t.Fatal(err)
	}
	decode(t, filepath.Join(out, "summary.json"), &written)
	if diff := cmp.Diff(printed, written); diff != "" || !written.Interrupted {
		t.Errorf("interrupted %v:\n%s", written.Interrupted, diff)
	}
	for _, name := range []string{"flow_0000.vtu", "flow_0001.vtu"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}
