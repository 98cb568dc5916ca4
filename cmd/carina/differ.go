package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"carina/balance"
	"carina/cmd/carina/report"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// notRead are flags whose files the command does not read, or may replace: the
// partition that a graph's starts from has been read by then.
var notRead = []string{"output", "picture", "calibrated", "out", "from", "journal"}

// refuseInputs refuses to write a file that the command line names as one to read,
// by this or another name.
func refuseInputs(command *cobra.Command, arguments []string) error {
	if command.Name() == "export" {
		return nil // it completes the names that it is given
	}
	inputs := slices.Clone(arguments)
	command.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(notRead, f.Name) {
			inputs = append(inputs, f.Value.String())
		}
	})
	for _, name := range []string{"output", "picture", "calibrated"} {
		if f := command.Flags().Lookup(name); f != nil && f.Value.String() != "" {
			if err := differ(f.Value.String(), inputs...); err != nil {
				return err
			}
		}
	}
	return nil
}

// outputs says what commands write to --output, and the ending of such a name.
var outputs = map[string]struct{ what, as, ending string }{
	"generate": {"surface", "STL", ".stl"}, "voxelize": {"grid", "a grid file", ".grid"}, "view": {"page", "HTML", ".html"},
	"partition": {"partition", "JSON", ".part.json"},
}

// formats are the endings of names that say what a file holds, and would say what is wrong.
var formats = []string{".stl", ".obj", ".ply", ".vtp", ".vtu", ".nii", ".gz", ".grid", ".png", ".csv", ".html", ".json", ".yaml", ".yml", ".graph", ".asc"}

// refuseEndings refuses an output whose name says that it is in another format.
func refuseEndings(command *cobra.Command) error {
	f, w := command.Flags().Lookup("output"), outputs[command.Name()]
	if f == nil || w.what == "" {
		return nil
	}
	name := f.Value.String()
	lower := strings.ToLower(name)
	ending := filepath.Ext(lower)
	own := filepath.Ext(w.ending)
	if ending == own || !slices.Contains(formats, ending) || own == ".json" && strings.HasSuffix(lower, ".json.gz") {
		return nil
	}
	stem := name[:len(name)-len(ending)]
	return usageError{fmt.Errorf("a %s is written as %s: give it a name such as %s", w.what, w.as, strings.TrimSuffix(stem, w.ending)+w.ending)}
}

// differ refuses an output that is one of the inputs, or the grid of a partition
// file among them. Some may not exist.
func differ(output string, inputs ...string) error {
	out, err := os.Stat(output)
	if err != nil {
		return nil
	}
	same := func(path string) bool {
		in, err := os.Stat(path)
		return err == nil && os.SameFile(in, out)
	}
	for _, input := range inputs {
		if same(input) {
			return fmt.Errorf("%s would be overwritten while it is read: choose another output", input)
		}
		if grid := gridOf(input); grid != "" && same(grid) {
			return fmt.Errorf("%s, the grid of %s, would be overwritten while it is read: choose another output", grid, input)
		}
	}
	return nil
}

// gridOf is the grid file that a partition file names; empty for other files.
func gridOf(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if kind, err := report.KindOf(path); err != nil || kind != report.Partition {
		return ""
	}
	p, err := balance.ReadFile(path)
	if err != nil || p.Source.File == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(path), filepath.Base(p.Source.File))
}
