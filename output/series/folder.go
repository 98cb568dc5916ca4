package series

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"carina/output/vtk"
)

const (
	mark      = ".carina-series"
	markWords = "carina: files here grow while a flow is computed, and those of an earlier one go\n"
	collected = "fields.pvd"
)

// Folder is the folder of series of a computation.
type Folder struct {
	path   string
	tables []string
	fields []vtk.Snapshot
}

// fieldFile is the name of a file of fields: the step, and the rank of a piece.
var fieldFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^fields_(\d{9,})((_\d{4,})?\.p?vtu|\.vti)$`)
})

// FieldsName is the name of the file of fields after so many steps; of a rank's piece, or
// where rank is negative of what ties the pieces together.
func FieldsName(step int64, rank int) string {
	if rank < 0 {
		return fmt.Sprintf("fields_%09d.pvtu", step)
	}
	return fmt.Sprintf("fields_%09d_%04d.vtu", step, rank)
}

// Check says why a folder could not receive tables of these names.
func Check(path string, tables []string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the folder of series: %w", err)
	}
	ours := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == mark && e.Type().IsRegular() })
	for _, e := range entries {
		if e.Name() == mark && !ours {
			return fmt.Errorf("%s is no file: move it, or name another folder for results", filepath.Join(path, mark))
		}
		own := e.Name() == collected || slices.Contains(tables, e.Name()) || fieldFile().MatchString(e.Name())
		if own && (!ours || !e.Type().IsRegular()) {
			return fmt.Errorf("%s has the name of a series and was made by somebody else: move it, or name another folder for results", filepath.Join(path, e.Name()))
		}
	}
	return nil
}

// Open makes a folder ready for tables of these names, all that there may be. Where after
// is negative the computation begins, and series of an earlier one go; else it goes on
// after that step, and what lies behind goes.
func Open(path string, tables []string, after int64) (*Folder, error) {
	if err := Check(path, tables); err != nil {
		return nil, err
	}
	f := &Folder{path: path, tables: tables}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("the folder of series: %w", err)
	}
	if err := os.WriteFile(filepath.Join(path, mark), []byte(markWords), 0o666); err != nil {
		return nil, fmt.Errorf("the folder of series: %w", err)
	}
	if after < 0 {
		return f, f.clear()
	}
	if err := f.readFields(); err != nil {
		return nil, err
	}
	return f, f.cutFields(after)
}

// Path is where a file of the folder lies.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// clear removes the series of an earlier computation.
func (f *Folder) clear() error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return fmt.Errorf("the folder of series: %w", err)
	}
	for _, e := range entries {
		if e.Name() == collected || slices.Contains(f.tables, e.Name()) || fieldFile().MatchString(e.Name()) {
			if err := os.Remove(f.Path(e.Name())); err != nil {
				return fmt.Errorf("removing an earlier series: %w", err)
			}
		}
	}
	return nil
}

// readFields reads which fields were written.
func (f *Folder) readFields() error {
	data, err := os.ReadFile(f.Path(collected))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var file struct {
		List []struct {
			Time float64 `xml:"timestep,attr"`
			File string  `xml:"file,attr"`
		} `xml:"Collection>DataSet"`
	}
	if err == nil {
		err = xml.Unmarshal(data, &file)
	}
	if err != nil {
		return fmt.Errorf("reading %s to go on in it: %w", f.Path(collected), err)
	}
	for _, s := range file.List {
		if fieldFile().MatchString(s.File) {
			f.fields = append(f.fields, vtk.Snapshot{Time: s.Time, Path: f.Path(s.File)})
		}
	}
	return nil
}

// stepOf is the step of a file of fields.
func stepOf(path string) int64 {
	match := fieldFile().FindStringSubmatch(filepath.Base(path))
	if match == nil {
		return -1
	}
	step, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		return -1
	}
	return step
}

// cutFields removes the fields behind a step, and pieces that no list names.
func (f *Folder) cutFields(step int64) error {
	kept := slices.DeleteFunc(slices.Clone(f.fields), func(s vtk.Snapshot) bool { return stepOf(s.Path) > step })
	if len(kept) < len(f.fields) {
		f.fields = kept
		if err := f.list(); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return fmt.Errorf("the folder of series: %w", err)
	}
	for _, e := range entries {
		if fieldFile().MatchString(e.Name()) && stepOf(e.Name()) > step {
			if err := os.Remove(f.Path(e.Name())); err != nil {
				return fmt.Errorf("removing fields of a later step: %w", err)
			}
		}
	}
	return nil
}

// AddFields lists the fields after so many steps, at a time in seconds, when all pieces are
// written: write is given the path of the file that ties them together.
func (f *Folder) AddFields(step int64, seconds float64, write func(path string) error) error {
	return f.add(step, seconds, FieldsName(step, -1), write)
}

// AddImage writes and lists the fields of a box after so many steps.
func (f *Folder) AddImage(step int64, m *vtk.Image) error {
	return f.add(step, m.Time, fmt.Sprintf("fields_%09d.vti", step), func(path string) error { return vtk.WriteImage(path, m) })
}

func (f *Folder) add(step int64, seconds float64, name string, write func(path string) error) error {
	if n := len(f.fields); n > 0 && stepOf(f.fields[n-1].Path) >= step {
		if err := f.forgetFields(step); err != nil {
			return err
		}
	}
	path := f.Path(name)
	if err := write(path); err != nil {
		return err
	}
	f.fields = append(f.fields, vtk.Snapshot{Time: seconds, Path: path})
	return f.list()
}

// Fields are the moments of which fields were written, from the first on.
func (f *Folder) Fields() []vtk.Snapshot { return f.fields }

// forgetFields takes the fields from a step on from the list, and removes those of later
// steps: a flow that has gone back goes another way.
func (f *Folder) forgetFields(step int64) error {
	f.fields = slices.DeleteFunc(f.fields, func(s vtk.Snapshot) bool { return stepOf(s.Path) == step })
	return f.cutFields(step)
}

func (f *Folder) list() error {
	return vtk.WritePVD(f.Path(collected), f.fields)
}

// Files are those that there are now, but for pieces of ranks.
func (f *Folder) Files() []string {
	var files []string
	for _, name := range append(slices.Clone(f.tables), collected) {
		if _, err := os.Stat(f.Path(name)); err == nil {
			files = append(files, f.Path(name))
		}
	}
	return files
}

// sameHeading tells whether a line is a heading as csv writes it.
func sameHeading(line string, heading []string) bool {
	var w strings.Builder
	writeRow(&w, heading)
	return line == w.String()
}
