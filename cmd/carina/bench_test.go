package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ringOfEight is a METIS graph of a ring of eight vertices.
const ringOfEight = "8 8\n8 2\n1 3\n2 4\n3 5\n4 6\n5 7\n6 8\n7 1\n"

// TestBenchNeedsAName checks what is said without a benchmark, and of one that
// there is not.
func TestBenchNeedsAName(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		says      string
	}{{[]string{"bench"}, "say which benchmark"}, {[]string{"bench", "partitions"}, "did you mean partition"}} {
		status, stdout, stderr := invoke(t, c.arguments...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: status %d, says %q, want %q", c.arguments, status, stderr, c.says)
		}
	}
}

// TestBenchLeavesRecordsAlone runs a benchmark beside records: they change only
// when asked to, and never by a quick one.
func TestBenchLeavesRecordsAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	const old = "as recorded"
	page, data := filepath.Join(recordsFolder, "partition.md"), filepath.Join(recordsFolder, "partition.json")
	graphs := t.TempDir()
	if err := os.WriteFile(filepath.Join(graphs, "ring.graph"), []byte(ringOfEight), 0o644); err != nil {
		t.Fatal(err)
	}
	bench := func(arguments ...string) (int, string) {
		status, _, stderr := invoke(t, append([]string{"bench", "partition", "--graphs", graphs, "--parts", "2", "--seeds", "1", "--tools", "fast"}, arguments...)...)
		return status, stderr
	}
	if status, stderr := bench("--record"); status != exitFailure || !strings.Contains(stderr, "start it in the folder of the project") {
		t.Errorf("without a folder of records: status %d, says %q", status, stderr)
	}
	if err := os.MkdirAll(recordsFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{page, data} {
		if err := os.WriteFile(file, []byte(old), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded := func() (kept bool) {
		t.Helper()
		content, err := os.ReadFile(data)
		if err != nil {
			t.Fatal(err)
		}
		return string(content) == old
	}
	for _, wrong := range [][]string{{"--record", "--quick"}, {"--record", "--out", "elsewhere"}} {
		if status, stderr := bench(wrong...); status != exitUsage || !recorded() {
			t.Errorf("%v: status %d, says %q, records kept %v", wrong, status, stderr, recorded())
		}
	}
	for _, arguments := range [][]string{{"--quick"}, nil} {
		if status, stderr := bench(arguments...); status != 0 || !recorded() {
			t.Fatalf("%v: status %d, says %q, records kept %v", arguments, status, stderr, recorded())
		}
		if _, err := os.Stat(filepath.Join(benchFolder, "partition.json")); err != nil {
			t.Errorf("%v: %v", arguments, err)
		}
	}
	if status, stderr := bench("--record"); status != 0 || recorded() {
		t.Fatalf("--record: status %d, says %q, records kept %v", status, stderr, recorded())
	}
	if content, err := os.ReadFile(page); err != nil || string(content) != old {
		t.Errorf("the page written by hand: %q, %v", content, err)
	}
}

// A suite that is stopped says where the part is that was complete.
func TestStoppedSuiteSaysWhatIsLeft(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	folder := t.TempDir()
	var out, said strings.Builder
	status := execute(ctx, []string{"bench", "balance", "--quick", "--fluid-cells", "5000", "--ranks", "2", "--out", folder}, &out, &said)
	if want := "carina: stopped by the user; what was complete until then is in " + folder + "\n"; status != exitFailure || said.String() != want {
		t.Errorf("status %d, says %q, want %q", status, said.String(), want)
	}
}

// Numbers of ranks that cannot be are refused before the folder for results is made.
func TestBenchmarksRefuseNoRanks(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	for _, suite := range []string{"balance", "scale", "rebalance", "water", "cuts"} {
		refused(t, "0 ranks cannot share the work", "bench", suite, "--ranks", "0", "--quick", "--out", folder)
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("bench %s leaves a folder", suite)
		}
	}
}
