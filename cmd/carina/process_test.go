package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"carina/internal/crash"
	"carina/output/picture"
	"carina/solver/airflow"

	"golang.org/x/sys/unix"
)

// asCarina makes the test's binary be the program, so that tests can start
// processes and kill them. asShown lets it draw its pictures as users get them,
// withMistake panic when it computes results for the folder that it names.
const (
	asCarina    = "CARINA_TEST_PROCESS"
	asShown     = "CARINA_TEST_SHOWN"
	withMistake = "CARINA_TEST_MISTAKE"
)

func stumble(folder string) {
	defer crash.Guard()
	for !isComputing(folder) {
		time.Sleep(time.Millisecond)
	}
	panic("a test's mistake")
}

// isComputing tells whether a run into a folder has passed all checks.
func isComputing(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, ".carina-new", ".mark"))
	return err == nil
}

func TestMain(m *testing.M) {
	picture.Draft = os.Getenv(asShown) == "" // hundreds of pictures are drawn
	quiet, calm = 24*time.Hour, 24*time.Hour
	copiedBytes = 1 << 20
	if os.Getenv(asCarina) != "" {
		if folder := os.Getenv(withMistake); folder != "" {
			go stumble(folder)
		}
		main()
	}
	// Hundreds of commands run in this process, each with little in memory: at the
	// usual rate a seventh of the time goes into collecting it.
	debug.SetGCPercent(400)
	// A process in the background of a shell ignores interrupts, and so would the
	// processes that it starts: not while it catches them.
	if signal.Ignored(os.Interrupt) {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	os.Exit(m.Run())
}

// process is carina in a process of its own.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// start starts a command line; before, if not empty, is for the shell that starts
// it.
func start(t *testing.T, before string, arguments ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(self, arguments...)}
	if before != "" {
		p.Cmd = exec.Command("sh", append([]string{"-c", before + `; exec "$0" "$@"`, self}, arguments...)...)
	}
	p.Env = append(os.Environ(), asCarina+"=1")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// status waits for the end and returns the exit status, −1 after a signal.
func (p *process) status(t *testing.T) int {
	t.Helper()
	if err := p.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

// untilComputing waits until a run has passed all checks.
func (p *process) untilComputing(t *testing.T, folder string) {
	t.Helper()
	for !isComputing(folder) {
		if !p.runs() {
			p.status(t)
			t.Fatalf("it does not begin to compute: %s", &p.stderr)
		}
		time.Sleep(time.Millisecond)
	}
}

// runs tells whether a process has not ended.
func (p *process) runs() bool {
	var end unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.Process.Pid, &end, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && end.Signo == 0
}

// patience is how long is waited for a process of which a mistake is that it waits for ever.
const patience = 3 * time.Minute

// thinPipe is a geometry that little time goes into, also for pictures.
func thinPipe(t *testing.T) string {
	t.Helper()
	return generated(t, "pipe", "--diameter", "6mm", "--length", "150mm")
}

// pipeOn writes the partition of a thin pipe and returns its path.
func pipeOn(t *testing.T, ranks string) string {
	t.Helper()
	part := filepath.Join(t.TempDir(), "pipe.part.json")
	succeed[partitionResult](t, "partition", thinPipe(t), "--spacing", "1.5mm", "--ranks", ranks, "-o", part)
	return part
}

// slowly is a flow that neither diverges nor comes to an end in a test.
var slowly = []string{"--flow", "0.05L/min", "--steps", "1000000000"}

// tooEarly is what may be said of a signal that comes before the first steps.
const tooEarly = "stopped by the user; nothing half-written was left behind"

// stoppedLater starts a process, lets it compute a while, which is how long is
// not known on a busy machine, and stops it. It does so anew with more time until
// that was not too early.
func stoppedLater(t *testing.T, begin func() *process, stop func(*process) error, early func(*process) bool) (*process, int) {
	t.Helper()
	for wait := 50 * time.Millisecond; ; wait *= 4 {
		p := begin()
		time.Sleep(wait)
		if err := stop(p); err != nil {
			t.Fatal(err)
		}
		if status := p.status(t); wait > 30*time.Second || !early(p) {
			return p, status
		}
	}
}

func send(signal os.Signal) func(*process) error {
	return func(p *process) error { return p.Process.Signal(signal) }
}

func TestStoppedByTheUserItLeavesTheFieldsReached(t *testing.T) {
	part := pipeOn(t, "2")
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		out := filepath.Join(t.TempDir(), "out")
		p, status := stoppedLater(t, func() *process {
			p := start(t, "", append([]string{"solve", part, "--json", "--out", out}, slowly...)...)
			p.untilComputing(t, out)
			return p
		}, send(signal), func(p *process) bool { return strings.Contains(p.stderr.String(), tooEarly) })
		if said := p.stderr.String(); status != exitFailure || !strings.Contains(said, "carina: stopped by the user after step") || !strings.Contains(said, out) {
			t.Errorf("%v: status %d, says %q", signal, status, said)
		}
		var written, printed airflow.Summary
		decode(t, filepath.Join(out, "summary.json"), &written)
		if err := json.Unmarshal(p.stdout.Bytes(), &printed); err != nil {
			t.Fatal(err)
		}
		if !written.Interrupted || written.Steps == 0 || written.Steps%50 != 0 || !strings.Contains(strings.Join(written.Warnings, " "), "interrupted") {
			t.Errorf("%v: after %d steps, interrupted %v, warnings %q", signal, written.Steps, written.Interrupted, written.Warnings)
		}
		if printed.StateHash != written.StateHash || printed.Steps != written.Steps {
			t.Errorf("%v: printed step %d and state %s, written are %d and %s", signal, printed.Steps, printed.StateHash, written.Steps, written.StateHash)
		}
		for _, name := range []string{"flow.pvtu", "flow_0000.vtu", "flow_0001.vtu", "flow.png", "view.html"} {
			if _, err := os.Stat(filepath.Join(out, name)); err != nil {
				t.Errorf("%v: %v", signal, err)
			}
		}
	}
}

func decode(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestStoppedWithoutAFolderItJustStops(t *testing.T) {
	line := append([]string{"solve", pipeOn(t, "2"), "--json"}, slowly...)
	p, status := stoppedLater(t, func() *process { return start(t, "", line...) }, send(os.Interrupt),
		func(p *process) bool { return p.ProcessState.ExitCode() < 0 }) // before it listens
	if status != exitFailure || p.stdout.Len() > 0 || !strings.Contains(p.stderr.String(), "stopped by the user") {
		t.Errorf("status %d, prints %q, says %q", status, &p.stdout, &p.stderr)
	}
}

func TestASecondRunIntoAFolderIsRefused(t *testing.T) {
	part, out := pipeOn(t, "1"), filepath.Join(t.TempDir(), "out")
	p := start(t, "", append([]string{"solve", part, "--out", out}, slowly...)...)
	p.untilComputing(t, out)
	status, _, said := invoke(t, "solve", part, "--steps", "2", "--out", out)
	if status != exitFailure || !strings.Contains(said, "another run is writing into it") || strings.Count(said, "\n") != 1 {
		t.Errorf("status %d, says %q", status, said)
	}
	// The lock goes with the process, however that ends.
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.status(t)
	succeed[*airflow.Summary](t, "solve", part, "--flow", "0.05L/min", "--steps", "2", "--out", out)
}

// Files of more than some kilobytes cannot be written, nor any on a full disk.
func TestFiguresArePrintedWhereResultsCannotBeWritten(t *testing.T) {
	part, out := pipeOn(t, "2"), filepath.Join(t.TempDir(), "out")
	arguments := []string{"solve", part, "--flow", "0.05L/min", "--out", out}
	before := succeed[*airflow.Summary](t, append(arguments, "--steps", "50")...)
	old := contents(t, out)
	check := func(before string, out string) {
		t.Helper()
		p := start(t, before, "solve", part, "--flow", "0.05L/min", "--steps", "100", "--json", "--out", out)
		status := p.status(t)
		var printed airflow.Summary
		if err := json.Unmarshal(p.stdout.Bytes(), &printed); err != nil || printed.StateHash == "" || len(printed.Openings) != 2 {
			t.Errorf("printed %q: %v", &p.stdout, err)
		}
		last := p.stderr.String()[strings.LastIndex(strings.TrimSpace(p.stderr.String()), "\n")+1:]
		if status != exitFailure || !strings.HasPrefix(last, "carina: the results could not be written") {
			t.Errorf("status %d, says %q", status, &p.stderr)
		}
		words := start(t, before, "solve", part, "--flow", "0.05L/min", "--steps", "100", "--out", out)
		if status := words.status(t); status != exitFailure || !strings.Contains(words.stdout.String(), "state hash "+printed.StateHash) {
			t.Errorf("status %d, prints %q", status, &words.stdout)
		}
	}
	check("ulimit -f 16", out)
	unchanged(t, old, contents(t, out))
	var there airflow.Summary
	if decode(t, filepath.Join(out, "summary.json"), &there); there.StateHash != before.StateHash {
		t.Errorf("the summary is of state %s, want %s", there.StateHash, before.StateHash)
	}
	full := fullDisk(t)
	check("", filepath.Join(full, "out"))
}

// fullDisk mounts a disk without room, where the system lets it.
func fullDisk(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a disk cannot be mounted (%v), so that a full one is left out", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, 0) })
	// The rest of the room is taken.
	err := os.WriteFile(filepath.Join(disk, "large"), make([]byte, 1<<20), 0o644)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	return disk
}
