package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// room is a package with the packages below it, up to rooms of their own.
type room struct {
	name string
	// may are the rooms that it imports besides itself. They stand before it, so
	// that imports go one way.
	may []string
}

// rooms is the plan, from the ground up.
var rooms = []room{
	{"internal", nil},
	{"geometry/mesh", []string{"internal"}},
	{"geometry/meshtest", []string{"geometry/mesh"}},
	{"geometry/meshfile", []string{"internal", "geometry/mesh", "geometry/meshtest"}},
	{"geometry/stl", []string{"internal", "geometry/mesh", "geometry/meshfile"}},
	{"geometry/contour", []string{"internal", "geometry/mesh"}},
	{"geometry/nifti", []string{"internal", "geometry/mesh", "geometry/meshtest", "geometry/contour"}},
	{"geometry/mend", []string{"internal", "geometry/mesh", "geometry/meshtest"}},
	{"geometry/opening", []string{"internal", "geometry/mesh", "geometry/meshtest"}},
	{"geometry/branch", []string{"internal"}},
	{"geometry/scan", nil},
	{"geometry", []string{"internal", "geometry/mesh", "geometry/meshtest", "geometry/stl", "geometry/meshfile", "geometry/contour", "geometry/nifti", "geometry/mend", "geometry/opening", "geometry/branch", "geometry/scan"}},
	{"geometry/tree", []string{"internal", "geometry", "geometry/branch"}},
	{"geometry/terrain", []string{"internal", "geometry"}},
	{"partition/graph", []string{"internal"}},
	{"partition/graphtest", []string{"partition/graph"}},
	{"partition/coarsen", []string{"internal", "partition/graph", "partition/graphtest"}},
	{"partition/refine", []string{"internal", "partition/graph", "partition/graphtest"}},
	{"partition/flow", []string{"internal", "partition/graph", "partition/graphtest", "partition/refine"}},
	{"partition/metis", []string{"internal", "partition/graph", "partition/graphtest"}},
	{"partition", []string{"internal", "partition/graph", "partition/graphtest", "partition/coarsen", "partition/refine", "partition/flow"}},
	{"cuboid", []string{"internal", "geometry"}},
	{"octree", []string{"internal", "geometry", "cuboid"}},
	{"balance/rebalance", []string{"partition", "partition/graph"}},
	{"balance", []string{"internal", "geometry", "cuboid", "octree", "partition", "partition/graph", "partition/metis", "balance/rebalance"}},
	{"output", []string{"internal", "geometry", "geometry/mesh", "geometry/tree", "cuboid", "balance"}},
	{"solver/transport", []string{"internal"}},
	{"solver/saved", nil},
	{"solver/checkpoint", []string{"internal", "solver/saved", "solver/transport"}},
	{"solver", []string{"internal", "geometry", "cuboid", "balance", "solver/transport", "solver/saved"}},
	{"solver/processor", []string{"internal", "solver/transport", "solver"}},
	{"solver/lattice", []string{"geometry"}},
	{"solver/streaming", []string{"geometry", "solver", "solver/lattice"}},
	{"solver/enginetest", []string{"internal", "geometry", "cuboid", "solver/transport", "solver", "solver/processor"}},
	{"solver/expression", nil},
	{"solver/stencil", []string{"internal", "geometry", "solver", "solver/processor", "solver/expression"}},
	{"solver/cuda/driver", nil},
	{"solver/cuda/device", []string{"internal", "solver/cuda/driver"}},
	{"solver/cuda/devicetest", []string{"internal", "solver/cuda/device", "solver/cuda/driver"}},
	{"solver/cuda", []string{"geometry", "internal", "solver", "solver/transport", "solver/cuda/device"}},
	{"solver/cuda/physicstest", []string{"solver", "solver/transport", "solver/processor", "solver/enginetest", "solver/cuda/device", "solver/cuda/devicetest", "solver/cuda"}},
	{"solver/scalar", []string{"geometry", "solver", "solver/processor", "solver/lattice", "solver/streaming", "solver/expression", "solver/cuda/device", "solver/cuda"}},
	{"solver/finitevolume", []string{"geometry", "solver/transport", "solver", "solver/processor", "solver/expression", "solver/stencil", "solver/cuda/device", "solver/cuda"}},
	{"solver/shallow", []string{"solver", "solver/processor", "solver/expression", "solver/stencil", "solver/finitevolume"}},
	{"solver/twocopies", []string{"geometry", "solver", "solver/processor", "solver/expression", "solver/stencil", "solver/cuda/device", "solver/cuda"}},
	{"solver/thermal", []string{"geometry", "solver", "solver/expression", "solver/stencil", "solver/twocopies"}},
	{"solver/airflow/collision", []string{"solver/lattice", "solver/expression"}},
	{"solver/airflow/kernel", []string{"internal", "solver/lattice", "solver/expression", "solver/airflow/collision"}},
	{"solver/airflow/opening", []string{"internal", "geometry", "solver/lattice", "solver/airflow/kernel"}},
	{"solver/airflow/steadiness", nil},
	{"solver/airflow/moments", []string{"internal", "solver"}},
	{"solver/airflow/wall", []string{"geometry", "solver", "solver/lattice", "solver/airflow/kernel"}},
	{"solver/airflow/update", []string{"internal", "geometry", "solver", "solver/processor", "solver/lattice", "solver/expression", "solver/airflow/collision", "solver/airflow/kernel", "solver/airflow/opening", "solver/airflow/wall"}},
	{"solver/airflow", []string{"internal", "geometry", "cuboid", "balance", "solver", "solver/transport", "solver/processor", "solver/streaming", "solver/lattice", "solver/expression", "solver/airflow/collision", "solver/airflow/kernel", "solver/airflow/opening", "solver/airflow/steadiness", "solver/airflow/wall", "solver/airflow/update", "solver/airflow/moments"}},
	{"solver/airflow/wallshear", []string{"internal", "geometry", "solver", "solver/airflow", "solver/airflow/opening"}},
	{"solver/airflow/answers", []string{"geometry", "geometry/tree", "solver/airflow", "solver/airflow/wallshear"}},
	{"solver/cuda/tiling", []string{"internal", "geometry", "cuboid", "solver"}},
	{"solver/share", []string{"internal", "geometry", "cuboid", "balance", "solver", "solver/cuda/tiling", "solver/airflow/opening"}},
	{"solver/cuda/tiles", []string{"internal", "solver", "solver/transport", "solver/cuda/tiling", "solver/cuda/device", "solver/cuda"}},
	{"solver/airflow/gpu", []string{"internal", "geometry", "solver", "solver/transport", "solver/lattice", "solver/expression", "solver/airflow/collision", "solver/airflow/opening", "solver/airflow", "solver/cuda/driver", "solver/cuda/tiling", "solver/cuda/device", "solver/cuda", "solver/cuda/tiles", "solver/airflow/moments"}},
	{"internal/run", []string{"internal", "geometry", "cuboid", "balance", "output", "solver", "solver/airflow", "solver/airflow/opening", "solver/airflow/kernel", "solver/airflow/gpu", "solver/cuda", "solver/transport", "solver/airflow/moments"}},
	{"internal/results", []string{"internal", "internal/run", "geometry", "geometry/tree", "balance", "output", "solver", "solver/checkpoint", "solver/share", "solver/airflow", "solver/airflow/answers", "solver/transport", "solver/airflow/moments"}},
	{"internal/together", []string{"internal", "internal/run", "internal/results", "balance", "output", "solver", "solver/processor", "solver/cuda", "solver/transport"}},
	{".", []string{"internal", "internal/run", "internal/results", "geometry", "geometry/mend", "balance", "output", "solver", "solver/checkpoint", "solver/share", "solver/airflow", "solver/airflow/answers", "solver/airflow/wallshear", "solver/airflow/kernel", "solver/airflow/opening", "solver/airflow/gpu", "solver/cuda", "solver/cuda/device", "solver/cuda/tiling", "solver/transport"}},
	{"water", []string{".", "internal", "internal/run", "internal/results", "internal/together", "geometry", "geometry/terrain", "balance", "output", "solver", "solver/checkpoint", "solver/shallow", "solver/cuda/device", "solver/cuda", "solver/transport"}},
	{"gas", []string{".", "internal", "internal/run", "internal/results", "internal/together", "geometry", "cuboid", "balance", "output", "solver", "solver/checkpoint", "solver/thermal", "solver/cuda/device", "solver/cuda", "solver/transport"}},
	{"benchmarks", []string{"gas", "water", "internal/run", "solver/thermal", "solver/processor", "internal", "geometry", "cuboid", "octree", "partition", "partition/graph", "partition/metis", "balance", "solver", "solver/airflow", "solver/airflow/opening", "solver/airflow/gpu", "solver/cuda", "solver/cuda/tiles", "solver/cuda/device", "solver/transport", "solver/lattice", "solver/airflow/kernel"}},
	// What users can import, as they do.
	{"examples", []string{".", "solver/transport", "solver/cuda", "geometry", "cuboid", "octree", "partition", "partition/graph", "partition/metis", "balance", "output", "solver", "solver/airflow", "solver/airflow/opening"}},
	{"cmd", []string{".", "gas", "water", "internal", "geometry", "geometry/tree", "partition", "partition/graph", "partition/metis", "balance", "output", "solver", "solver/checkpoint", "solver/airflow", "solver/airflow/kernel", "solver/airflow/opening", "solver/airflow/steadiness", "solver/airflow/gpu", "solver/cuda", "solver/cuda/device", "solver/transport", "benchmarks"}},
}

