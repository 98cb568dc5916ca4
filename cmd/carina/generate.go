package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/terminal"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/spatial/r3"
)

// generateFlags are the options of all kinds of geometry together.
type generateFlags struct {
	output, unit          string
	diameter, length      string
	rule                  string
	generations, segments int
	seed                  uint64
}

// generators makes each kind of geometry from the flags.
var generators = []struct {
	kind, does string
	flags      []string // that mean something for it
	make       func(f *generateFlags, diameter, length float64) (*geometry.Surface, []geometry.Opening, error)
}{
	{"airway", "a branching tree of airways", []string{"rule", "generations", "seed", "diameter", "length", "segments"}, func(f *generateFlags, diameter, length float64) (*geometry.Surface, []geometry.Opening, error) {
		return generate.Airway(generate.AirwayOptions{Rule: generate.Rule(f.rule), Generations: f.generations,
			Seed: f.seed, Diameter: diameter, Length: length, Segments: f.segments})
	}},
	{"bifurcation", "the trachea and two main bronchi", []string{"diameter", "segments"}, func(f *generateFlags, diameter, _ float64) (*geometry.Surface, []geometry.Opening, error) {
		return generate.Bifurcation(generate.BifurcationOptions{Diameter: diameter, Segments: f.segments})
	}},
	{"bifurcation-large", "the same with one bronchus divided twice more", []string{"diameter", "segments"}, func(f *generateFlags, diameter, _ float64) (*geometry.Surface, []geometry.Opening, error) {
		return generate.BifurcationLarge(generate.BifurcationOptions{Diameter: diameter, Segments: f.segments})
	}},
	{"pipe", "a straight round pipe", []string{"diameter", "length", "segments"}, func(f *generateFlags, diameter, length float64) (*geometry.Surface, []geometry.Opening, error) {
		return generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: length, Segments: f.segments})
	}},
	{"nozzle", "the FDA's nozzle with a sudden expansion, of 12 mm and 4 mm", []string{"diameter", "length", "segments"}, func(f *generateFlags, diameter, length float64) (*geometry.Surface, []geometry.Opening, error) {
		return generate.Nozzle(generate.NozzleOptions{Diameter: diameter, Outlet: length, Segments: f.segments})
	}},
	{"cavity", "a closed cube", []string{"length"}, func(_ *generateFlags, _, length float64) (*geometry.Surface, []geometry.Opening, error) {
		var options generate.CavityOptions
		options.Size.X, options.Size.Y, options.Size.Z = length, length, length
		return generate.Cavity(options)
	}},
}

func newGenerate() *cobra.Command {
	var flags generateFlags
	var kinds, help []string
	for _, g := range generators {
		kinds = append(kinds, g.kind)
		help = append(help, fmt.Sprintf("  %-18s %s", g.kind, g.does))
	}
	command := &cobra.Command{
		Use:       "generate KIND -o FILE.stl",
		Short:     "Make a test geometry",
		Long:      "Make a closed surface with flat ends and write it as STL. The kinds are:\n\n" + strings.Join(help, "\n"),
		Example:   "  carina generate airway --generations 5 -o airway.stl",
		Args:      exactly("a kind of geometry"),
		ValidArgs: kinds,
		RunE: func(command *cobra.Command, arguments []string) error {
			return runGenerate(command, arguments[0], &flags)
		},
	}
	f := command.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the STL file to write")
	f.StringVar(&flags.unit, "unit", "mm", "unit of the file's coordinates")
	f.StringVar(&flags.diameter, "diameter", "", "diameter of the trachea or pipe (default 18mm) or of the nozzle's pipes (default 12mm)")
	f.StringVar(&flags.length, "length", "", "length of the trachea (default 120mm, less or more where its diameter is), of the pipe (default five diameters), of the nozzle behind its throat (default ten diameters) or of the cavity's sides (default 10mm)")
	f.StringVar(&flags.rule, "rule", "", "airway: weibel (symmetric) or kitaoka (uneven, by seed) (default weibel)")
	f.IntVar(&flags.generations, "generations", 0, "airway: generations below the trachea (default 4)")
	f.IntVar(&flags.segments, "segments", 0, "edges around the trachea, pipe or nozzle (default 64)")
	f.Uint64Var(&flags.seed, "seed", 0, "airway: seed of the kitaoka rule")
	return command
}

func runGenerate(command *cobra.Command, kind string, flags *generateFlags) error {
	if flags.output == "" {
		return usageError{errors.New("say where to write the surface, such as -o airway.stl")}
	}
	unit, err := geometry.ParseUnit(flags.unit)
	if err != nil {
		return err
	}
	var lengths [2]float64
	for i, text := range []string{flags.diameter, flags.length} {
		if text == "" {
			continue
		}
		if lengths[i], err = quantity.Length.ParsePositive(text); err != nil {
			return err
		}
	}
	if err := refuseZeros(command, "generations", "segments"); err != nil {
		return err
	}
	for _, g := range generators {
		if g.kind != kind {
			continue
		}
		if err := onlyFlags(command, "the kind "+kind, append([]string{"output", "unit"}, g.flags...)...); err != nil {
			return err
		}
		if command.Flags().Changed("seed") && generate.Rule(flags.rule) != generate.Kitaoka {
			return usageError{errors.New("--seed is for --rule kitaoka: leave it out, or choose that rule")}
		}
		made, err := interruptible(command.Context(), func() (generatedSurface, error) {
			surface, openings, err := g.make(flags, lengths[0], lengths[1])
			return generatedSurface{surface, openings}, err
		})
		if err != nil {
			return err
		}
		return made.write(command, flags.output, unit)
	}
	return usageError{fmt.Errorf("there is no geometry %q to generate: choose one of %s", kind, strings.Join(command.ValidArgs, ", "))}
}

// generatedSurface is a surface with its flat ends.
type generatedSurface struct {
	surface  *geometry.Surface
	openings []geometry.Opening
}

func (g *generatedSurface) write(command *cobra.Command, path string, unit geometry.Unit) error {
	const smallest, largest = 1e-6, 1e6 // m
	low, high := g.surface.Bounds()
	if size := r3.Sub(high, low); !(min(size.X, size.Y, size.Z) >= smallest) || !(max(size.X, size.Y, size.Z) <= largest) {
		return fmt.Errorf("the surface would be %.3g × %.3g × %.3g m, which cannot be meant: choose a diameter and a length from 1um to 1000km", size.X, size.Y, size.Z)
	}
	err := atomicfile.Write(path, func(w io.Writer) error {
		buffer := bufio.NewWriter(w)
		if err := geometry.WriteSTL(buffer, g.surface, unit); err != nil {
			return err
		}
		return buffer.Flush()
	})
	if err != nil {
		return err
	}
	result := struct {
		File      string  `json:"file"`
		Unit      string  `json:"unit"`
		Triangles int     `json:"triangles"`
		VolumeM3  float64 `json:"volume_m3"`
		AreaM2    float64 `json:"area_m2"`
		Openings  int     `json:"openings"`
	}{path, unit.String(), len(g.surface.Triangles), g.surface.Volume(), g.surface.Area(), len(g.openings)}
	return printResult(command, result, func() string {
		return fmt.Sprintf("wrote %s: %d triangles in %s, %s, %s\n",
			terminal.Line(path), result.Triangles, result.Unit, quantity.FormatVolume(result.VolumeM3), quantity.Count(result.Openings, "flat end"))
	})
}
