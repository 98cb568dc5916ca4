package gpu

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/tiling"
)

// The room for boundary cells and links of a tile in shared memory, of kernels/flow.h.
const stagedCells, stagedLinks = 32, 128

// sponge is fluid at random, with walls almost everywhere, from an inlet to two outlets.
func sponge(seed uint64) *geometry.Grid {
	random := rand.New(rand.NewPCG(seed, 4))
	fluid := map[[3]int32]bool{}
	for x := range int32(12) {
		for y := range int32(9) {
			for z := range int32(11) {
				fluid[[3]int32{x, y, z}] = random.IntN(4) > 0
			}
		}
	}
	return makeGrid([3]int32{12, 9, 11}, [3]bool{}, func(x, y, z int32) bool { return fluid[[3]int32{x, y, z}] }, random)
}

// Tiles with more boundary cells and links than have room beside their image are as
// on the processor, after even and odd steps.
func TestTilesFullOfWalls(t *testing.T) {
	devicetest.BesideOthers(t)
	g := sponge(3)
	for _, c := range []struct {
		name      string
		precision airflow.Precision
		lattice   airflow.Lattice
		wall      airflow.Wall
		tolerance float64
	}{
		{"double", airflow.Double, airflow.D3Q19, airflow.Interpolated, doubleRounding},
		{"quadratic walls on D3Q27", airflow.Double, airflow.D3Q27, airflow.Quadratic, doubleRounding},
		{"single precision", airflow.Single, airflow.D3Q19, airflow.Interpolated, singleRounding},
		{"16 bits", airflow.Half, airflow.D3Q19, airflow.Interpolated, halfRounding},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			settings := caveSettings(g)
			settings.FlowRate /= 20 // through narrow pores
			settings.Collision, settings.Precision, settings.Profile = airflow.TRT, c.precision, opening.Parabolic
			settings.Lattice, settings.Wall = c.lattice, c.wall
			s := computed(t, solver.WholeDomain(g), settings, Single, 0)
			var cells, links int32
			for _, r := range s.Kernel().(*bound).part.walls.ranges {
				cells, links = max(cells, r.cells&^meetsOpenings), max(links, r.links)
			}
			if cells <= stagedCells || links <= stagedLinks {
				t.Fatalf("no tile has more than %d boundary cells and %d links", stagedCells, stagedLinks)
			}
			settings.Precision = airflow.Double
			alone := processorRank(t, solver.WholeDomain(g), settings)
			for range 7 {
				step(t, s, 1)
				step(t, alone, 1)
				compareFields(t, must(s.Fields()), must(alone.Fields()), max(c.tolerance, fieldRounding))
			}
		})
	}
}

// everyProgram is each kind of kernel in all the shapes that are launched.
func everyProgram() (all []program) {
	for _, bits := range []int{64, 32, 16} {
		for variant := range 16 {
			is := func(bit int) bool { return variant>>bit&1 == 1 }
			for _, o := range operators {
				l := tiling.Layout{Bits: bits, Directions: o.set.Q - 1}
				step, _ := tuned(l, is(0), is(1), false, o, is(2))
				step.quadratic = is(3)
				all = append(all, step.fitting(), step.fitting().atOpenings())
				view := observer("fields", l, 0, is(1))
				view.odd, view.quadratic = is(0), is(3)
				all = append(all, view.fitting())
			}
		}
	}
	return all
}

// Every launch has the shared memory that its kernel takes by kernels/flow.h, no more
// than a block has unasked, and all that is copied there in 16 bytes begins at
// multiples of them.
func TestSharedMemory(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++ to compute what the kernels take")
	}
	var source strings.Builder
	source.WriteString("#include <cstdio>\nint main()\n{\n\tputs(\"[[0]\");\n")
	definition := regexp.MustCompile(`(?m)^#define (\w+).*$`)
	for _, line := range definition.FindAllString(kernelText("flow.h"), -1) {
		source.WriteString(line + "\n")
	}
	known := map[string]bool{}
	var programs []program
	for _, p := range everyProgram() {
		constants := p.constants()
		if known[constants] {
			continue
		}
		known[constants] = true
		programs = append(programs, p)
		for _, c := range definition.FindAllStringSubmatch(constants, -1) {
			fmt.Fprintf(&source, "#undef %s\n%s\n", c[1], c[0])
		}
		source.WriteString("\tprintf(\",[%d,%d,%d,%d]\\n\", WARPS * (STAGES * STAGE + SHIFTS), IMAGE, STAGE, STAGES * STAGE + SHIFTS);\n")
	}
	source.WriteString("\tputs(\"]\");\n}\n")
	path := filepath.Join(t.TempDir(), "shared")
	if err := os.WriteFile(path+".cpp", []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-O0", "-o", path, path+".cpp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var taken [][]int
	if err := json.Unmarshal(must(exec.Command(path).Output()), &taken); err != nil {
		t.Fatal(err)
	}
	const unasked, copied = 48 << 10, 16
	for i, p := range programs {
		of := taken[i+1]
		if p.warps < 1 || p.sharedBytes() != of[0] || of[0] > unasked {
			t.Errorf("%s of %+v with %d warps and %d stages, odd %v, walls %v, quadratic %v: launched with %d bytes, takes %d",
				p.kernel, p.Layout, p.warps, p.stages, p.odd, p.walls, p.quadratic, p.sharedBytes(), of[0])
		}
		for _, n := range of[1:] {
			if n%copied != 0 {
				t.Errorf("%s of %+v: %d bytes are no multiple of %d", p.kernel, p.Layout, n, copied)
			}
		}
	}
}