// exceptions are imports that the plan does not allow, with the reason. The list
// is to become empty.
var exceptions = map[[2]string]string{}

// testExceptions are those of tests, which may use what is built on a package
// as an independent truth.
var testExceptions = map[[2]string]string{
	{"solver/airflow/gpu", "solver/share"}:           "flows on shares",
	{"geometry/mesh", "geometry/meshtest"}:           "its meshes are those of the rooms above",
	{"partition/graph", "partition/graphtest"}:       "its graphs drawn at random are those of the rooms above",
	{"partition", "partition/metis"}:                 "graphs of the shared collection are METIS files",
	{"cmd/carina", "geometry/meshtest"}:              "files of surfaces and images are written",
	{"cmd/carina", "solver/share"}:                   "files of shares are altered",
	{"geometry/generate", "octree"}:                  "the sizes of the bifurcations are known by their numbers of octree leaves",
	{"solver/cuda/tiles", "geometry"}:                "domains of tests are made by hand",
	{"solver/cuda/tiles", "geometry/generate"}:       "a channel with walls is made by the generator of grids",
	{"solver/cuda/tiles", "solver/cuda/driver"}:      "kernels are compiled without a device",
	{"solver/cuda/tiles", "solver/airflow"}:          "what crosses between tiles is a flow of the test",
	{"solver/cuda/tiles", "solver/airflow/gpu"}:      "what crosses between tiles is a flow of the test",
	{"solver/cuda/tiles", "solver/cuda/devicetest"}:  "devices of tests",
	{"solver/airflow/gpu", "solver/cuda/devicetest"}: "devices of tests",
	{"balance", "geometry/meshtest"}:                 "generated surfaces are worn as scanned ones are",
	{"solver/airflow/gpu", "solver/checkpoint"}:      "flows go on from checkpoints",
	{"solver/airflow", "solver/checkpoint"}:          "flows go on from checkpoints",
	{"solver/airflow", "geometry/meshtest"}:          "generated surfaces are worn as scanned ones are",
	{"internal/run", "solver/processor"}:             "ranks of a test are slowed",
	{"internal/run", "solver/cuda/device"}:           "devices of tests",
	{"internal/run", "solver/cuda/devicetest"}:       "devices of tests",
	{"benchmarks/gpu", "solver/cuda/devicetest"}:     "devices of tests",
	{"solver/airflow/gpu", "cuboid"}:                 "domains of tests are cut into bricks",
	{"solver", "solver/enginetest"}:                  "a physics is tested as any other",
	{"solver/stencil", "solver/enginetest"}:          "updates are computed on several ranks",
	{"solver", "solver/processor"}:                   "a physics of the tests computes on processors",
	{"solver/airflow/wall", "solver/processor"}:      "a physics that only listens is bound to a processor",
	{"solver/airflow/wall", "solver/streaming"}:      "its populations stream",
	{"solver/airflow/wall", "solver/transport"}:      "a rank has a transport",
	{"solver/airflow/update", "solver/streaming"}:    "air between walls is a physics of the test",
	{"solver/airflow/update", "solver/transport"}:    "a rank has a transport",
	{"solver/airflow", "solver/enginetest"}:          "what holds for any physics is tested by enginetest",
	{"solver/scalar", "solver/cuda/devicetest"}:      "devices of tests",
	{"solver/scalar", "solver/cuda/physicstest"}:     "what holds for any physics is tested on GPUs, too",
	{"solver/scalar", "solver/enginetest"}:           "what holds for any physics is tested by enginetest",
	{"solver/shallow", "geometry"}:                   "grids of tests are drawn",
	{"solver/shallow", "geometry/generate"}:          "grids of tests are drawn",
	{"solver/shallow", "solver/transport"}:           "ranks of a test are connected",
	{"solver/shallow", "solver/cuda"}:                "devices of tests",
	{"solver/shallow", "solver/cuda/device"}:         "devices of tests",
	{"solver/shallow", "solver/cuda/devicetest"}:     "devices of tests",
	{"solver/shallow", "solver/cuda/physicstest"}:    "what holds for any physics is tested on GPUs, too",
	{"solver/shallow", "solver/enginetest"}:          "what holds for any physics is tested by enginetest",
	{"solver/expression", "solver/cuda/device"}:      "statements in C are computed on a device",
	{"solver/expression", "solver/cuda/devicetest"}:  "statements in C are computed on a device",
	{"solver/cuda", "solver/enginetest"}:             "cells are scattered among ranks",
	{"solver/cuda", "solver/cuda/devicetest"}:        "devices of tests",
	{"solver/shallow", "internal/machine"}:           "a benchmark measures a copy",
	{"solver/airflow/answers", "internal/race"}:      "tests of numbers are left out under the race detector",
	{"solver/airflow/collision", "internal/race"}:    "tests of numbers are left out under the race detector",
	{"solver/scalar", "internal/race"}:               "fewer cases are enough under the race detector",
	{"solver/shallow", "internal/race"}:              "tests of numbers are left out under the race detector",
	{"solver/thermal", "internal/race"}:              "tests of numbers are left out under the race detector",
	{"solver/shallow", "internal/simd"}:              "functions for all instruction sets give the same bits",
	{"solver/stencil", "solver/transport"}:           "a rank has a transport",
	{"solver/twocopies", "solver/cuda/devicetest"}:   "devices of tests",
	{"solver/twocopies", "solver/enginetest"}:        "a physics of the test is run on ranks",
	{"solver/twocopies", "solver/transport"}:         "ranks of a test are connected",
	{"solver/thermal", "solver/cuda"}:                "a gas is computed on GPUs",
	{"solver/thermal", "solver/cuda/device"}:         "a benchmark opens GPUs",
	{"solver/thermal", "solver/processor"}:           "a gas is computed on processors",
	{"solver/thermal", "internal/simd"}:              "functions for all instruction sets give the same bits",
	{"solver/thermal", "internal/machine"}:           "a benchmark measures a copy",
	{"solver/thermal", "solver/cuda/devicetest"}:     "devices of tests",
	{"solver/thermal", "solver/cuda/physicstest"}:    "what holds for any physics is tested on GPUs, too",
	{"solver/thermal", "solver/enginetest"}:          "what holds for any physics is tested by enginetest",
	{"solver/thermal", "solver/transport"}:           "ranks of a test are connected",
	{"gas", "solver/processor"}:                      "what ranks send is counted",
	{"gas", "solver/cuda/devicetest"}:                "devices of tests",
	{"water", "solver/cuda/devicetest"}:              "devices of tests",
	{"solver/scalar", "solver/airflow"}:              "air carries the scalar",
	{"solver/scalar", "solver/transport"}:            "ranks of a test are connected",
	{"solver/enginetest", "solver/airflow"}:          "two physics are run under MPI",
	{"solver/enginetest", "solver/scalar"}:           "two physics are run under MPI",
	{"solver/enginetest", "solver/shallow"}:          "two physics are run under MPI",

	{"solver/finitevolume", "solver/cuda/devicetest"}:  "devices of tests",
	{"solver/finitevolume", "solver/cuda/physicstest"}: "any physics is tested by physicstest",
	{"solver/finitevolume", "solver/enginetest"}:       "any physics is tested by enginetest",
}

