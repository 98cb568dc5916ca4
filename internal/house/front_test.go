package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// front is all that the front door and the commands behind it use of the solver
// and of GPUs, besides fields and methods of these.
var front = []string{
	"gpu.Backend", "cuda.Exchange", "cuda.Host", "cuda.IPC", "gpu.MemoryEstimate", "gpu.MemoryOf", "gpu.MemoryUse", "gpu.Options", "gpu.Single", "gpu.Half",
	"gpu.Storage",
	"airflow.Averaging", "airflow.Backend", "airflow.Between", "airflow.CheckInterval", "opening.Breathing", "opening.Condition", "opening.Kind", "opening.Kinds", "airflow.DefaultSettings", "airflow.Dense",
	"airflow.DivergedError", "solver.Domain", "airflow.Fields", "airflow.Foresee", "opening.FlowShare", "airflow.Gauge", "airflow.Gauges", "airflow.Half", "opening.ImposedFlow", "opening.ImposedPressure",
	"airflow.MemoryEstimate", "moments.Moments", "opening.MovingWall", "airflow.NewGauges", "airflow.NewResampled", "airflow.OpeningSummary", "airflow.Outlook", "airflow.Plan", "airflow.Precision", "airflow.Precisions",
	"opening.Profile", "airflow.Processors", "airflow.Progress", "airflow.Rank", "airflow.Reading", "airflow.Resampled", "airflow.ResolutionFields", "opening.ReadTable", "airflow.RunRankOn",
	"airflow.Settings", "solver.NewDomain", "solver.Piece", "solver.Rank", "solver.State", "solver.StoppedError", "solver.Stopwatch", "solver.Timing", "opening.Sine", "airflow.Double", "airflow.Single", "airflow.Sparse", "moments.Statistics", "airflow.StatisticsBytes", "airflow.Summary",
	"opening.Waveform", "opening.Windkessel",
}

// sources parses the Go files of a folder of the module that a name fits.
func sources(t *testing.T, folder, name string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", folder, name))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = file
	}
	return files
}

// The front door leans on little of the solver, so that what is behind it can be
// rebuilt.
func TestFrontDoorIsNarrow(t *testing.T) {
	used := map[string]bool{}
	for _, folder := range []string{".", "internal/run", "internal/results"} {
		for path, file := range sources(t, folder, "*.go") {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				selector, is := n.(*ast.SelectorExpr)
				if !is {
					return true
				}
				// A local variable has an object, a package has none.
				of, is := selector.X.(*ast.Ident)
				if is && of.Obj == nil && (of.Name == "solver" || of.Name == "airflow" || of.Name == "opening" || of.Name == "moments" || of.Name == "cuda" || of.Name == "gpu") {
					used[of.Name+"."+selector.Sel.Name] = true
				}
				return true
			})
		}
	}
	want := slices.Sorted(slices.Values(front))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(used))); diff != "" {
		t.Errorf("the front door leans on other names of the solver (−listed, +used):\n%s", diff)
	}
}

// Examples of packages use what users can import.
func TestExamplesUsePublicPackages(t *testing.T) {
	found := 0
	for _, p := range packages(t, "") {
		for path, file := range sources(t, p.name(), "*_test.go") {
			if !slices.ContainsFunc(file.Decls, isExample) {
				continue
			}
			found++
			for _, i := range file.Imports {
				if name, err := strconv.Unquote(i.Path.Value); err != nil || strings.HasPrefix(own(name), "internal/") {
					t.Errorf("%s, with an example, imports %s", path, name)
				}
			}
		}
	}
	if found == 0 {
		t.Error("there is no example")
	}
}

func isExample(d ast.Decl) bool {
	f, is := d.(*ast.FuncDecl)
	return is && strings.HasPrefix(f.Name.Name, "Example")
}
