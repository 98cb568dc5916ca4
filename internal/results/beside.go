package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/resultsfolder"
	"carina/solver"
	"carina/solver/share"
)

// Made are a grid and its partition that were made and are to be written.
type Made struct {
	// Name is that of both files, without the ending.
	Name string
	Grid *geometry.Grid
	// Source is the surface that the grid was made from, or the grid file.
	Source balance.Source
	// File is the grid file that the grid was read from; empty where it was made.
	File string
}

// Plainly takes dots from the front of the name where results cannot have it.
func (m *Made) Plainly() {
	if !resultsfolder.Plain(m.gridFile()) || !resultsfolder.Plain(m.partitionFile()) {
		m.Name = strings.TrimLeft(m.Name, ".")
	}
}

// SourceOfGrid describes the grid file at a path and, where it is known, the surface.
func (m *Made) SourceOfGrid(path string) (balance.Source, error) {
	source, err := balance.SourceOf(path, "")
	source.Axes = m.Source.Axes
	if m.File == "" && m.Source.SHA256 != "" {
		source.Surface = &balance.Source{File: m.Source.File, SHA256: m.Source.SHA256, Unit: m.Source.Unit}
	}
	return source, err
}

// LiesBeside tells whether the grid was read from the folder of a file.
func (m *Made) LiesBeside(path string) bool {
	first, err1 := filepath.Abs(filepath.Dir(m.File))
	second, err2 := filepath.Abs(filepath.Dir(path))
	return m.File != "" && err1 == nil && err2 == nil && first == second
}

func (m *Made) partitionFile() string { return m.Name + ".part.json" }

func (m *Made) gridFile() string { return m.Name + ".grid" }

// writePartition writes the grid and the partition file among the new results.
// It returns the grid's path where one that is there serves.
func (r *Results) writePartition() (grid string, err error) {
	m, p, folder := r.of.Made, r.of.Partition, r.of.Folder
	grid, there, err := m.placeGrid(folder, r.target.folder.Old())
	if err != nil {
		return "", err
	}
	at := resultsfolder.Hidden(folder, filepath.Base(grid))
	if there {
		at = grid
	}
	if p.Source, err = m.SourceOfGrid(at); err != nil {
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
func (m *Made) placeGrid(folder string, old []string) (path string, there bool, err error) {
	if m.LiesBeside(filepath.Join(folder, m.Name)) {
		return m.File, true, nil
	}
	fresh, path := resultsfolder.Hidden(folder, m.gridFile()), filepath.Join(folder, m.gridFile())
	if err := geometry.WriteGrid(fresh, m.Grid); err != nil {
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

// WriteShares writes a partition file, its grid and the share files of all ranks beside
// it. All files come at once when they are complete, or none does.
func WriteShares(path string, p *balance.Partition, m Made) (err error) {
	if len(p.Ranks) == 1 {
		return errors.New("one rank has no share of its own: leave --shares out or give more --ranks")
	}
	if !resultsfolder.Plain(filepath.Base(path)) {
		return fmt.Errorf("a partition file cannot be called %s: give it another name", filepath.Base(path))
	}
	folder := filepath.Dir(path)
	f, err := resultsfolder.Open(folder, "")
	if err != nil {
		return err
	}
	// What was not moved into place goes with the hidden folder.
	defer func() { err = errors.Join(err, f.Close()) }()
	hidden := func(name string) string { return resultsfolder.Hidden(folder, filepath.Base(name)) }
	m.Name = filepath.Base(balance.Stem(path))
	grid, there, err := m.placeGrid(folder, nil)
	if err != nil {
		return err
	}
	if !there {
		grid = hidden(grid)
	}
	if p.Source, err = m.SourceOfGrid(grid); err != nil {
		return err
	}
	if err := p.WriteFile(hidden(path)); err != nil {
		return err
	}
	domain, err := solver.NewDomain(m.Grid, p)
	if err != nil {
		return err
	}
	for rank := range domain.Ranks {
		if err := share.Write(hidden(share.Path(path, rank)), domain, rank, p); err != nil {
			return err
		}
	}
	// What the command names and earlier shares are replaced, and nothing else.
	_, err = f.Add(func(there string) bool { return filepath.Base(there) == filepath.Base(path) || share.Is(there) }, false)
	return err
}
