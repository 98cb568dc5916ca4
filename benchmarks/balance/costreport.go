package balancebench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"carina/balance"
)

// CostReport is what Cost measured.
type CostReport struct {
	Machine *balance.Machine
	// Fits says, case by case, how well the fitted costs tell the measured time.
	Fits []CostFit
}

// CostFit is one measured case beside what the fitted costs say of it.
type CostFit struct {
	Layout             balance.Layout
	BytesPerPopulation int
	Name               string
	Sample             balance.Sample
	// Fitted is the seconds of a step by the fitted costs.
	Fitted float64
}

// add notes the cases of one cost model.
func (r *CostReport) add(cost *balance.Cost, cases []balance.Case, samples []balance.Sample) {
	for i, s := range samples {
		r.Fits = append(r.Fits, CostFit{cost.Layout, cost.BytesPerPopulation, cases[i].Name, s, s.Fitted(cost)})
	}
}

// Write writes the machine file, machine.json, and machine.md with the same
// figures into a folder, and for every layout that was measured
// machine-LAYOUT.md with the measured times beside the fitted ones. Layouts that
// were not measured stay in a machine file of the same name that is there.
func (r *CostReport) Write(folder string) error {
	path := filepath.Join(folder, "machine.json")
	if err := r.keep(path); err != nil {
		return err
	}
	if err := r.Machine.WriteFile(path); err != nil {
		return err
	}
	text := &report{}
	text.printf("# What cells cost\n\nMeasured on: %s.\n\n", r.Machine.Description)
	var lines [][]string
	for _, c := range r.Machine.Costs {
		lines = append(lines, []string{string(c.Layout), fmt.Sprint(c.BytesPerPopulation), nano(c.Fluid), nano(c.Boundary), nano(c.Opening), nano(c.Empty), nano(c.Lane), nano(c.Cuboid), nano(1e3 * c.CopyPerByte), nano(1e3 * c.Inside.SecondsPerByte), nano(1e3 * c.Between.SecondsPerByte)})
	}
	text.table("Fitted costs: the sparse and the dense layout with the solver's own kernels and interpolated walls, the plain one with a simple kernel that streams every cell of a cuboid, as OpenLB did for the source",
		[]string{"layout", "bytes a population", "fluid ns", "boundary ns", "opening ns", "empty ns", "lane ns", "cuboid ns", "copy ns/kB", "sent in a host ns/kB", "sent to another host ns/kB"}, lines)
	text.sizeFactors(r.Machine.Costs)
	for _, layout := range balance.Layouts {
		name := fmt.Sprintf("machine-%s.md", layout)
		if err := r.writeFits(filepath.Join(folder, name), layout); err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			text.printf("- [measured cases of the %s layout](%s)\n", layout, name)
		}
	}
	return text.write(filepath.Join(folder, "machine.md"))
}

// keep takes over from an earlier machine file of the same name the layouts
// that were not measured.
func (r *CostReport) keep(path string) error {
	earlier, err := balance.ReadMachine(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case earlier.Name != r.Machine.Name:
		return nil
	}
	var all []balance.Cost
	for _, layout := range balance.Layouts {
		of := func(list []balance.Cost) (some []balance.Cost) {
			for _, c := range list {
				if c.Layout == layout {
					some = append(some, c)
				}
			}
			return some
		}
		if fresh := of(r.Machine.Costs); len(fresh) > 0 {
			all = append(all, fresh...)
		} else {
			all = append(all, of(earlier.Costs)...)
		}
	}
	r.Machine.Costs, r.Machine.Speeds = all, earlier.Speeds
	return nil
}

// writeFits writes the measured cases of a layout, if there are any.
func (r *CostReport) writeFits(path string, layout balance.Layout) error {
	text := &report{}
	text.printf("# What cells cost: the %s layout\n\nMeasured on: %s.\n\n", layout, r.Machine.Description)
	var lines [][]string
	for _, f := range r.Fits {
		if f.Layout != layout {
			continue
		}
		n := f.Sample.Counts
		share := func(part int64) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(n.Fluid)) }
		lines = append(lines, []string{fmt.Sprint(f.BytesPerPopulation), f.Name, fmt.Sprint(n.Fluid), share(n.Boundary), share(n.Opening), share(n.Empty), share(n.Passed), share(n.Lanes), fmt.Sprint(f.Sample.Cuboids),
			fmt.Sprintf("%.2f", 1e9*f.Sample.Seconds/float64(n.Fluid)), fmt.Sprintf("%.2f", 1e9*f.Fitted/float64(n.Fluid)), gain(f.Fitted, f.Sample.Seconds)})
	}
	if len(lines) == 0 {
		return nil
	}
	text.table("Measured cases: nanoseconds of a step for each fluid cell, and what the fitted costs make of them",
		[]string{"bytes a population", "case", "fluid cells", "boundary", "opening", "empty", "passed over", "lanes without fluid", "cuboids", "measured ns", "fitted ns", "fitted − measured"}, lines)
	return text.write(path)
}

// sizeFactors tells how the costs depend on the cells that a rank holds.
func (r *report) sizeFactors(costs []balance.Cost) {
	var lines [][]string
	for _, c := range costs {
		for _, h := range c.BySize {
			lines = append(lines, []string{string(c.Layout), fmt.Sprint(c.BytesPerPopulation), fmt.Sprint(h.Cells), fmt.Sprintf("%.3f", h.Factor), fmt.Sprintf("%.3f", h.Empty), fmt.Sprintf("%.3f", h.PackingFactor())})
		}
	}
	r.table("Costs where a rank holds fewer cells, which are in caches then: factors of fluid cells as such, cuboids and copies, of empty cells, and of packing for messages with what cells next to other ranks lose",
		[]string{"layout", "bytes a population", "cells of a rank, empty ones that are computed included", "factor", "of empty cells", "of packing"}, lines)
}
