package carina_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"

	"github.com/google/go-cmp/cmp"
)

// written writes the pipe as airway.stl, in millimetres.
func written(t *testing.T, folder string) string {
	t.Helper()
	surface, _ := pipe(t)
	path := filepath.Join(folder, "airway.stl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := geometry.WriteSTL(file, surface, geometry.Millimetre); err != nil {
		t.Fatal(err)
	}
	return path
}

// All steps at once end where they end one by one.
func TestRunTakesAllSteps(t *testing.T) {
	_, c := pipe(t)
	c.Surface, c.Unit = written(t, t.TempDir()), "mm"
	surface, err := geometry.ReadSurface(c.Surface, geometry.Millimetre)
	if err != nil {
		t.Fatal(err)
	}
	want := opened(t, c, surface)
	if err := want.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, err := carina.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got.Summary().StateHash != want.Summary().StateHash {
		t.Errorf("all at once end in %s, step by step in %s", got.Summary().StateHash, want.Summary().StateHash)
	}
	if line := got.Summary().String(); !strings.Contains(line, "200 steps") || strings.Contains(line, "\n") {
		t.Errorf("the summary says %q", line)
	}
	c.Surface = "missing.stl"
	if _, err := carina.Run(context.Background(), c); err == nil {
		t.Error("a surface that is not there is computed")
	}
}

// goRun runs the go command and returns what it says.
func goRun(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	command := exec.Command("go", arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GONOSUMDB=*")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

// chained runs a program that takes airway.stl to chain.vtu, and checks what it
// wrote.
func chained(t *testing.T, program string) {
	t.Helper()
	folder := t.TempDir()
	written(t, folder)
	command := exec.Command(program)
	command.Dir = folder
	if said, err := command.CombinedOutput(); err != nil || !strings.Contains(string(said), "pressure drop") {
		t.Fatalf("%v, says %s", err, said)
	}
	p, err := balance.ReadFile(filepath.Join(folder, "chain.part.json"))
	if err != nil || len(p.Ranks) != 4 {
		t.Errorf("the partition file: %v, %v", p, err)
	}
	fields, err := os.ReadFile(filepath.Join(folder, "chain.vtu"))
	if err != nil || !bytes.Contains(fields, []byte(`Name="velocity"`)) {
		t.Errorf("the file of fields: %v", err)
	}
}

// A program outside this module goes from a surface to a partition file, the flow
// and a VTK file.
func TestModuleOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	if _, err := os.Stat("vendor"); err == nil {
		t.Skip("a module outside does not find what this one needs where that lies in the folder vendor")
	}
	tree, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("examples/chain/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(program, []byte("\n")); lines > 40 {
		t.Errorf("the program has %d lines", lines)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	// With the versions of this module, indirect ones too, nothing else is looked up.
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(module), "require (")
	requires, _, _ = strings.Cut(requires, "\ntool ")
	folder := t.TempDir()
	for name, text := range map[string]string{
		"main.go": string(program),
		"go.sum":  string(sums),
		"go.mod":  "module outside\n\ngo 1.26.0\n\nrequire carina v0.0.0\n\nreplace carina => " + tree + "\n\nrequire (" + requires,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	goRun(t, folder, "build", "-ldflags=-s -w", "-o", "outside", ".")
	chained(t, filepath.Join(folder, "outside"))
}

func TestExamplesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the examples")
	}
	folder := t.TempDir()
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", folder, "./examples/...").CombinedOutput(); err != nil {
		t.Fatalf("building the examples: %v\n%s", err, out)
	}
	t.Run("chain", func(t *testing.T) { chained(t, filepath.Join(folder, "chain")) })

	surface, c := pipe(t)
	f := opened(t, c, surface)
	grid, part := filepath.Join(folder, "pipe.grid"), filepath.Join(folder, "pipe.part.json")
	if err := geometry.WriteGrid(grid, f.Grid()); err != nil {
		t.Fatal(err)
	}
	if err := f.Partition().WriteFile(part); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(folder, "whole.part.json")
	if err := carina.WritePartition(whole, f.Partition(), f.Grid()); err != nil {
		t.Fatal(err)
	}
	parts, other := filepath.Join(folder, "pipe.graph.part"), filepath.Join(folder, "other.part.json")
	if err := atomicfile.Write(parts, f.Partition().WriteMETISParts); err != nil {
		t.Fatal(err)
	}
	for _, example := range []struct {
		name      string
		arguments []string
		says      []string
	}{
		{"balancer", nil, []string{"graph", "round robin"}},
		{"feed", []string{part, grid}, []string{"rank 0: ", "rank 1: ", "ranks 0 and 1: "}},
		{"owners", []string{whole, parts, other}, []string{"graph ", "metis "}},
		{"graph", nil, []string{"strong cut ", "feasible true"}},
		{"heat", nil, []string{"no GPU code"}},
	} {
		t.Run(example.name, func(t *testing.T) {
			said, err := exec.Command(filepath.Join(folder, example.name), example.arguments...).CombinedOutput()
			if example.name == "heat" && err != nil {
				err = nil // without GPU code it says so
			}
			for _, says := range example.says {
				if err != nil || !strings.Contains(string(said), says) {
					t.Errorf("%v, says %q, not %q", err, said, says)
				}
			}
		})
	}
	theirs, _, err := carina.ReadPartition(other)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.Partition().Quality, theirs.Quality); diff != "" {
		t.Errorf("the same owners, given by another program, are judged otherwise:\n%s", diff)
	}
}

// Examples are short, each a program of its own.
func TestExamplesAreShort(t *testing.T) {
	files, err := filepath.Glob("examples/*/*.go")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines > 60 || filepath.Base(path) != "main.go" {
			t.Errorf("%s has %d lines", path, lines)
		}
	}
}
