package workflow

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"carina"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/resultsfolder"
	"carina/output/picture"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
)

// steadyBalance is the difference of inflow and outflow above which users are
// told that the flow is not steady.
const steadyBalance = 0.01

// resultNames are the files of a folder of results besides those of each rank.
var resultNames = []string{"flow.pvtu", "cuboids.vtu", "flow.png", "pressure.png", "ranks.png", "history.png", "history.csv", "view.html", "summary.json"}

// names are the files that are going to be written.
func (r *results) names() []string {
	names := slices.DeleteFunc(slices.Clone(resultNames), func(name string) bool {
		return name == "history.png" && r.plan.Steps > 0 && r.plan.Steps <= observedEvery ||
			name == "view.html" && !r.hasPage()
	})
	for rank := range r.ranks {
		names = append(names, pieceName(rank))
	}
	if m := r.solver.made; m != nil {
		names = append(names, m.partitionFile())
	}
	return names
}

// finish writes what needs all ranks and puts the results into place. All ranks
// call it; rank 0 gets the solution, also where writing fails.
func (r *results) finish(summary *airflow.Summary, g gather) (*Solution, error) {
	var solution *Solution
	if r.target.rank() == 0 {
		solution = &Solution{Summary: summary, Steadiness: steadyWords(&r.solver.Case, summary), told: r.solver.told}
		r.warn(summary)
		if r.solver.Refine != nil && !summary.Interrupted {
			var err error
			if solution.Refinement, err = r.solver.Refine(summary); err != nil {
				summary.Warnings = append(summary.Warnings, fmt.Sprintf("no limit of finer spacings: %v", err))
			}
		}
	}
	if r.solver.Folder == "" {
		if solution != nil {
			solution.Provenance = r.solver.provenance(r.plan)
		}
		return solution, nil
	}
	var serving []string
	if solution != nil && r.writes() && r.failed == nil {
		var err error
		if serving, err = r.writeAll(solution, g.all()); err != nil {
			r.fail(err)
		}
	}
	r.unfinished.remove()
	files, err := r.target.conclude(r.failed, func(f *resultsfolder.Folder) ([]string, error) {
		keep := f.Among(append(serving, r.solver.inputs()...))
		return f.Commit(append(keep, neededGrids(r.solver.Folder, f.Old())...)...)
	})
	if err == nil && summary.Interrupted {
		err = fmt.Errorf("stopped by the user after step %d of the flow; what was reached is in %s, marked as interrupted", summary.Steps, r.solver.Folder)
	}
	if solution != nil {
		solution.Files = r.notable(files)
		if solution.Provenance == nil {
			solution.Provenance = r.solver.provenance(r.plan)
		}
	}
	return solution, err
}

// warn tells what is doubtful about a solution.
func (r *results) warn(summary *airflow.Summary) {
	if summary.Interrupted {
		summary.Warnings = append(summary.Warnings, fmt.Sprintf(
			"the computation was interrupted after step %d (%s): this is not the flow that was asked for", summary.Steps, quantity.Format(summary.Time, "s")))
	}
	if !r.solver.Case.Unsteady() && !(summary.MassBalance <= steadyBalance) {
		advice := "the flow is not steady, compute a longer time"
		if summary.Steady != nil && *summary.Steady {
			advice = "choose a smaller spacing, since the flow does not change any more"
		}
		summary.Warnings = append(summary.Warnings, fmt.Sprintf("inflow and outflow differ by %.3g %%: %s", 100*summary.MassBalance, advice))
	}
	if words := geometry.DoubtWords(r.solver.Grid.Openings); words != "" {
		summary.Warnings = append(summary.Warnings, words)
	}
	if words := doubtTime(r.plan.Time, summary); words != "" && r.solver.Case.Time != "" {
		summary.Warnings = append(summary.Warnings, words)
	}
	summary.Warnings = append(summary.Warnings, doubtFlow(&r.solver.Case, summary)...)
	if enclosed := r.solver.Grid.Enclosed; enclosed > 0 && r.solver.made == nil { // else it is among the notes of the grid
		summary.Warnings = append(summary.Warnings, doubtVolume(enclosed, r.solver.volume())...)
	}
}

