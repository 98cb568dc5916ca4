package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/internal/race"
)

// Statistics of a flow with a period are files for ParaView, over all of it and by phase,
// and what makes no sense is refused.
func TestStatisticsFiles(t *testing.T) {
	folder := t.TempDir()
	surface := generated(t, "bifurcation")
	common := []string{"run", surface, "--fluid-cells", "3000", "--flow", "1L/min", "--ranks", "2"}
	out := filepath.Join(folder, "out")
	type summary struct {
		Statistics *struct {
			From            float64 `json:"from_s"`
			Samples, Phases int
			Empty           int `json:"phases_without_samples"`
		}
		Warnings []string
	}
	s := succeed[summary](t, append(common, "--out", out, "--steps", "1000", "--waveform", "sine:0.1s", "--statistics", "--phases", "3", "--statistics-from", "0s", "--checkpoint", "end")...)
	if s.Statistics == nil || s.Statistics.Samples != 10 || s.Statistics.Phases != 3 {
		t.Fatalf("%+v", s)
	}
	names := []string{"statistics.pvtu", "statistics_0000.vtu", "statistics_0001.vtu", "phases.pvd"}
	for k := range 3 {
		names = append(names, fmt.Sprintf("phase_%03d.pvtu", k), fmt.Sprintf("phase_%03d_0000.vtu", k), fmt.Sprintf("phase_%03d_0001.vtu", k))
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(out, name))
		text := string(data)
		if err != nil || !strings.HasSuffix(name, ".pvd") && !(strings.Contains(text, "rms_velocity") && strings.Contains(text, "reynolds_stress")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Other phases begin anew, and that is told.
	const anew = "the checkpoint has statistics of 3 phases, which are forgotten"
	for phases, told := range race.Few(map[string]bool{"4": true}, map[string]bool{"3": false, "4": true}) {
		status, _, words := invoke(t, "run", "--restart", out, "--steps", "1100", "--phases", phases, "--out", filepath.Join(folder, "on"+phases))
		if status != 0 || strings.Contains(words, anew) != told {
			t.Errorf("%s phases: exit status %d: %s", phases, status, words)
		}
	}
	// Where phases have no sample, that is told: 1000 steps are some tenth of this period.
	s = succeed[summary](t, append(common, "--out", out, "--steps", "1000", "--waveform", "sine:100s", "--statistics", "--phases", "3", "--statistics-from", "0s")...)
	if s.Statistics == nil || s.Statistics.Empty != 2 || !strings.Contains(strings.Join(s.Warnings, " "), "no sample fell into 2 of the 3 phases") {
		t.Errorf("%+v", s)
	}
	// Where the transient has not left, that is told.
	s = succeed[summary](t, append(common, "--out", out, "--steps", "50", "--statistics")...)
	if s.Statistics != nil || !strings.Contains(strings.Join(s.Warnings, " "), "no statistics") {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(filepath.Join(out, "phases.pvd")); err == nil {
		t.Error("files of the run before are left")
	}
	nowhere := filepath.Join(folder, "nowhere")
	for words, flags := range map[string][]string{
		"are of statistics": {"--phases", "4"},
		"has no period":     {"--statistics", "--phases", "4"},
		"is no time":        {"--statistics", "--statistics-from", "-1s"},
		"cannot be divided": {"--statistics", "--phases", "5000", "--waveform", "sine:1s"},
	} {
		status, _, message := invoke(t, append(append(common, "--steps", "100", "--out", nowhere), flags...)...)
		if _, err := os.Stat(nowhere); status == 0 || !strings.Contains(message, words) || err == nil {
			t.Errorf("%v: exit status %d: %s (folder: %v)", flags, status, message, err)
		}
	}
}
