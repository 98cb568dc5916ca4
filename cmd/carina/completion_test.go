package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"carina/benchmarks/validate"
	"carina/geometry/generate"
	"carina/partition"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completed is what a shell is told of the last word of a command line, without the
// directive.
func completed(t *testing.T, line ...string) []string {
	t.Helper()
	status, stdout, stderr := invoke(t, append([]string{cobra.ShellCompNoDescRequestCmd}, line...)...)
	if status != 0 {
		t.Fatalf("%q: %s", line, stderr)
	}
	words, _, _ := strings.Cut(stdout, ":")
	if at := strings.LastIndex(stdout, "\n:"); at >= 0 {
		words = stdout[:at]
	}
	return strings.Fields(words)
}

// Every name that a flag takes is completed, and so is the last of several.
func TestNamesAreCompleted(t *testing.T) {
	all := choices()
	for name, names := range all {
		switch name {
		case "decompose":
			continue // below, with the steps after it
		case "waveform":
			names = []string{"sine:", "breathing:", "periodic:"}
		}
		for _, command := range []string{"run", "solve", "partition", "voxelize", "inspect", "view"} {
			if found, _, err := newRoot().Find([]string{command}); err != nil || found.Flags().Lookup(name) == nil {
				continue
			}
			if got := completed(t, command, "--"+name, ""); !slices.Equal(got, names) {
				t.Errorf("%s --%s completes %q, want %q", command, name, got, names)
			}
		}
	}
	for _, c := range []struct {
		line string
		want []string
	}{
		{"run --decompose octree+", []string{"octree+shrink", "octree+carve", "octree+recombine"}},
		{"run --decompose octree+shrink+", []string{"octree+shrink+shrink", "octree+shrink+carve", "octree+shrink+recombine"}},
		{"run --spacing 0.2", []string{"0.2m", "0.2in", "0.2cm", "0.2mm", "0.2µm", "0.2nm"}},
		{"run --extend-openings 2", []string{"2m", "2in", "2cm", "2mm", "2µm", "2nm", "2D"}},
		{"run --waveform sine:4", []string{"sine:4h", "sine:4min", "sine:4s", "sine:4ms", "sine:4µs"}},
		{"run --role 3", []string{"3=inlet", "3=outlet"}},
		{"run --role 3=in", []string{"3=inlet"}},
		{"run --ranks 4", nil},
		{"solve --time-limit", nil},
		{"generate --rule k", []string{"kitaoka"}},
		{"generate b", []string{"bifurcation", "bifurcation-large"}},
		{"graph --objective ", partition.ObjectiveNames()},
		{"graph --preset ", partition.PresetNames()},
		{"export --to ", []string{"metis", "openlb", "vtk"}},
		{"bench p", []string{"partition"}},
		{"bench balance --geometry airway,b", []string{"airway,bifurcation", "airway,bifurcation-large"}},
		{"bench balance --layout ", []string{"sparse", "dense", "plain"}},
		{"bench validate --cases ", validate.Names()},
		{"bench partition --presets fast,s", []string{"fast,strong"}},
		{"bench cost --layout d", []string{"dense"}},
		{"run ", []string{"yaml", "yml", "grid", "stl", "obj", "ply", "vtp", "nii", "gz"}},
		{"init ", []string{"stl", "obj", "ply", "vtp", "nii", "gz"}},
		{"solve --case ", []string{"yaml", "yml"}},
		{"solve a.part.json ", nil},
		{"ver", []string{"version"}},
		{"comp", []string{"completion"}},
		{"completion ", []string{"bash", "fish", "powershell", "zsh"}},
	} {
		if got := completed(t, strings.Split(c.line, " ")...); !slices.Equal(got, c.want) {
			t.Errorf("%q completes %q, want %q", c.line, got, c.want)
		}
	}
	if got := completed(t, "generate", "--rule", ""); len(got) != len(generate.Rules) {
		t.Errorf("rules %q", got)
	}
}

// No flag that takes a value is completed by any file by mistake.
func TestEveryFlagHasACompletion(t *testing.T) {
	var walk func(command *cobra.Command)
	walk = func(command *cobra.Command) {
		check := func(f *pflag.Flag) {
			if _, known := command.GetFlagCompletionFunc(f.Name); !known && f.Value.Type() != "bool" {
				t.Errorf("%s --%s is not completed", command.CommandPath(), f.Name)
			}
		}
		command.Flags().VisitAll(check)
		command.PersistentFlags().VisitAll(check)
		for _, below := range command.Commands() {
			walk(below)
		}
	}
	root := newRoot()
	walk(root)
	for name := range flagCompleters() {
		words := strings.Fields(name)
		command, _, err := root.Find(words[:len(words)-1])
		if err != nil {
			t.Fatal(err)
		}
		found := false
		var look func(command *cobra.Command)
		look = func(command *cobra.Command) {
			last := words[len(words)-1]
			found = found || command.Flags().Lookup(last) != nil || command.PersistentFlags().Lookup(last) != nil
			for _, below := range command.Commands() {
				look(below)
			}
		}
		if look(command); !found {
			t.Errorf("there is no --%s to complete", name)
		}
	}
}

// A word that is completed leaves folders as they are, also those that the next
// command would mend.
func TestCompletionChangesNothing(t *testing.T) {
	folder := t.TempDir()
	journal := filepath.Join(folder, ".carina-lock")
	if err := os.WriteFile(journal, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	completed(t, "run", filepath.Join(folder, "a"))
	if _, err := os.Stat(journal); err != nil {
		t.Error(err)
	}
}

// The help lists what tells the version and makes completions.
func TestVersionAndCompletionAreListed(t *testing.T) {
	_, help, _ := invoke(t, "--help")
	for _, word := range []string{"\n  completion ", "\n  version ", "--version"} {
		if !strings.Contains(help, word) {
			t.Errorf("the help says nothing of %q:\n%s", word, help)
		}
	}
	v := succeed[versionResult](t, "version")
	if v.Version == "" || v.Build == "" || v.GoVersion == "" || !strings.Contains(v.Platform, "/") {
		t.Errorf("version is %+v", v)
	}
	for _, line := range [][]string{{"version"}, {"--version"}} {
		if status, words, _ := invoke(t, line...); status != 0 || !strings.HasPrefix(words, "carina "+v.Version) || !strings.Contains(words, v.GoVersion) {
			t.Errorf("%v says %q", line, words)
		}
	}
}

// A log says how much time is left, by what was done since the stage began.
func TestLogsTellTheTimeLeft(t *testing.T) {
	begin := time.Now()
	for _, c := range []struct {
		calls []float64 // what was done at 0 s, 10 s, 20 s …
		want  string
	}{
		{[]float64{0}, ""},
		{[]float64{0, 0.0001}, ""},
		{[]float64{0, 0.5}, ", about 10 s left"},
		{[]float64{0.5, 0.75}, ", about 10 s left"},        // counted from where it began
		{[]float64{0, 0.9, 0.1, 0.2}, ", about 80 s left"}, // it counted anew
		{[]float64{0, 0.05}, ", about 3 min left"},
		{[]float64{0, 0.0025}, ", about 67 min left"},
		{[]float64{0, 0.00215, 0.0022}, ", about 3 h left"},
		{[]float64{0, 1}, ""},
	} {
		rest, got := remaining{about: "about"}, ""
		for i, done := range c.calls {
			got = rest.left(begin.Add(time.Duration(10*i)*time.Second), done)
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.calls, got, c.want)
		}
	}
}
