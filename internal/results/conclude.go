package results

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"carina/internal/atomicfile"
	"carina/internal/resultsfolder"
	"carina/output/picture"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
)

// resultNames are the files of a folder of results besides those of each rank.
var resultNames = []string{"flow.pvtu", "cuboids.vtu", "flow.png", "pressure.png", "ranks.png", "history.png", "history.csv", "balance.png", "balance.csv", "view.html", "summary.json", "branches.csv", "lobes.csv", "openings.csv", "branches.vtp", "wall.vtp", "wallshear.png", "slices.png", "spectra.csv", "report.html"}

// ofAllCells are those that need the fields of all cells in one place, ofBranches those of
// them that need two openings, ofWall those that need the surface.
var (
	ofAllCells = []string{"view.html", "slices.png", "branches.csv", "lobes.csv", "openings.csv", "branches.vtp", "wall.vtp", "wallshear.png"}
	ofBranches = []string{"slices.png", "branches.csv", "lobes.csv", "openings.csv", "branches.vtp", "wall.vtp", "wallshear.png"}
	ofWall     = []string{"wall.vtp", "wallshear.png"}
)

// names are the files that are going to be written.
func (r *Results) names() []string {
	names := slices.DeleteFunc(slices.Clone(resultNames), func(name string) bool {
		return name == "history.png" && r.of.Instant ||
			(name == "balance.png" || name == "balance.csv") && r.of.Looks == nil ||
			slices.Contains(ofAllCells, name) && !r.HasPage() || slices.Contains(ofBranches, name) && len(r.of.Grid.Openings) < 2 ||
			name == "spectra.csv" && len(r.of.Series.Probes) == 0 ||
			name == "lobes.csv" && len(r.of.Lobes) == 0 ||
			slices.Contains(ofWall, name) && r.of.Surface == nil
	})
	for rank := range r.ranks {
		names = append(names, pieceName(rank))
	}
	names = append(names, r.statisticsNames()...)
	if m := r.of.Made; m != nil {
		names = append(names, m.partitionFile())
	}
	return names
}

// Finish writes what needs all ranks and puts the results into place. All ranks call it.
// Record is called on rank 0 with the path of the partition file among the results, empty
// where there is none, for what is to be written as summary.json. Finish returns, on rank
// 0, the files that users are told of.
func (r *Results) Finish(summary *airflow.Summary, record func(partitionFile string) any) (files []string, err error) {
	var serving []string
	if r.target.rank() == 0 && r.writes() && r.failed == nil {
		if serving, err = r.writeAll(summary, record); err != nil {
			r.fail(err)
		}
	}
	files, err = r.target.Conclude(r.failed, func(f *resultsfolder.Folder) ([]string, error) {
		keep := f.Among(append(serving, r.of.Inputs...))
		files, err := f.Commit(append(keep, neededGrids(r.of.Folder, f.Old())...)...)
		r.unfinished.remove() // while the folder is this run's alone
		return files, err
	})
	r.unfinished.remove()
	files = r.notable(files)
	if f := r.following; f != nil && f.folder != nil && files != nil {
		files = append(files, f.folder.Files()...)
	}
	return files, err
}

// writeAll writes the files besides those of each rank, and returns a file that
// is there already and belongs to them.
func (r *Results) writeAll(summary *airflow.Summary, record func(string) any) (serving []string, err error) {
	partitionFile := ""
	if r.of.Made != nil {
		grid, err := r.writePartition()
		if err != nil {
			return nil, err
		}
		if grid != "" {
			serving = append(serving, grid)
		}
		partitionFile = r.path(r.of.Made.partitionFile())
	}
	r.answer(summary)
	r.showMoved()
	if err := r.writeStatistics(summary); err != nil {
		return nil, err
	}
	recorded := record(partitionFile)
	composites, err := r.composites()
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
		{"balance.png", func(path string) error { return r.ofLooks(path, (*Looks).WritePicture) }},
		{"balance.csv", func(path string) error { return r.ofLooks(path, (*Looks).WriteTable) }},
		{"view.html", func(path string) error { return r.writePage(path, summary) }},
		{"summary.json", func(path string) error { return atomicfile.WriteJSON(path, recorded) }},
		{"branches.csv", func(path string) error {
			return r.writeTable(path, func(a *answers.Answers, w io.Writer) error { return a.Tree.WriteCSV(w, a.Columns()...) })
		}},
		{"lobes.csv", func(path string) error {
			if len(r.of.Lobes) == 0 {
				return nil
			}
			return r.writeTable(path, (*answers.Answers).WriteLobes)
		}},
		{"openings.csv", func(path string) error { return r.writeTable(path, (*answers.Answers).WriteEnds) }},
		{"branches.vtp", r.writeBranchLines},
		{"wall.vtp", r.writeWall},
		{"wallshear.png", r.drawWall},
		{"slices.png", r.drawSlices},
		{"spectra.csv", func(path string) error {
			from := summary.Time / 2
			if s := summary.Statistics; s != nil {
				from = s.From
			}
			return r.writeSpectra(path, from)
		}},
		{"report.html", func(path string) error { return r.writeReport(path, summary, recorded) }},
	} {
		if err := w.write(r.path(w.name)); err != nil {
			return nil, err
		}
	}
	return serving, nil
}

// ofLooks writes what is known of the balance, if it was looked at.
func (r *Results) ofLooks(path string, write func(*Looks, string) error) error {
	if r.of.Looks == nil {
		return nil
	}
	return write(r.of.Looks, path)
}

// notable are the files that users are told of: all but those of each rank.
func (r *Results) notable(files []string) []string {
	pieces := map[string]bool{}
	for rank := range r.ranks {
		pieces[pieceName(rank)], pieces[fmt.Sprintf(statisticsPiece, rank)] = true, true
		for k := range r.of.Phases {
			pieces[fmt.Sprintf(phasePiece, k, rank)], pieces[fmt.Sprintf(phaseFile, k)] = true, true
		}
	}
	return slices.DeleteFunc(files, func(path string) bool { return pieces[filepath.Base(path)] })
}

// Abandon ends after a failure, on all ranks. The last good fields of a flow that has
// diverged are put beside the results that are there.
func (r *Results) Abandon(cause error) error {
	r.unfinished.remove()
	if !errors.As(cause, new(*airflow.DivergedError)) {
		r.target.Close()
		return cause
	}
	files, err := r.target.Conclude(r.failed, func(f *resultsfolder.Folder) ([]string, error) { return f.Add(isDiverged, true) })
	if err != nil {
		return fmt.Errorf("%w; its last good fields are lost: %w", cause, err)
	}
	if len(files) > 0 {
		return fmt.Errorf("%w; its last good fields are in %s", cause, filepath.Join(r.of.Folder, "diverged_*.vtu"))
	}
	return cause
}
