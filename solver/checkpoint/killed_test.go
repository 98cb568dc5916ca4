package checkpoint

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"carina/solver/saved"
	"carina/solver/transport"
)

// keys are sorted names.
func keys(files map[string][]byte) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

const (
	child      = "CARINA_WRITES_CHECKPOINTS_INTO"
	childCells = 30_000
	childRanks = 3
)

// TestMain writes one checkpoint after the other, as a process that is to be killed.
func TestMain(m *testing.M) {
	folder := os.Getenv(child)
	if folder == "" {
		os.Exit(m.Run())
	}
	lists := divided(rand.New(rand.NewPCG(1, 1)), childCells, childRanks, 100)
	transports := transport.NewLocal(childRanks)
	for _, tr := range transports[1:] {
		go writeOn(folder, lists, tr)
	}
	writeOn(folder, lists, transports[0])
}

// writeOn writes for ever and tells which checkpoints are written.
func writeOn(folder string, lists [][]saved.CellRange, tr transport.Transport) {
	w, err := NewWriter(folder, tr)
	for seed := int64(1); err == nil; seed++ {
		w.Begin(stateOf(lists[tr.Rank()], childCells, seed), nil)
		var news News
		if news, err = w.Finish(); err == nil && tr.Rank() == 0 {
			fmt.Println(seed, news.Written)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

// Wherever a process is killed, the last checkpoint that it has told of is there, or a
// later one, and the next process removes what it has left.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	random := rand.New(rand.NewPCG(11, 12))
	lists := divided(rand.New(rand.NewPCG(1, 1)), childCells, childRanks, 100)
	folder := t.TempDir()
	for range 8 {
		writing := exec.Command(os.Args[0])
		writing.Env = append(os.Environ(), child+"="+folder)
		out, err := writing.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := writing.Start(); err != nil {
			t.Fatal(err)
		}
		told := int64(0)
		lines := bufio.NewScanner(out)
		for after := random.IntN(3); lines.Scan(); after-- {
			var is bool
			if _, err := fmt.Sscan(lines.Text(), &told, &is); err != nil || !is {
				t.Errorf("it says %q", lines.Text())
			}
			if after == 0 {
				time.AfterFunc(time.Duration(random.IntN(20_000))*time.Microsecond, func() { writing.Process.Kill() })
			}
		}
		writing.Wait()
		c, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		if c.Steps < told {
			t.Errorf("told of checkpoint %d, there is %d", told, c.Steps)
		}
		if err := load(folder, lists, childCells, c.Steps); err != nil {
			t.Errorf("checkpoint %d: %v", c.Steps, err)
		}
	}
	write(t, folder, lists, childCells, 1)
	if files := read(t, folder); len(files) != childRanks+1 {
		t.Errorf("there are %v", keys(files))
	}
}
