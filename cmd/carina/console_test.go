package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// noRoom takes some bytes and no more.
type noRoom struct{ room int }

var errFull = errors.New("no space left on device")

func (d *noRoom) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestOutputThatCannotBeWrittenFails(t *testing.T) {
	pipe := generated(t, "pipe")
	part := partitioned(t, "--ranks", "2")
	for _, arguments := range [][]string{
		{"inspect", pipe},
		{"inspect", part},
		{"solve", part, "--steps", "2"},
		{"voxelize", pipe, "--spacing", "3mm", "-o", filepath.Join(t.TempDir(), "grid")},
		{"run", pipe, "--spacing", "3mm", "--steps", "2", "--out", filepath.Join(t.TempDir(), "out")},
		{"help"},
		{"run", "--help"},
	} {
		for _, as := range [][]string{nil, {"--json"}} {
			var said strings.Builder
			status := execute(context.Background(), append(append([]string{}, arguments...), as...), &noRoom{room: 3}, &said)
			if last := said.String(); status != exitFailure || !strings.Contains(last, "carina: the output cannot be written: "+errFull.Error()) {
				t.Errorf("carina %v %v: status %d, says %q", arguments[:1], as, status, last)
			}
		}
	}
}

// A name that a terminal would obey, or that is no UTF-8, is neither obeyed nor
// in the way.
func TestStrangeNamesArePrintedSafely(t *testing.T) {
	const escape = "\x1b]0;owned\a\x1b[31m"
	folder := t.TempDir()
	solid := "solid " + escape + "inlet\u202e\u009b2J\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"
	named := filepath.Join(folder, "a"+escape+".stl")
	if err := os.WriteFile(named, []byte(solid+strings.ReplaceAll(solid, "inlet", "other")), 0o644); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.ReadFile(generated(t, "pipe"))
	if err != nil {
		t.Fatal(err)
	}
	sound := filepath.Join(folder, "b"+escape+".stl")
	if err := os.WriteFile(sound, pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	grid := filepath.Join(folder, "c"+escape+".grid")
	for _, arguments := range [][]string{
		{"inspect", named}, {"inspect", named, "--json"}, {"inspect", filepath.Join(folder, escape)}, {"inspect", sound},
		{"voxelize", sound, "--spacing", "3mm", "--opening", "0,0,30,10mm," + escape, "-o", grid},
		{"view", grid, "-o", filepath.Join(folder, "d"+escape+".html")}, {"solve", grid}, {escape}, {"run", "--" + escape},
	} {
		_, stdout, stderr := invoke(t, arguments...)
		for where, text := range map[string]string{"output": stdout, "messages": stderr} {
			if i := strings.IndexAny(text, "\x1b\a\u202e\u009b\x7f\r"); i >= 0 {
				t.Errorf("carina %q: its %s hold %q", arguments, where, text[i:min(len(text), i+20)])
			}
		}
		if stdout+stderr == "" {
			t.Errorf("carina %q says nothing", arguments)
		}
	}
}

// The bar shows each stage with its part, whether it counts anew or goes on, and is
// there until the end.
func TestBarShowsStages(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	report, end := barProgress(file)
	const redrawn = 120 * time.Millisecond
	for _, c := range []struct {
		stage      string
		from, done float64
		want       string
	}{{"Fill", 0, 0.25, " 25%"}, {"Fill", 0, 1, " 99%"}, {"Links", 0, 0.5, " 50%"}, {"Pictures", 0.5, 0.75, " 75%"}, {"Pages", 0.8, 1, " 99%"}} {
		report(c.stage, c.from)
		before, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(redrawn)
		report(c.stage, c.done)
		all, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if drawn := string(all[len(before):]); !strings.Contains(drawn, strings.ToLower(c.stage)) || !strings.Contains(drawn, c.want) {
			t.Errorf("%s at %g: draws %q, want %q", c.stage, c.done, drawn, c.want)
		}
	}
	end()
}

var _ io.Writer = (*noRoom)(nil)
