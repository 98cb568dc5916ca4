package carina

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"time"

	"carina/balance"
	"carina/internal/machine"
)

// Provenance says what a result was computed by and from.
type Provenance struct {
	Program
	// Build tells programs apart also where the commit is not known.
	Build string `json:"program"`

	Started time.Time `json:"started"`
	Command []string  `json:"command"`
	// Case is what users have said, in the keys of a case file.
	Case map[string]any `json:"case"`
	// Steps, Time and Tolerance are when the computation was to end.
	Steps     int64   `json:"steps_wanted,omitempty"`
	Time      float64 `json:"time_wanted_s,omitempty"`
	Tolerance float64 `json:"tolerance,omitempty"`

	// Files that the result depends on, with their hashes, as far as they are
	// known.
	CaseFile  *balance.Source `json:"case_file,omitempty"`
	Surface   *balance.Source `json:"surface,omitempty"`
	Grid      *balance.Source `json:"grid,omitempty"`
	Partition *balance.Source `json:"partition,omitempty"`
	// VolumeExcess is by which part the cells hold more than the surface encloses,
	// where that is known.
	VolumeExcess *float64 `json:"volume_excess,omitempty"`
	// GridNotes say what was mended, dropped or doubtful in the making of the grid.
	GridNotes []string `json:"grid_notes,omitempty"`
}

// started is when the program was.
var started = time.Now()

// Program says which program this is.
type Program struct {
	// Version is that of the program, Commit the state of its source, Modified
	// tells that the source was changed since.
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

// ProgramOf is the program that runs.
func ProgramOf() Program {
	p := Program{Version: "(devel)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	if v := info.Main.Version; v != "" {
		p.Version = v
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			p.Commit = setting.Value
		case "vcs.modified":
			p.Modified = setting.Value == "true"
		}
	}
	return p
}

// Words says the same in a line, with what the program was built by and for.
func (p Program) Words() string {
	words := "carina " + p.Version
	if p.Commit != "" {
		words += ", commit " + p.Commit
	}
	if p.Modified {
		words += ", changed since"
	}
	return fmt.Sprintf("%s, %s, %s/%s", words, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// provenance is that of a computation. The partition file is one of the new results,
// where it was made for them, or else the one that was read.
func (f *Flow) provenance(partitionFile string) *Provenance {
	plan := &f.job.Plan
	p := &Provenance{Program: ProgramOf(), Build: machine.Build(), Started: started.UTC().Truncate(time.Second), Command: os.Args,
		Case: said(reflect.ValueOf(f.from.c)).(map[string]any), Steps: plan.Steps, Time: plan.Time, Tolerance: plan.Tolerance,
		CaseFile: hashed(f.from.c.File()), Partition: hashed(cmp.Or(partitionFile, f.from.partitionFile))}
	p.VolumeExcess, _ = CompareVolumes(f.from.grid.Enclosed, f.volume())
	if f.from.made != nil {
		p.GridNotes = f.from.made.Report.Notes
	}
	if source := f.from.partition.Source; source.SHA256 != "" {
		p.Surface, source.Surface = source.Surface, nil
		p.Grid = &source
	}
	return p
}

// hashed is a file with its hash, nil where it cannot be read.
func hashed(path string) *balance.Source {
	if path == "" {
		return nil
	}
	source, err := balance.SourceOf(path, "")
	if err != nil {
		return nil
	}
	return &source
}

// said are the fields of a case that are not zero, by their keys.
func said(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		fields := map[string]any{}
		for _, field := range reflect.VisibleFields(v.Type()) {
			if value := v.FieldByIndex(field.Index); field.Tag.Get("yaml") != "" && !value.IsZero() {
				fields[field.Tag.Get("yaml")] = said(value)
			}
		}
		return fields
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = said(v.Index(i))
		}
		return list
	}
	if d, ok := v.Interface().(time.Duration); ok {
		return d.String()
	}
	return v.Interface()
}
