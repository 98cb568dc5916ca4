package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"carina/internal/race"
	"carina/solver/airflow"

	"github.com/google/go-cmp/cmp"
)

// runsVariable says how many runs TestKilledAtAnyTime makes.
const runsVariable = "CARINA_KILLED_RUNS"

// undisturbed is what a run leaves when nobody disturbs it.
type undisturbed struct {
	files map[string]string // hashes by name, without the summary
	state string
}

// abused is a folder of results together with what may be in it.
type abused struct {
	t          *testing.T
	random     *rand.Rand
	out        string
	foreign    map[string]string
	litters    map[string]bool // the names of foreign files that are always there
	flows      [][]string      // command lines without steps and folder
	ranks      []int           // of the flows
	known      map[string]*undisturbed
	present    string // which of known is there
	laid       string // what somebody has put under the name of a result; or empty
	under      []byte // the result whose place that takes; or nil
	elsewhere  string // where links lead to
	diverged   map[string]string
	divergence map[int]map[string]string // by flow
}

const foreignFiles = 200

// A folder holds 200 files of somebody, of every kind, and a result. Runs into it
// succeed, fail, are refused, or get signals at any time, and somebody lays files
// over results. None touches a foreign file, and after one more command that
// writes there the result is the old or the new one, whole, and nothing is left
// behind.
func TestKilledAtAnyTime(t *testing.T) {
	runs := race.Few(7, 12) // of each kind
	if text := os.Getenv(runsVariable); text != "" {
		var err error
		if runs, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	a := newAbused(t, rand.New(rand.NewPCG(seed, 0)))
	outcomes := map[string]int{}
	for run := range runs {
		before := a.present
		if a.random.IntN(3) == 0 {
			a.lay()
		}
		what, want := a.abuse(run)
		a.check(what, before, want)
		a.takeAway(a.present == before)
		if t.Failed() {
			return
		}
		outcomes[what+map[bool]string{true: ": old", false: ": new"}[a.present == before]]++
	}
	for _, what := range slices.Sorted(maps.Keys(outcomes)) {
		t.Logf("%3d × %s", outcomes[what], what)
	}
}

func newAbused(t *testing.T, random *rand.Rand) *abused {
	pipe, out := thinPipe(t), filepath.Join(t.TempDir(), "out")
	grid, mine := filepath.Join(filepath.Dir(pipe), "pipe.grid"), filepath.Join(out, "mine.part.json")
	succeed[map[string]any](t, "voxelize", pipe, "--spacing", "1.5mm", "-o", grid)
	outside := pipeOn(t, "3")
	succeed[partitionResult](t, "partition", pipe, "--spacing", "1.5mm", "--ranks", "1", "-o", outside+"-1.part.json")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	succeed[partitionResult](t, "partition", pipe, "--spacing", "2mm", "--ranks", "2", "-o", mine)
	a := &abused{t: t, random: random, out: out, elsewhere: t.TempDir(), known: map[string]*undisturbed{}, divergence: map[int]map[string]string{}, ranks: []int{2, 3, 1}, flows: [][]string{
		{"run", grid, "--ranks", "2", "--flow", "0.05L/min"},
		{"solve", outside, "--flow", "0.04L/min"},
		{"solve", outside + "-1.part.json", "--flow", "0.03L/min"},
	}}
	if err := os.WriteFile(filepath.Join(a.elsewhere, "precious"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.litter()
	a.foreign, a.litters = stamps(t, out), map[string]bool{}
	for name := range a.foreign {
		a.litters[name] = true
	}
	if len(a.foreign) < foreignFiles {
		t.Fatalf("%d foreign files", len(a.foreign))
	}
	a.present = a.name(0, shortSteps)
	if status, _, said := invoke(t, a.command(0, shortSteps)...); status != 0 {
		t.Fatal(said)
	}
	a.check("first run", "", "")
	return a
}

// litter puts random files into the folder, many named like results.
func (a *abused) litter() {
	endings := []string{".vtu", ".txt", ".json", ".png", ".csv", "", ".part.json", ".grid", ".new"}
	for i := range foreignFiles {
		name := fmt.Sprintf("%x%s", a.random.Uint64(), endings[a.random.IntN(len(endings))])
		switch a.random.IntN(6) {
		case 0:
			name = fmt.Sprintf("flow_%04d.vtu", 10+i)
		case 1:
			name = fmt.Sprintf("patient ü_%08d.vtu", i)
		case 2:
			name = fmt.Sprintf(".carina-%d", i)
		case 3:
			name = filepath.Join(fmt.Sprintf("series %d", i%5), name)
		}
		path := filepath.Join(a.out, name)
		content := make([]byte, a.random.IntN(2000))
		for k := range content {
			content[k] = byte(a.random.Uint32())
		}
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = a.foreignKind(path, content, a.random.IntN(40))
		}
		if err != nil {
			a.t.Fatal(err)
		}
	}
}

// foreignKind makes something of somebody: mostly a file.
func (a *abused) foreignKind(path string, content []byte, kind int) error {
	switch kind {
	case 0:
		return os.Symlink("nowhere", path)
	case 1:
		return os.Symlink(filepath.Join(a.elsewhere, "precious"), path)
	case 2:
		return os.Symlink(a.elsewhere, path)
	case 3:
		return syscall.Mkfifo(path, 0o600)
	case 4:
		return os.MkdirAll(filepath.Join(path, "empty"), 0o700)
	}
	return os.WriteFile(path, content, fs.FileMode(0o400+a.random.IntN(0o400)))
}

// lay puts something of somebody under the name of a result, in place of what is
// there.
func (a *abused) lay() {
	names := []string{"flow_0002.vtu", "flow_0001.vtu", "flow.pvtu", "ranks.png", "history.csv", ".carina-lock", ".carina-new", ".carina-journal"}
	a.laid = names[a.random.IntN(len(names))]
	path := filepath.Join(a.out, a.laid)
	a.under, _ = os.ReadFile(path)
	err := os.Remove(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = a.foreignKind(path, []byte("mine"), a.random.IntN(6))
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.foreign = stamps(a.t, a.out)
	for name := range a.foreign {
		if !a.litters[name] && name != a.laid && !strings.HasPrefix(name, a.laid+"/") {
			delete(a.foreign, name)
		}
	}
}

// takeAway removes what was laid and, where its result is still there, puts back
// what lay under it.
func (a *abused) takeAway(still bool) {
	if a.laid == "" {
		return
	}
	path := filepath.Join(a.out, a.laid)
	err := os.RemoveAll(path)
	if err == nil && still && a.under != nil {
		err = os.WriteFile(path, a.under, 0o644)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	for name := range a.foreign {
		if !a.litters[name] {
			delete(a.foreign, name)
		}
	}
	a.laid, a.under = "", nil
}

// barred tells whether what was laid keeps a flow out.
func (a *abused) barred(flow int) bool {
	var rank int
	if n, _ := fmt.Sscanf(a.laid, "flow_%d.vtu", &rank); n == 1 {
		return rank < a.ranks[flow]
	}
	return a.laid != ""
}

// stamps are contents with modes and times of modification.
func stamps(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := contents(t, folder)
	for name, hash := range found {
		info, err := os.Lstat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			continue
		}
		found[name] = fmt.Sprint(hash, info.Mode(), info.ModTime().UnixNano())
	}
	return found
}

const (
	shortSteps = 100
	longSteps  = 2_000_000_000
)

func (a *abused) name(flow int, steps int64) string {
	return fmt.Sprintf("flow %d, %d steps", flow, steps)
}

func (a *abused) command(flow int, steps int64) []string {
	return append(slices.Clone(a.flows[flow]), "--steps", fmt.Sprint(steps), "--out", a.out)
}

// undisturbed computes a flow in a folder of its own, once.
func (a *abused) undisturbed(flow int, steps int64) *undisturbed {
	a.t.Helper()
	name := a.name(flow, steps)
	if u := a.known[name]; u != nil {
		return u
	}
	folder := filepath.Join(a.t.TempDir(), "out")
	s := succeed[*airflow.Summary](a.t, append(slices.Clone(a.flows[flow]), "--steps", fmt.Sprint(steps), "--out", folder)...)
	u := &undisturbed{contents(a.t, folder), s.StateHash}
	delete(u.files, "summary.json")
	delete(u.files, "report.html")
	delete(u.files, ".carina-files")
	a.known[name] = u
	return u
}

// abuse starts a run, disturbs it, and waits for its end. It returns what it did,
// and the result that must be there then; empty where that may be the old one or
// the flow's.
func (a *abused) abuse(run int) (what, want string) {
	flow := a.random.IntN(len(a.flows))
	switch kind := run % 5; {
	case a.barred(flow) && kind == 0:
		a.expect(a.command(flow, shortSteps), exitFailure)
		return "something in the way", a.present
	case kind == 0 && run%2 == 0:
		a.expect(a.command(flow, shortSteps), 0)
		return "success", a.name(flow, shortSteps)
	case kind == 0:
		a.expect(append(slices.Clone(a.flows[flow][:len(a.flows[flow])-2]), "--flow", "100L/min", "--time-step", "20us", "--steps", "20000", "--out", a.out), exitFailure)
		a.diverged = a.divergenceOf(flow)
		return "divergence", a.present
	case kind == 1:
		wrong := refusals[a.random.IntN(len(refusals))]
		a.expect(append(append(slices.Clone(a.flows[flow]), "--out", a.out), wrong...), exitFailure)
		return "refusal", a.present
	}
	signal := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}[a.random.IntN(3)]
	steps := []int64{shortSteps, longSteps}[a.random.IntN(2)]
	p := start(a.t, "", a.command(flow, steps)...)
	if !a.barred(flow) && a.random.IntN(2) == 0 {
		p.untilWriting(a.out, steps == longSteps)
		time.Sleep(time.Duration(a.random.Int64N(int64(80 * time.Millisecond))))
	} else {
		time.Sleep(time.Duration(a.random.Int64N(int64(time.Second))))
	}
	_ = p.Process.Signal(signal) // it may have ended
	if a.random.IntN(3) == 0 {
		time.Sleep(time.Duration(a.random.Int64N(int64(200 * time.Millisecond))))
		_ = p.Process.Signal(signal)
	}
	p.status(a.t)
	return signal.String(), a.flowThere(flow, steps)
}

// untilWriting waits until the last of the results is written, or, where a run
// goes on for ever, until it computes.
func (p *process) untilWriting(folder string, endless bool) {
	for ; p.runs(); time.Sleep(100 * time.Microsecond) {
		names := []string{".carina-new/summary.json", ".carina-journal"}
		if endless {
			names = []string{".carina-new/.mark"}
		}
		for _, name := range names {
			if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
				return
			}
		}
	}
}

func (a *abused) expect(arguments []string, want int) {
	a.t.Helper()
	p := start(a.t, "", arguments...)
	if status := p.status(a.t); status != want {
		a.t.Errorf("%v: status %d, want %d, says %s", arguments, status, want, &p.stderr)
	}
}

// divergenceOf are the last good fields that are there after a flow has diverged:
// those of its ranks, and of further ranks those of flows before.
func (a *abused) divergenceOf(flow int) map[string]string {
	a.t.Helper()
	if a.divergence[flow] == nil {
		own, there := map[string]string{}, contents(a.t, a.out)
		for rank := range a.ranks[flow] {
			name := fmt.Sprintf("diverged_%04d.vtu", rank)
			if own[name] = there[name]; own[name] == "" {
				a.t.Errorf("flow %d has diverged without %s", flow, name)
			}
		}
		a.divergence[flow] = own
	}
	all := map[string]string{}
	maps.Copy(all, a.diverged)
	maps.Copy(all, a.divergence[flow])
	return all
}

// flowThere mends the folder and returns the name of the result if it is of a
// flow: complete, or as far as it came. Else the old one must be there.
func (a *abused) flowThere(flow int, steps int64) string {
	a.t.Helper()
	a.mend()
	data, err := os.ReadFile(filepath.Join(a.out, "summary.json"))
	var s airflow.Summary
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		a.t.Errorf("the summary is not whole: %v", err)
		return ""
	}
	if s.StateHash == a.known[a.present].state {
		return a.present
	}
	if a.barred(flow) {
		a.t.Errorf("%s is in the way of flow %d, which came nevertheless", a.laid, flow)
	}
	if s.Interrupted != (s.Steps < steps) {
		a.t.Errorf("%d of %d steps, interrupted: %v", s.Steps, steps, s.Interrupted)
	}
	a.undisturbed(flow, s.Steps)
	return a.name(flow, s.Steps)
}

