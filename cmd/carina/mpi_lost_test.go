//go:build mpi

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"carina/solver/airflow"
)

// childrenOf are the processes that one has started, and those that they have.
func childrenOf(parent int) (list []int) {
	entries, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range entries {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var id, of int
		var state string
		_, rest, _ := strings.Cut(string(data), ") ")
		fmt.Sscan(string(data), &id)
		if _, err := fmt.Sscan(rest, &state, &of); err == nil && of == parent {
			list = append(append(list, id), childrenOf(id)...)
		}
	}
	return list
}

// Processes on processors compute from their shares alone, without the grid, and go on
// from a checkpoint so.
func TestMPISharesOnProcessors(t *testing.T) {
	mpirun, binary := withMPI(t)
	folder := t.TempDir()
	part, out := filepath.Join(folder, "pipe.part.json"), filepath.Join(folder, "out")
	succeed[partitionResult](t, "partition", thinPipe(t), "--spacing", "1mm", "--ranks", "3", "--shares", "-o", part)
	want := succeed[*airflow.Summary](t, append([]string{"solve", part}, keptFlow...)...)
	if err := os.Remove(filepath.Join(folder, "pipe.grid")); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		append(append([]string{part, "--out", out, "--checkpoint", "end"}, keptFlow[:len(keptFlow)-1]...), "350"),
		{"--restart", out, "--steps", keptFlow[len(keptFlow)-1]},
	} {
		job := exec.Command(mpirun, append([]string{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", "3", binary, "solve"}, line...)...)
		job.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		if said, err := job.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	if said := textOf(t, filepath.Join(out, "summary.json")); !strings.Contains(said, want.StateHash) {
		t.Errorf("from shares it does not end with %s: %s", want.StateHash, said)
	}
}

// A rank that is killed ends the job within seconds and not with status 0; who is left
// says which it was and how to go on, and so does the folder of results; the run goes on
// in one process, on other ranks with other cells, and ends as one that was left alone.
func TestMPILostRank(t *testing.T) {
	mpirun, binary := withMPI(t)
	kills := 2
	if *long {
		kills = 10
	}
	part, folder := keptPartitions(t), t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	want := succeed[*airflow.Summary](t, append([]string{"solve", part(3, "graph"), "--out", filepath.Join(folder, "alone")}, keptFlow...)...)
	host, _ := os.Hostname()
	longest := 200 * time.Millisecond // that a run is left to itself
	killed, told := 0, 0
	for n := 0; killed < kills && n < 5*kills; n++ {
		out := filepath.Join(folder, fmt.Sprint(n))
		job := exec.Command(mpirun, append([]string{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", "3", binary}, solveKept(part(3, "graph"), out, "50")...)...)
		job.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		var said bytes.Buffer
		job.Stdout, job.Stderr = &said, &said
		if err := job.Start(); err != nil {
			t.Fatal(err)
		}
		(&process{Cmd: job}).untilKept(t, out)
		time.Sleep(time.Duration(random.Int64N(int64(longest))))
		ranks := childrenOf(job.Process.Pid)
		if len(ranks) != 3 {
			job.Wait()
			longest /= 2
			continue // it had ended
		}
		lost := random.IntN(3)
		syscall.Kill(ranks[lost], syscall.SIGKILL)
		waiting := time.AfterFunc(patience, func() { _ = job.Process.Kill() })
		err := job.Wait()
		if !waiting.Stop() {
			t.Error("the job does not end after a rank was lost")
		}
		if err == nil {
			continue // that one had ended
		}
		if !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		killed++
		words, _ := os.ReadFile(filepath.Join(out, "unfinished.txt"))
		if !strings.Contains(string(words), "--restart "+out) {
			t.Errorf("the folder says %q", words)
		}
		if sentence := "on " + host + " was lost, and the others end with it: "; strings.Contains(said.String(), sentence) && strings.Contains(string(words), sentence) {
			told++
		}
		got := succeed[*airflow.Summary](t, "solve", part(2, "hilbert"), "--restart", out)
		if !reflect.DeepEqual(like(t, got), like(t, want)) {
			t.Errorf("killed run %d ends with %s, want %s", n, got.StateHash, want.StateHash)
		}
		if is, was := textOf(t, filepath.Join(out, "history.csv")), textOf(t, filepath.Join(folder, "alone", "history.csv")); is != was {
			t.Errorf("killed run %d: another history", n)
		}
	}
	if killed < kills || told < killed {
		t.Errorf("of %d runs %d lost a rank, %d said which", kills, killed, told)
	}
}
