package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"carina/balance"
	"carina/geometry"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/share"

	"github.com/klauspost/compress/zstd"
)

// changedMemory is what a command may take of a file with a changed byte.
const changedMemory = 2 << 30

// mutation is a kind of file of which single bytes are changed.
type mutation struct {
	name string
	// file is changed. change may make more of it than the change of a byte.
	file   string
	change func(data []byte, at int, to byte) []byte
	// commands are run with each changed file, in this order.
	commands [][]string
	// judge gets the commands' statuses and what the last has printed.
	judge func(statuses []int, printed string) error
}

// TestChangedBytes changes single bytes of all kinds of files and runs the
// commands that read them: none may panic, hang or take all memory, a changed
// grid is refused, and a changed partition file is refused or leads to the same
// fields. make fuzz changes 10,000 bytes.
func TestChangedBytes(t *testing.T) {
	count := 120
	if race.Enabled {
		count = 12
	}
	if text := os.Getenv("CARINA_CHANGED_BYTES"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	debug.FreeOSMemory() // what the tests before have left
	t.Logf("the process holds %d MB", heldMemory()>>20)
	mutations := mutationsOf(t)
	for i := range mutations {
		mutations[i].check(t, "unchanged", false, false)
	}
	for i := range count {
		m := &mutations[i%len(mutations)]
		whole := readFile(t, m.file)
		rng := rand.New(rand.NewPCG(uint64(i), 17))
		at, to := changedByte(rng, whole)
		what := fmt.Sprintf("change %d: byte %d of %s from %q to %q", i, at, m.name, whole[min(at, len(whole)-1)], to)
		if os.Getenv("CARINA_CHANGED_BYTES") != "" {
			fmt.Println(what) // the last line, should memory run out
		}
		changed := m.change(bytes.Clone(whole), at, to)
		if err := os.WriteFile(m.file, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		m.check(t, what, true, i/len(mutations)%everySo == 0)
		if err := os.WriteFile(m.file, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// changedByte chooses a place and a new byte for it; among text mostly such as
// makes other numbers.
func changedByte(rng *rand.Rand, data []byte) (int, byte) {
	const telling = "0123456789-.eE,:[]{}\"& \n"
	at := rng.IntN(len(data))
	for {
		to := byte(rng.IntN(256))
		if rng.IntN(3) > 0 {
			to = telling[rng.IntN(len(telling))]
		}
		if to != data[at] {
			return at, to
		}
	}
}

func replaced(data []byte, at int, to byte) []byte {
	data[at] = to
	return data
}

// check runs the commands with a file that was changed, or is as it was.
func (m *mutation) check(t *testing.T, what string, changed, results bool) {
	t.Helper()
	var statuses []int
	var printed, said string
	for _, command := range m.commands {
		var status int
		command = withResults(command, results)
		status, printed, said = watched(t, what, command)
		if status != 0 && status != exitFailure || status == exitFailure && !strings.Contains(said, "carina: ") {
			t.Errorf("%s: carina %v: status %d, says %q", what, command, status, said)
		}
		statuses = append(statuses, status)
	}
	if !changed {
		if statuses[len(statuses)-1] != 0 {
			t.Fatalf("%s %s: statuses %v: %s", what, m.name, statuses, said)
		}
		return
	}
	if m.judge == nil {
		return
	}
	if err := m.judge(statuses, printed); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// heldMemory is what the process has of the machine's memory, in bytes.
func heldMemory() uint64 {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(held)
	return held[0].Value.Uint64() - held[1].Value.Uint64()
}

// watched runs a command line and fails the test if it takes too long or too
// much memory.
func watched(t *testing.T, what string, arguments []string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	done := make(chan int, 1)
	go func() {
		if arguments[0] == readShare {
			done <- shareIsRead(arguments[1], &err)
			return
		}
		done <- execute(context.Background(), arguments, &out, &err)
	}()
	limit, look := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer look.Stop()
	for {
		select {
		case status = <-done:
			return status, out.String(), err.String()
		case <-limit:
			t.Fatalf("%s: carina %v is still running", what, arguments)
		case <-look.C:
			if bytes := heldMemory(); bytes > changedMemory {
				t.Fatalf("%s: carina %v takes %d MB", what, arguments, bytes>>20)
			}
		}
	}
}

// mutationsOf makes a sound file of every kind.
func mutationsOf(t *testing.T) []mutation {
	t.Helper()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	write := func(name, text string) string {
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return in(name)
	}
	pipe := generated(t, "pipe")
	stl := write("pipe.stl", string(readFile(t, pipe)))
	part, grid := in("pipe.part.json"), in("pipe.grid")
	succeed[partitionResult](t, "partition", stl, "--spacing", "4mm", "--ranks", "3", "--decompose", "octree", "-o", part)
	loose := write("loose.grid", string(readFile(t, grid)))
	flow := write("flow.yaml", "surface: pipe.stl\nspacing: 4mm\nflow: 1L/min\nranks: 2\nsteps: 2\nsmagorinsky: 0.1\n"+
		"conditions:\n  - {opening: 2, kind: pressure, pressure: 10Pa}\n")
	machine := write("machine.json", machineText(t))
	graph := write("ring.graph", ringGraph(40))
	page, out, made := in("page.html"), in("out"), in("made.part.json")
	hash := stateHash(t, part)
	shared := in("shared.part.json")
	succeed[partitionResult](t, "partition", stl, "--spacing", "4mm", "--ranks", "3", "--shares", "-o", shared)
	ownShare := share.Path(shared, shareRank)
	refused := func(statuses []int, _ string) error {
		if slices.Contains(statuses, 0) {
			return fmt.Errorf("statuses %v, but none may succeed", statuses)
		}
		return nil
	}
	solved := func(file string, more ...string) []string {
		return append([]string{"solve", file, "--steps", "2", "--json"}, more...)
	}
	return []mutation{
		{"grid", grid, replaced, [][]string{
			{"inspect", grid}, {"view", grid, "-o", page}, {"export", part, "--to", "metis", "-o", in("x")}, solved(part),
		}, refused},
		{"partition file", part, replaced, [][]string{
			{"inspect", part}, {"view", part, "-o", page}, {"export", part, "--to", "metis", "-o", in("x")},
			{"export", part, "--to", "openlb", "-o", in("x")}, solved(part),
		}, sameHash(hash)},
		{"partition file with results", part, replaced, [][]string{
			{"inspect", part, "--json"}, {"export", part, "--to", "vtk", "-o", in("x")}, solved(part, sometimes, out),
		}, sameHash(hash)},
		{"share of a rank", ownShare, replaced, [][]string{{readShare, shared}}, refused},
		{"head of a share", ownShare, resealedShare, [][]string{{readShare, shared}}, nil},
		{"surface", stl, replaced, [][]string{
			{"inspect", stl, "--unit", "mm"}, {"view", stl, "--unit", "mm", "-o", page},
			{"partition", stl, "--unit", "mm", "--spacing", "4mm", "--ranks", "2", "-o", made}, solved(made, sometimes, out),
		}, nil},
		{"contents of a grid", loose, resealed, [][]string{
			{"inspect", loose}, {"view", loose, "-o", page}, {"partition", loose, "--ranks", "2", "-o", made},
			{"export", made, "--to", "metis", "-o", in("x")}, solved(made, sometimes, out),
		}, nil},
		{"case", flow, replaced, [][]string{{"inspect", flow}, {"voxelize", flow, "-o", in("made.grid")}, {"partition", flow, "-o", made}, solved(part, "--case", flow, sometimes, out)}, nil},
		{"machine file", machine, replaced, [][]string{
			{"partition", loose, "--ranks", "2", "--machine", machine, "-o", made}, {"inspect", made}, solved(made, sometimes, out),
		}, nil},
		{"graph", graph, replaced, [][]string{{"inspect", graph}, {"graph", graph, "4", "-o", in("ring.part")}}, nil},
	}
}

// readShare stands for what ranks on GPUs under MPI do with a partition file: that
// of one reads its share.
const (
	readShare = "read share"
	shareRank = 1
)

func shareIsRead(partition string, stderr io.Writer) int {
	p, err := balance.ReadFile(partition)
	var own *solver.Domain
	if err == nil {
		own, err = share.Read(partition, p, shareRank)
	}
	if err == nil {
		_, err = airflow.NewFlow(own, airflow.DefaultSettings())
	}
	if err != nil {
		fmt.Fprintf(stderr, "carina: %v\n", err)
		return exitFailure
	}
	return 0
}

// resealedShare changes a byte of what a share file says beside the grid, and
// gives it the checksum that belongs to it.
func resealedShare(data []byte, at int, to byte) []byte {
	length := len("carina share 1\n")
	sum := length + 8
	head := data[sum+sha256.Size:][:binary.LittleEndian.Uint64(data[length:])]
	head[at%len(head)] = to
	sealed := sha256.Sum256(head)
	copy(data[sum:], sealed[:])
	return data
}

// sometimes stands for --out: results take longer to draw than all else.
const sometimes = "sometimes --out"

// everySo is how many changes share one with results.
const everySo = 20

// withResults replaces sometimes, or leaves it and the folder out.
func withResults(arguments []string, wanted bool) []string {
	last := len(arguments) - 2
	if last < 0 || arguments[last] != sometimes {
		return arguments
	}
	if !wanted {
		return arguments[:last]
	}
	return append(slices.Clone(arguments[:last]), "--out", arguments[last+1])
}

// sameHash accepts what was refused and what has led to the same fields.
func sameHash(hash string) func([]int, string) error {
	return func(statuses []int, printed string) error {
		if statuses[len(statuses)-1] != 0 {
			return nil
		}
		var summary struct {
			Hash string `json:"state_hash"`
		}
		if err := json.Unmarshal([]byte(printed), &summary); err != nil || summary.Hash != hash {
			return fmt.Errorf("the state's hash is %q, want %q (%v)", summary.Hash, hash, err)
		}
		return nil
	}
}

func stateHash(t *testing.T, part string) string {
	t.Helper()
	return succeed[struct {
		Hash string `json:"state_hash"`
	}](t, "solve", part, "--steps", "2").Hash
}

// resealed changes a byte of what a grid file holds, before compression, and
// gives it the checksum that belongs to it, as only an attacker does.
func resealed(data []byte, at int, to byte) []byte {
	head := len(geometry.GridMagic) + 4
	reader, err := zstd.NewReader(bytes.NewReader(data[head : len(data)-sha256.Size]))
	if err != nil {
		panic(err)
	}
	defer reader.Close()
	body, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	// The beginning has all kinds of numbers and few bytes.
	const beginning = 400
	if at%2 == 0 {
		at %= beginning
	}
	body[at%len(body)] = to
	var sealed bytes.Buffer
	sealed.Write(data[:head])
	writer, err := zstd.NewWriter(&sealed)
	if err != nil {
		panic(err)
	}
	_, err = writer.Write(body)
	if err := errors.Join(err, writer.Close()); err != nil {
		panic(err)
	}
	sum := sha256.Sum256(sealed.Bytes())
	return append(sealed.Bytes(), sum[:]...)
}

// machineText is a machine file with the assumed costs.
func machineText(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "machine.json")
	m := balance.NewMachine("test", "a test's")
	m.Costs = []balance.Cost{balance.DefaultCost(balance.Sparse)}
	m.Costs[0].BySize = []balance.SizeFactors{{Cells: 1000, Factor: 0.5, Empty: 1}, {Cells: 100_000, Factor: 1, Empty: 1}}
	if err := m.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return string(readFile(t, path))
}

// ringGraph is a METIS file of n vertices in a ring, with weights.
func ringGraph(n int) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%% a ring\n%d %d 011\n", n, n)
	for v := range n {
		fmt.Fprintf(&w, "%d %d 5 %d 5\n", 1+v%4, (v+n-1)%n+1, (v+1)%n+1)
	}
	return w.String()
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