// mend lets the next command that writes into the folder complete what was begun
// there, after one that only reads, which must not.
func (a *abused) mend() {
	a.t.Helper()
	mine, page := filepath.Join(a.out, "mine.part.json"), filepath.Join(a.out, "mine.html")
	before := contents(a.t, a.out)
	for _, line := range [][]string{{"inspect", mine}, {"view", mine, "-o", page}} {
		if status, _, said := invoke(a.t, line...); status != 0 {
			a.t.Errorf("%v: status %d, says %s", line, status, said)
		}
		if line[0] == "inspect" {
			unchanged(a.t, before, contents(a.t, a.out))
		}
	}
	if err := os.Remove(page); err != nil {
		a.t.Error(err)
	}
}

// check compares the folder with what must be there.
func (a *abused) check(what, before, want string) {
	a.t.Helper()
	a.mend()
	if want != "" {
		a.present = want
	}
	var flow int
	var steps int64
	if _, err := fmt.Sscanf(a.present, "flow %d, %d steps", &flow, &steps); err != nil {
		a.t.Fatal(err)
	}
	u := a.undisturbed(flow, steps)
	there, foreign := contents(a.t, a.out), stamps(a.t, a.out)
	result := map[string]string{}
	delete(there, ".carina-files") // it knows the summary, which holds times
	for name := range there {
		if _, theirs := a.foreign[name]; !theirs && name != "summary.json" && name != "report.html" {
			delete(foreign, name)
			result[name] = there[name]
		}
	}
	delete(foreign, "summary.json")
	delete(foreign, "report.html")
	delete(foreign, ".carina-files")
	expected := maps.Clone(u.files)
	if a.laid != "" {
		delete(expected, a.laid)
	}
	if diff := cmp.Diff(a.foreign, foreign); diff != "" {
		a.t.Errorf("%s: foreign files changed:\n%s", what, diff)
	}
	for name, hash := range a.diverged {
		if result[name] != hash {
			a.t.Errorf("%s: %s changed", what, name)
		}
		delete(result, name)
	}
	if data, err := os.ReadFile(filepath.Join(a.elsewhere, "precious")); err != nil || string(data) != "precious" {
		a.t.Errorf("%s: what a link leads to changed: %q, %v", what, data, err)
	}
	if entries, err := os.ReadDir(a.elsewhere); err != nil || len(entries) != 1 {
		a.t.Errorf("%s: where a link leads to are %v, %v", what, entries, err)
	}
	if diff := cmp.Diff(expected, result); diff != "" {
		a.t.Errorf("%s, before %s: it is not the result of %s:\n%s", what, before, a.present, diff)
	}
	var s airflow.Summary
	if decode(a.t, filepath.Join(a.out, "summary.json"), &s); s.StateHash != u.state || s.Steps != steps {
		a.t.Errorf("%s: the summary is of state %s after %d steps, want %s after %d", what, s.StateHash, s.Steps, u.state, steps)
	}
}