// mostFiles is how many files without tests a package may have.
const mostFiles = 30

// alone are libraries that one package alone imports, so that they can be
// exchanged there.
var alone = map[string]string{
	"github.com/emer/empi": "solver/transport",
	"github.com/spf13/":    "cmd/carina",
	"gorgonia.org/cu":      "solver/cuda/driver",
}

const module = "carina"

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Doc                    string
	GoFiles, CgoFiles                  []string
	Imports, TestImports, XTestImports []string
}

func (p *listed) name() string { return own(p.ImportPath) }

// own is a package of this module by its path there; else it is empty.
func own(path string) string {
	if path == module {
		return "."
	}
	name, is := strings.CutPrefix(path, module+"/")
	if !is {
		return ""
	}
	return name
}

// known are the packages by tags, once listed.
var known = map[string][]listed{}

// packages lists all packages of the module as they are built with tags.
func packages(t *testing.T, tags string) []listed {
	t.Helper()
	if known[tags] == nil {
		known[tags] = list(t, tags)
	}
	return known[tags]
}

func list(t *testing.T, tags string) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-tags", tags, "-json=ImportPath,Doc,GoFiles,CgoFiles,Imports,TestImports,XTestImports", "./...")
	command.Dir = filepath.Join("..", "..")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// roomOf is the room that a package lies in: the one with the longest name.
