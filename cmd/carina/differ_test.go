package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a command reads it does not write, by whatever name: its own, a symbolic or
// a hard link.
func TestNoOutputTakesThePlaceOfAnInput(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	put := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return in(name)
	}
	surface := in("pipe.stl")
	if err := os.Rename(copied(t, generated(t, "pipe"), "pipe.stl"), surface); err != nil {
		t.Fatal(err)
	}
	part, grid := in("pipe.part.json"), in("pipe.grid")
	succeed[partitionResult](t, "partition", surface, "--spacing", "3mm", "--ranks", "2", "-o", part)
	ring, fixed, targets := put("ring.graph", ringOfEight), put("fixed", strings.Repeat("-1\n", 8)), put("targets", "1 1")
	wave := put("wave.csv", "0,1\n1,1\n")
	machine := put("machine.json", "{}")
	yaml := put("case.yaml", "surface: pipe.stl\nspacing: 3mm\nranks: 2\nwaveform: wave.csv\n")
	xml, vtu, graph := in("p.xml"), in("p.vtu"), in("p.graph")
	for _, name := range []string{xml, vtu, graph} {
		data, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		put(filepath.Base(name), string(data))
	}
	stem := in("p")
	for _, c := range []struct {
		input string // that would be overwritten
		line  []string
		after string // what the output's name ends with for the command
	}{
		{grid, []string{"view", part, "-o"}, ""},
		{part, []string{"view", part, "-o"}, ""},
		{grid, []string{"view", grid, "-o"}, ""},
		{grid, []string{"partition", grid, "--ranks", "2", "-o"}, ""},
		{surface, []string{"partition", yaml, "-o"}, ""},
		{yaml, []string{"partition", yaml, "-o"}, ""},
		{machine, []string{"partition", grid, "--ranks", "2", "--machine", machine, "-o"}, ""},
		{surface, []string{"voxelize", surface, "--spacing", "3mm", "-o"}, ""},
		{wave, []string{"voxelize", yaml, "-o"}, ""},
		{surface, []string{"voxelize", yaml, "-o"}, ""},
		{ring, []string{"graph", ring, "2", "-o"}, ""},
		{fixed, []string{"graph", ring, "2", "--fixed", fixed, "-o"}, ""},
		{targets, []string{"graph", ring, "2", "--targets", targets, "-o"}, ""},
		{surface, []string{"inspect", surface, "--picture"}, ".png"},
		{xml, []string{"export", xml, "--to", "openlb", "-o"}, ".xml"},
		{vtu, []string{"export", vtu, "--to", "vtk", "-o"}, ".vtu"},
		{grid, []string{"export", vtu, "--to", "vtk", "-o"}, ".vtu"},
		{graph, []string{"export", graph, "--to", "metis", "-o"}, ".graph"},
		{grid, []string{"export", part, "--to", "metis", "-o"}, ".graph.part.2"},
	} {
		outputs := map[string]string{}
		if c.after == "" || c.input == stem+c.after {
			outputs["itself"] = strings.TrimSuffix(c.input, c.after)
		}
		links := t.TempDir()
		soft, hard := filepath.Join(links, "soft"), filepath.Join(links, "hard")
		if err := os.Symlink(c.input, soft+c.after); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(c.input, hard+c.after); err != nil {
			t.Fatal(err)
		}
		outputs["a link"], outputs["a hard link"] = soft, hard
		for as, output := range outputs {
			if c.line[0] == "inspect" {
				output += c.after
			}
			before := stamps(t, folder)
			status, _, said := invoke(t, append(append([]string{}, c.line...), output)...)
			asInput := status == exitFailure && strings.Contains(said, "would be overwritten while it is read: choose another output")
			byEnding := status == exitUsage && strings.Contains(said, "give it a name such as")
			if !asInput && !byEnding {
				t.Errorf("%v with %s of %s: status %d, says %q", c.line, as, c.input, status, said)
			}
			unchanged(t, before, stamps(t, folder))
		}
	}
	// The partition that another starts from may be replaced by that.
	succeed[graphResult](t, "graph", ring, "2", "-o", in("ring.part"))
	succeed[graphResult](t, "graph", ring, "2", "--from", in("ring.part"), "-o", in("ring.part"))
}
