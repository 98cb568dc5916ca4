package main

import (
	"fmt"
	"slices"
	"strings"

	"carina"
	"carina/balance"
	"carina/benchmarks/validate"
	"carina/gas"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/quantity"
	"carina/partition"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/airflow/opening"
	"carina/solver/cuda"
	"carina/water"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completer says what a word that has been begun may become: in which words, and
// what shells do with them.
type completer func(begun string) ([]string, cobra.ShellCompDirective)

// wordOf completes names.
func wordOf[T ~string](names ...T) completer {
	return func(begun string) (words []string, _ cobra.ShellCompDirective) {
		for _, name := range names {
			if strings.HasPrefix(string(name), begun) {
				words = append(words, string(name))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// after completes what follows the last of a mark, such as the last name of a list.
func after(mark string, first, next completer) completer {
	return func(begun string) ([]string, cobra.ShellCompDirective) {
		i := strings.LastIndex(begun, mark)
		if i < 0 {
			return first(begun)
		}
		stem := begun[:i+len(mark)]
		words, directive := next(begun[i+len(mark):])
		for i := range words {
			words[i] = stem + words[i]
		}
		return words, directive
	}
}

// wordsOf completes names that commas part.
func wordsOf[T ~string](names ...T) completer {
	return after(",", wordOf(names...), wordOf(names...))
}

// inUnits completes a number with its units, which are listed when it is asked.
func inUnits(units func() []string) completer {
	return func(begun string) (words []string, _ cobra.ShellCompDirective) {
		number := begun
		if i := strings.IndexFunc(begun, func(r rune) bool { return !strings.ContainsRune("0123456789.+-", r) }); i >= 0 {
			number = begun[:i]
		}
		if number != "" {
			for _, unit := range units() {
				if strings.HasPrefix(number+unit, begun) {
					words = append(words, number+unit)
				}
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// files completes names of files with these endings, all without any.
func files(endings ...string) completer {
	return func(string) ([]string, cobra.ShellCompDirective) {
		if len(endings) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return slices.Clone(endings), cobra.ShellCompDirectiveFilterFileExt
	}
}

func folders(string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// nothing completes what users alone know.
func nothing(string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// waveforms completes kinds of waveforms and what follows them.
func waveforms(begun string) ([]string, cobra.ShellCompDirective) {
	kind, _, named := strings.Cut(begun, ":")
	switch {
	case named && kind == "periodic":
		return files()(begun)
	case named:
		return after(":", nothing, inUnits(quantity.Time.Units))(begun)
	}
	return []string{"sine:", "breathing:", "periodic:"}, cobra.ShellCompDirectiveNoSpace
}

// decompositions completes a decomposition and the steps after it.
func decompositions(begun string) ([]string, cobra.ShellCompDirective) {
	first, next := balance.DecompositionNames()
	return after("+", wordOf(first...), wordOf(next...))(begun)
}

// roles completes the role of an opening behind its number.
func roles(begun string) ([]string, cobra.ShellCompDirective) {
	if begun != "" && strings.Trim(begun, "0123456789") == "" {
		begun += "="
	}
	return after("=", nothing, wordOf(geometry.Inlet, geometry.Outlet))(begun)
}

// edges completes a side and what lies beyond it.
func edges(begun string) ([]string, cobra.ShellCompDirective) {
	return after("=", wordOf(water.Sides...), wordOf(water.EdgeKinds...))(begun)
}

// groundFiles completes scenes, and files of heights and cases where none begins so.
func groundFiles(begun string) ([]string, cobra.ShellCompDirective) {
	if words, directive := wordOf(water.SceneNames()...)(begun); begun != "" && len(words) > 0 {
		return words, directive
	}
	return files("asc", "txt", "yaml", "yml")(begun)
}

// flagCompleters complete the values of flags by their names; those of flags that
// take numbers are left out. A name with a command before it goes first.
func flagCompleters() map[string]completer {
	length, times := inUnits(quantity.Length.Units), inUnits(quantity.Time.Units)
	kinds := func() []string {
		var names []string
		for _, e := range exporters {
			names = append(names, e.format)
		}
		return names
	}
	return map[string]completer{
		"unit":            wordOf(geometry.UnitNames()...),
		"axes":            wordOf(geometry.AxesNames...),
		"voxelizer":       wordOf(geometry.Methods...),
		"spacing":         length,
		"diameter":        length,
		"length":          length,
		"extend-openings": inUnits(func() []string { return append(quantity.Length.Units(), "D") }),
		"opening":         nothing,
		"role":            roles,
		"decompose":       decompositions,
		"balance":         wordOf(balance.BalancerNames()...),
		"preset":          wordOf(partition.PresetNames()...),
		"presets":         wordsOf(partition.PresetNames()...),
		"machine":         files("json"),
		"layout":          wordOf(airflow.Layouts...),
		"flow":            inUnits(quantity.Flow.Units),
		"viscosity":       inUnits(quantity.Viscosity.Units),
		"density":         inUnits(quantity.Density.Units),
		"profile":         wordOf(opening.Profiles...),
		"waveform":        waveforms,
		"collision":       wordOf(airflow.Collisions...),
		"lattice":         wordOf(airflow.Lattices...),
		"wall":            wordOf(airflow.Walls...),
		"precision":       wordOf(airflow.Precisions...),
		"device":          wordOf(carina.CPU, carina.GPU, "gpu+cpu", "gpu+host"),
		"gpu-memory":      inUnits(quantity.Bytes.Units),
		"storage":         wordOf(gpu.Single, gpu.Half),
		"exchange":        wordOf(cuda.IPC, cuda.Host),
		"time-step":       times,
		"time":            times,
		"time-limit":      times,
		"case":            files("yaml", "yml"),
		"out":             folders,
		"restart":         folders,
		"checkpoint":      wordsOf("10m", "every=", "end"),
		"output":          files(),
		"picture":         files("png"),
		"to":              wordOf(kinds()...),
		"rule":            wordOf(generate.Rules...),
		"objective":       wordOf(partition.ObjectiveNames()...),
		"targets":         files(),
		"fixed":           files(),
		"from":            files(),
		"topology":        nothing,
		"distances":       nothing,
		"name":            nothing,
		"names":           nothing,
		"graphs":          folders,
		"references":      folders,
		"journal":         files(),
		"surface":         files(surfaceEndings...),
		"tools":           wordsOf("fast", "eco", "strong", "memetic", "gpmetis", "scotch"),
		"geometry":        wordsOf("cavity", "bifurcation", "bifurcation-large", "airway"),

		"depth":    files("asc", "txt"),
		"level":    length,
		"wet":      length,
		"interval": times,
		"scheme":   wordOf(water.Schemes...),
		"edge":     edges,
		"gauge":    nothing,

		"exchange-every": wordOf("auto"),

		"water precision":      wordOf(water.Precisions...),
		"thermal precision":    wordOf(gas.Precisions...),
		"thermal collision":    wordOf(gas.Collisions...),
		"thermal cut":          wordOf(gas.Cuts...),
		"bench cost layout":    wordOf(balance.Layouts...),
		"bench balance layout": wordOf(balance.Layouts...),
		"bench validate cases": wordsOf(validate.Names()...),
		"bench gpu cases":      wordsOf("dense", "airway", "strong"),
		"bench gpu exchange":   wordsOf(cuda.IPC, cuda.Host),
	}
}

// surfaceEndings are those of names of surfaces.
var surfaceEndings = []string{"stl", "obj", "ply", "vtp", "nii", "gz"}

// argumentCompleters complete what stands behind a command.
var argumentCompleters = map[string]completer{
	"run":       files(append([]string{"yaml", "yml", "grid"}, surfaceEndings...)...),
	"init":      files(surfaceEndings...),
	"voxelize":  files(append([]string{"yaml", "yml"}, surfaceEndings...)...),
	"partition": files(append([]string{"yaml", "yml", "grid"}, surfaceEndings...)...),
	"solve":     files("json", "gz"),
	"water":     groundFiles,
	"thermal":   wordOf(gas.SceneNames()...),
	"inspect":   files(append([]string{"grid", "json", "graph"}, surfaceEndings...)...),
	"view":      files(append([]string{"grid", "json"}, surfaceEndings...)...),
	"export":    files("json", "gz"),
	"graph":     files("graph"),
}

// complete lets shells complete the flags and arguments of a command and of those
// below it.
func complete(command *cobra.Command) { completeWith(command, flagCompleters()) }

func completeWith(command *cobra.Command, completers map[string]completer) {
	path := strings.TrimPrefix(command.CommandPath(), "carina ")
	register := func(f *pflag.Flag) {
		by, known := completers[path+" "+f.Name]
		if !known {
			by, known = completers[f.Name]
		}
		switch kind := f.Value.Type(); {
		case kind == "bool":
			return
		case kind == "duration":
			by = inUnits(func() []string { return []string{"s", "m", "h", "ms"} })
		case !known || strings.HasPrefix(kind, "int"):
			by = nothing
		}
		// It fails for flags that are not there or known already.
		_ = command.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return by(begun)
		})
	}
	command.Flags().VisitAll(register)
	command.PersistentFlags().VisitAll(register)
	if by, known := argumentCompleters[path]; known {
		command.ValidArgsFunction = func(_ *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(given) > 0 {
				return nothing(begun)
			}
			return by(begun)
		}
	}
	for _, below := range command.Commands() {
		completeWith(below, completers)
	}
}

// refuseShells lets carina completion refuse shells that there are no scripts for.
func refuseShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, command := range root.Commands() {
		if command.Name() != "completion" {
			continue
		}
		command.Args = cobra.ArbitraryArgs
		command.RunE = func(command *cobra.Command, arguments []string) error {
			var shells []string
			for _, shell := range command.Commands() {
				shells = append(shells, shell.Name())
			}
			return usageError{fmt.Errorf("say for which shell: carina completion %s", quantity.Either(shells))}
		}
	}
}