// writeAll writes the files besides those of each rank, and returns a file that
// is there already and belongs to them.
func (r *results) writeAll(solution *Solution, payloads [][]byte) (serving []string, err error) {
	summary := solution.Summary
	if r.solver.made != nil {
		grid, err := r.writePartition()
		if err != nil {
			return nil, err
		}
		if grid != "" {
			serving = append(serving, grid)
		}
	}
	solution.Provenance = r.solver.provenance(r.plan)
	composites, err := r.composites(payloads)
	if err != nil {
		return nil, err
	}
	for _, w := range []struct {
		name  string
		write func(path string) error
	}{
		{"flow.pvtu", func(path string) error { return r.writePVTU(path, summary.Time) }},
		{"cuboids.vtu", r.writeCuboids},
		{"flow.png", func(path string) error { return picture.WriteFlow(path, composites, r.flowPicture(summary, false)) }},
		{"pressure.png", func(path string) error { return picture.WriteFlow(path, composites, r.flowPicture(summary, true)) }},
		{"ranks.png", func(path string) error { return picture.WriteRanks(path, composites, r.ranksPicture(summary)) }},
		{"history.png", func(path string) error { return r.writeHistory(path, summary) }},
		{"history.csv", func(path string) error { return picture.WriteHistoryTable(path, r.history.chart(summary)) }},
		{"view.html", func(path string) error { return r.writePage(path, summary) }},
		{"summary.json", func(path string) error { return WriteJSON(path, solution.Record()) }},
	} {
		if err := w.write(r.path(w.name)); err != nil {
			return nil, err
		}
	}
	return serving, nil
}

// notable are the files that users are told of: all but those of each rank.
func (r *results) notable(files []string) []string {
	pieces := map[string]bool{}
	for rank := range r.ranks {
		pieces[pieceName(rank)] = true
	}
	return slices.DeleteFunc(files, func(path string) bool { return pieces[filepath.Base(path)] })
}

// abandon ends after a failure. The last good fields of a flow that has diverged
// are put beside the results that are there.
func (r *results) abandon(cause error) error {
	r.unfinished.remove()
	var diverged *airflow.DivergedError
	hasDiverged := errors.As(cause, &diverged)
	if hasDiverged {
		r.solver.locate(diverged)
	}
	if !hasDiverged || r.solver.Folder == "" {
		r.target.close()
		return cause
	}
	files, err := r.target.conclude(r.failed, func(f *resultsfolder.Folder) ([]string, error) { return f.Add(isDiverged, true) })
	if err != nil {
		return fmt.Errorf("%w; its last good fields are lost: %w", cause, err)
	}
	if len(files) > 0 {
		return fmt.Errorf("%w; its last good fields are in %s", cause, filepath.Join(r.solver.Folder, "diverged_*.vtu"))
	}
	return cause
}

// locate gives the place where a flow has diverged the unit of the surface.
func (s *Solver) locate(e *airflow.DivergedError) {
	if s.Partition == nil {
		return
	}
	source := &s.Partition.Source
	if source.Surface != nil {
		source = source.Surface
	}
	if unit, err := geometry.ParseUnit(source.Unit); err == nil {
		e.Unit, e.UnitName = float64(unit), source.Unit
	}
}

// Check finds the mistakes in a case that can be found before its surface is
// read, so that nobody waits for them.
func Check(c *carina.Case) error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := CheckFolder(c.Output); err != nil {
		return err
	}
	if c.Device == carina.GPU {
		if err := device.Start(); err != nil {
			return err
		}
	}
	return nil
}

// CheckFolder refuses a folder for results that is a file, or that another run is
// writing into, before any work is done.
func CheckFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // there is none yet
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file: name a folder for results", path)
	}
	return resultsfolder.Free(path)
}
