package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/internal/race"
)

// readFolder are the files of a folder by their names.
func readFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// A run that is gone on with from a checkpoint, on other ranks, leaves the tables of one
// that was left alone, to the last digit, and lists the same fields.
func TestSeriesGoOn(t *testing.T) {
	folder := t.TempDir()
	of := func(hundreds float64) string { return fmt.Sprint(hundreds * race.Few(50.0, 100)) } // steps
	surface := generated(t, "bifurcation")
	common := []string{"--fluid-cells", "3000", "--flow", "1L/min", "--series", "every=" + of(1), "--snapshots", "every=" + of(4), "--lobe", "left=2",
		"--probe", "0,0,60,mid", "--probe", "0,0,60,0,0,-1,20mm,cut"}
	run := func(arguments ...string) {
		t.Helper()
		if status, _, message := invoke(t, append([]string{"run"}, arguments...)...); status != 0 {
			t.Fatal(message)
		}
	}
	whole, parts := filepath.Join(folder, "whole"), filepath.Join(folder, "parts")
	run(append(common, surface, "--steps", of(20), "--out", whole, "--ranks", "3")...)
	run(append(common, surface, "--steps", of(9), "--out", parts, "--checkpoint", "every="+of(6.5))...)
	run("--restart", parts, "--steps", of(20), "--ranks", "2")
	want, got := readFolder(t, filepath.Join(whole, "series")), readFolder(t, filepath.Join(parts, "series"))
	for _, name := range []string{"openings.csv", "branches.csv", "lobes.csv", "probes.csv", "fields.pvd"} {
		if want[name] == "" || got[name] != want[name] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got[name], want[name])
		}
	}
	if rows := strings.Count(want["probes.csv"], "\n"); rows != 21 || strings.Count(want["fields.pvd"], "<DataSet") != 5 {
		t.Errorf("%d rows, %s", rows, want["fields.pvd"])
	}
	for name := range got {
		if piece := strings.HasPrefix(name, "fields_"); piece && strings.Contains(name, fmt.Sprintf("%06s", of(9))) {
			t.Errorf("%s was left", name)
		}
	}
	// The next run begins anew, and one with other columns does not go on.
	if status, _, message := invoke(t, "run", "--restart", parts, "--steps", of(20), "--probe", "0,0,60,other"); status == 0 || !strings.Contains(message, "other columns") {
		t.Errorf("exit status %d: %s", status, message)
	}
	for name, text := range readFolder(t, filepath.Join(parts, "series")) {
		if text != got[name] {
			t.Errorf("a run that was refused has changed %s", name)
		}
	}
	run(surface, "--fluid-cells", "3000", "--flow", "1L/min", "--series", "every="+of(1), "--steps", of(2), "--out", parts)
	if files := readFolder(t, filepath.Join(parts, "series")); strings.Count(files["openings.csv"], "\n") != 3 || files["probes.csv"] != "" || files["fields.pvd"] != "" {
		t.Errorf("%v", files)
	}
}

// The wall of a flow that a waveform changes is followed over time, alike in a run that is
// gone on with on other ranks.
func TestWallOverTime(t *testing.T) {
	folder := t.TempDir()
	of := func(hundreds float64) string { return fmt.Sprint(hundreds * race.Few(10.0, 100)) } // steps
	common := []string{"run", generated(t, "bifurcation"), "--fluid-cells", "2000", "--flow", "1L/min", "--waveform", "sine:0.4s", "--mismatch", "50%", "--series", "every=" + of(5)}
	type summary struct {
		TimeStep float64 `json:"time_step_s"`
		Wall     struct {
			Over *struct {
				Index float64 `json:"oscillatory_index"`
				Mean  float64 `json:"mean_pa"`
			} `json:"over_time"`
		} `json:"wall_shear"`
	}
	whole, parts := filepath.Join(folder, "whole"), filepath.Join(folder, "parts")
	want := succeed[summary](t, append(common, "--steps", of(45), "--out", whole, "--ranks", "2")...)
	succeed[summary](t, append(common, "--steps", of(30), "--out", parts, "--checkpoint", "every="+of(21))...)
	got := succeed[summary](t, "run", "--restart", parts, "--steps", of(45), "--ranks", "3")
	if want.Wall.Over == nil || got.Wall.Over == nil || *want.Wall.Over != *got.Wall.Over || !race.Enabled && !(want.Wall.Over.Index > 0.2) {
		t.Errorf("%+v, want %+v", got.Wall.Over, want.Wall.Over)
	}
	for _, name := range []string{"wall.vtp", "series/wall.csv", "branches.csv"} {
		first, err1 := os.ReadFile(filepath.Join(whole, name))
		second, err2 := os.ReadFile(filepath.Join(parts, name))
		if err1 != nil || err2 != nil || string(first) != string(second) || !strings.Contains(string(first), "shear") {
			t.Errorf("%s is another one (%v, %v)", name, err1, err2)
		}
	}
	if data, err := os.ReadFile(filepath.Join(whole, "wall.vtp")); err != nil || !strings.Contains(string(data), "oscillatory_shear_index") {
		t.Errorf("%v: no index", err)
	}
}

// What makes no sense is refused before anything is computed or written, and so is a
// folder in which somebody else has files of those names.
func TestWrongSeries(t *testing.T) {
	folder := t.TempDir()
	surface := generated(t, "bifurcation")
	nowhere := filepath.Join(folder, "nowhere")
	for words, flags := range map[string][]string{
		"above 0":               {"--series", "every=0"},
		"or give steps":         {"--snapshots", "often"},
		"say how often":         {"--probe", "0,0,60,mid"},
		"lies in no cell":       {"--series", "1ms", "--probe", "900,0,60,mid"},
		"neither x,y,z,name":    {"--series", "1ms", "--probe", "0,0,60"},
		"two probes are called": {"--series", "1ms", "--probe", "0,0,60,a", "--probe", "0,0,61,a"},
		"its normal is zero":    {"--series", "1ms", "--probe", "0,0,60,0,0,0,9mm,a"},
		"length":                {"--series", "1ms", "--probe", "0,0,60,0,0,1,9,a"},
	} {
		status, _, message := invoke(t, append([]string{"run", surface, "--fluid-cells", "3000", "--steps", "100", "--out", nowhere}, flags...)...)
		if _, err := os.Stat(nowhere); status == 0 || !strings.Contains(message, words) || err == nil {
			t.Errorf("%v: exit status %d: %s (folder: %v)", flags, status, message, err)
		}
	}
	out := filepath.Join(folder, "out")
	mine := filepath.Join(out, "series", "openings.csv")
	if err := os.MkdirAll(filepath.Dir(mine), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, _, message := invoke(t, "run", surface, "--fluid-cells", "3000", "--steps", "100", "--series", "1ms", "--out", out)
	if data, err := os.ReadFile(mine); status == 0 || !strings.Contains(message, "somebody else") || string(data) != "mine" {
		t.Errorf("exit status %d: %s (%v)", status, message, err)
	}
}