func roomOf(name string) (room, bool) {
	var found room
	for _, r := range rooms {
		if (name == r.name || strings.HasPrefix(name, r.name+"/")) && len(r.name) > len(found.name) {
			found = r
		}
	}
	return found, found.name != ""
}

// TestPlanGoesOneWay checks the plan itself: what a room may import stands
// before it.
func TestPlanGoesOneWay(t *testing.T) {
	var before []string
	for _, r := range rooms {
		for _, other := range r.may {
			if !slices.Contains(before, other) {
				t.Errorf("%s may import %s, which does not stand below it", r.name, other)
			}
		}
		before = append(before, r.name)
	}
}

// strange returns the imports that the plan and the exceptions do not allow.
func strange(name string, imports []string, exceptions map[[2]string]string, used map[[2]string]bool) []string {
	from, _ := roomOf(name)
	var found []string
	for _, path := range imports {
		other := own(path)
		to, known := roomOf(other)
		if other == "" || to.name == from.name || known && slices.Contains(from.may, to.name) {
			continue
		}
		edge := [2]string{name, other}
		if exceptions[edge] == "" {
			found = append(found, other)
		}
		used[edge] = true
	}
	return found
}

func TestImportsGoOneWay(t *testing.T) {
	used := map[[2]string]bool{}
	for _, tags := range []string{"", "mpi,cuda"} {
		for _, p := range packages(t, tags) {
			if _, known := roomOf(p.name()); !known {
				t.Errorf("%s is in no room of the plan: add it where it belongs", p.name())
				continue
			}
			for _, other := range strange(p.name(), p.Imports, exceptions, used) {
				t.Errorf("%s imports %s (tags %q), which the plan does not allow", p.name(), other, tags)
			}
			for _, other := range strange(p.name(), slices.Concat(p.TestImports, p.XTestImports), testExceptions, used) {
				t.Errorf("tests of %s import %s (tags %q), which the plan does not allow", p.name(), other, tags)
			}
			for library, keeper := range alone {
				if p.name() != keeper && slices.ContainsFunc(p.Imports, func(path string) bool { return strings.HasPrefix(path, library) }) {
					t.Errorf("%s imports %s: leave that to %s", p.name(), library, keeper)
				}
			}
		}
	}
	for _, list := range []map[[2]string]string{exceptions, testExceptions} {
		for edge, reason := range list {
			if !used[edge] {
				t.Errorf("%s does not import %s any more (%s): take out the exception", edge[0], edge[1], reason)
			}
		}
	}
}

func TestRoomsAreOfASize(t *testing.T) {
	for _, tags := range []string{"", "mpi,cuda"} {
		for _, p := range packages(t, tags) {
			if files := len(p.GoFiles) + len(p.CgoFiles); files > mostFiles {
				t.Errorf("%s has %d files (tags %q), at most %d may be: part it into rooms", p.name(), files, tags, mostFiles)
			}
		}
	}
}

// TestPackagesBeginWithAnOverview wants a comment on every package, in doc.go
// where it has more than one file.
func TestPackagesBeginWithAnOverview(t *testing.T) {
	for _, p := range packages(t, "") {
		files := slices.Concat(p.GoFiles, p.CgoFiles)
		if p.Doc == "" {
			t.Errorf("%s has no overview", p.name())
		}
		if len(files) > 1 && !slices.Contains(files, "doc.go") {
			t.Errorf("%s has %d files and no doc.go with its overview", p.name(), len(files))
		}
	}
}
