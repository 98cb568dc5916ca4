package balancebench

import (
	"fmt"
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
		one := *cost
		one.Cuboid = 0
		fitted := one.Seconds(s.Counts) + cost.Cuboid*float64(s.Cuboids) + cost.CopyPerByte*float64(s.CopiedBytes)
		r.Fits = append(r.Fits, CostFit{cost.Layout, cost.BytesPerPopulation, cases[i].Name, s, fitted})
	}
}

// Write writes machine.json, and machine.md with the measured times beside the
// fitted ones, into a folder.
func (r *CostReport) Write(folder string) error {
	if err := r.Machine.WriteFile(filepath.Join(folder, "machine.json")); err != nil {
		return err
	}
	text := &report{}
	text.printf("# What cells cost\n\nMeasured on: %s.\n\n", r.Machine.Description)
	var lines [][]string
	for _, c := range r.Machine.Costs {
		lines = append(lines, []string{string(c.Layout), fmt.Sprint(c.BytesPerPopulation), nano(c.Fluid), nano(c.Boundary), nano(c.Opening), nano(c.Empty), nano(c.Cuboid), nano(1e3 * c.CopyPerByte), nano(1e3 * c.Inside.SecondsPerByte), nano(1e3 * c.Between.SecondsPerByte)})
	}
	text.table("Fitted costs: the sparse layout with the solver's own kernels and interpolated walls, the dense one with a plain kernel that streams empty cells too",
		[]string{"layout", "bytes a population", "fluid ns", "boundary ns", "opening ns", "empty ns", "cuboid ns", "copy ns/kB", "sent in a host ns/kB", "sent to another host ns/kB"}, lines)
	lines = nil
	for _, f := range r.Fits {
		n := f.Sample.Counts
		share := func(part int64) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(n.Fluid)) }
		lines = append(lines, []string{string(f.Layout), fmt.Sprint(f.BytesPerPopulation), f.Name, fmt.Sprint(n.Fluid), share(n.Boundary), share(n.Opening), share(n.Empty), fmt.Sprint(f.Sample.Cuboids),
			fmt.Sprintf("%.1f", 1e9*f.Sample.Seconds/float64(n.Fluid)), fmt.Sprintf("%.1f", 1e9*f.Fitted/float64(n.Fluid)), gain(f.Fitted, f.Sample.Seconds)})
	}
	text.table("Measured cases: nanoseconds of a step for each fluid cell, and what the fitted costs make of them",
		[]string{"layout", "bytes a population", "case", "fluid cells", "boundary", "opening", "empty", "cuboids", "measured ns", "fitted ns", "fitted − measured"}, lines)
	return text.write(filepath.Join(folder, "machine.md"))
}
