package partitionbench

import (
	"bytes"
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"carina/partition"
	"carina/partition/graph"
	"carina/partition/metis"
)

// folderWithRing makes a folder with the ring of n vertices, whose best cut
// into k parts is k, and recorded cuts of twice that.
func folderWithRing(t *testing.T, n int) string {
	t.Helper()
	g := &graph.Graph{Offsets: []int64{0}}
	for v := range n {
		g.Neighbours = append(g.Neighbours, int32((v+n-1)%n), int32((v+1)%n))
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	var file bytes.Buffer
	if err := metis.Write(&file, g); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"ring.graph":          file.String(),
		"reference-cuts.tsv":  "graph\tk\ttool\tmean_cut\tmean_seconds\nring\t4\tkaffpa_strong\t8\t1\nring\t32\tkaffpa_strong\t64\t1\n",
		"best-known-cuts.tsv": "graph\tk\tbest_feasible_cut\nring\t4\t4\nring\t32\t32\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestRun(t *testing.T) {
	var progress []float64
	begin, cpu := time.Now(), processorSeconds()
	report, err := Run(context.Background(), Options{Folder: folderWithRing(t, 640), Quick: true, Progress: func(_ string, done float64) { progress = append(progress, done) }})
	if err != nil {
		t.Fatal(err)
	}
	var wallTime, processorTime float64
	for _, row := range report.Rows {
		wallTime += row.MeanSeconds * float64(row.Runs)
		processorTime += row.MeanCPUSeconds * float64(row.Runs)
	}
	if all := time.Since(begin).Seconds(); wallTime <= 0 || wallTime > all {
		t.Errorf("rows took %g s of %g", wallTime, all)
	}
	if all := processorSeconds() - cpu; processorTime <= 0 || processorTime > all {
		t.Errorf("rows took %g s of the processor's %g", processorTime, all)
	}
	for i, done := range progress {
		if want := float64(i) / float64(len(report.Rows)); math.Abs(done-want) > 1e-12 || len(progress) != len(report.Rows) {
			t.Errorf("progress %g before row %d of %d, want %g", done, i, len(report.Rows), want)
		}
	}
	for _, mean := range report.Means() {
		if mean.Tool == "gpmetis" || mean.Tool == "scotch" {
			continue
		}
		if mean.Cases != 2 || mean.Infeasible != 0 || mean.EmptyParts != 0 {
			t.Errorf("%+v", mean)
		}
		if math.Abs(mean.CutToReference-0.5) > 1e-12 || math.Abs(mean.CutToBestKnown-1) > 1e-12 {
			t.Errorf("%s: cut %v of the reference, %v of the best known; want 0.5 and 1", mean.Tool, mean.CutToReference, mean.CutToBestKnown)
		}
	}
	var table strings.Builder
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fast", "eco", "strong", "0.500", "1.000"} {
		if !strings.Contains(table.String(), name) {
			t.Errorf("no %q in the table\n%s", name, table.String())
		}
	}
	picture := filepath.Join(t.TempDir(), "profile.png")
	if err := report.Plot(picture); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() < 1000 {
		t.Errorf("picture %v, %v", info, err)
	}
}

// What another program's files say must be what it did: its own cut on the
// ring can only be that of k or more pieces.
func TestOtherPrograms(t *testing.T) {
	folder := folderWithRing(t, 640)
	for _, name := range []string{"gpmetis", "scotch_gpart"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("%s is not installed", name)
		}
	}
	g, err := readGraph(filepath.Join(folder, "ring.graph"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range otherTools(t.TempDir()) {
		parts, err := tool.run(context.Background(), g, 4, 0.03, 1)
		if err != nil {
			t.Fatal(err)
		}
		evaluation, err := partition.Evaluate(g, parts, partition.Options{Parts: 4, Imbalance: 0.03})
		if err != nil {
			t.Fatal(err)
		}
		if evaluation.Cut < 4 || evaluation.Cut > 12 || evaluation.EmptyParts > 0 {
			t.Errorf("%s: cut %d, %d empty parts", tool.name, evaluation.Cut, evaluation.EmptyParts)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, folder := range []string{"", t.TempDir(), "/does/not/exist"} {
		if _, err := Run(context.Background(), Options{Folder: folder}); err == nil {
			t.Errorf("accepted folder %q", folder)
		}
	}
}

func TestProfile(t *testing.T) {
	r := &Report{Rows: []Row{
		{Graph: "a", Parts: 2, Tool: "x", MeanCut: 10}, {Graph: "a", Parts: 2, Tool: "y", MeanCut: 12},
		{Graph: "b", Parts: 2, Tool: "x", MeanCut: 10, Infeasible: 1}, {Graph: "b", Parts: 2, Tool: "y", MeanCut: 20},
	}}
	if got := r.profile("x"); got[0] != 1 || !math.IsInf(got[1], 1) {
		t.Errorf("x: %v, want 1 and infinity", got)
	}
	if got := r.profile("y"); got[0] != 1 || got[1] != 1.2 {
		t.Errorf("y: %v, want 1 and 1.2", got)
	}
}
