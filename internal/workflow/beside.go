package workflow

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/resultsfolder"
)

// made are a grid and its partition that are to be written with the results.
type made struct {
	// name is that of both files, without the ending.
	name    string
	gridded *Gridded
}

// KeepMade lets the results hold the grid and the partition file too, named
// after the surface, without dots in front where results cannot have its name.
func (s *Solver) KeepMade(name string, g *Gridded) {
	s.made = &made{name, g}
	if !resultsfolder.Plain(s.made.gridFile()) || !resultsfolder.Plain(s.made.partitionFile()) {
		s.made.name = strings.TrimLeft(name, ".")
	}
}

func (m *made) partitionFile() string { return m.name + ".part.json" }

func (m *made) gridFile() string { return m.name + ".grid" }

// writePartition writes the grid and the partition file among the new results.
// It returns the grid's path where one that is there serves.
func (r *results) writePartition() (grid string, err error) {
	m, p, folder := r.solver.made, r.solver.Partition, r.solver.Folder
	grid, there, err := m.placeGrid(folder, r.solver.Case.Surface, r.target.folder.Old())
	if err != nil {
		return "", err
	}
	at := resultsfolder.Hidden(folder, filepath.Base(grid))
	if there {
		at = grid
	}
	if p.Source, err = m.gridded.sourceOfGrid(at); err != nil {
		return "", err
	}
	if !there {
		grid = ""
	}
	return grid, p.WriteFile(resultsfolder.Hidden(folder, m.partitionFile()))
}

// placeGrid writes the grid among the new results, unless it is in the folder
// already, and tells its path there. A grid of that name with other contents
// stays where it belongs to somebody, and the new one is named after its own.
func (m *made) placeGrid(folder, surface string, old []string) (path string, there bool, err error) {
	if m.gridded.FromGridFile && sameFolder(surface, filepath.Join(folder, m.name)) {
		return surface, true, nil
	}
	fresh, path := resultsfolder.Hidden(folder, m.gridFile()), filepath.Join(folder, m.gridFile())
	if err := geometry.WriteGrid(fresh, m.gridded.Grid); err != nil {
		return "", false, err
	}
	if slices.Contains(old, m.gridFile()) && !slices.Contains(neededGrids(folder, old), m.gridFile()) {
		return path, false, nil
	}
	own, err := balance.SourceOf(fresh, "")
	if err != nil {
		return "", false, err
	}
	path, there, err = atomicfile.Beside(path, own.SHA256)
	switch {
	case err != nil:
		return "", false, err
	case there:
		return path, true, os.Remove(fresh)
	}
	return path, false, os.Rename(fresh, resultsfolder.Hidden(folder, filepath.Base(path)))
}

// neededGrids are the grids that partition files in a folder name which do not
// belong to its results.
func neededGrids(folder string, old []string) []string {
	var grids []string
	for _, ending := range []string{".part.json", ".part.json.gz"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil
		}
		for _, entry := range entries {
			name := entry.Name()
			if !strings.HasSuffix(name, ending) || slices.Contains(old, name) || !entry.Type().IsRegular() {
				continue
			}
			if p, err := balance.ReadFile(filepath.Join(folder, name)); err == nil {
				grids = append(grids, filepath.Base(p.Source.File))
			}
		}
	}
	return grids
}
