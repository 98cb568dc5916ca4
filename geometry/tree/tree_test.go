package tree_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/tree"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// gridOf fills a surface with about so many cells.
func gridOf(t testing.TB, s *geometry.Surface, cells int64) *geometry.Grid {
	t.Helper()
	g, err := geometry.Voxelize(context.Background(), s, geometry.Options{FluidCells: cells})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// behind are the openings behind each of some branches, as words.
func behind(n int, parent func(i int) int, opening func(i int) int) []string {
	sets := make([][]int, n)
	for i := range n {
		if o := opening(i); o > 0 {
			for k := i; k >= 0; k = parent(k) {
				sets[k] = append(sets[k], o)
			}
		}
	}
	words := make([]string, n)
	for i, s := range sets {
		slices.Sort(s)
		words[i] = fmt.Sprint(s)
	}
	return words
}

// match finds for each found branch the one that was made with the same openings
// behind it.
func match(t testing.TB, g *geometry.Grid, found *tree.Tree, made []generate.Branch, turn func(r3.Vec) r3.Vec, openings []geometry.Opening) map[int]generate.Branch {
	t.Helper()
	// The openings of the grid are numbered anew: each is the nearest made one.
	renumber := map[int]int{}
	for _, o := range g.Openings {
		best := math.Inf(1)
		for _, m := range openings {
			if d := r3.Norm(r3.Sub(turn(m.Center), o.Center)); d < best {
				best, renumber[o.Number] = d, m.Number
			}
		}
	}
	keys := behind(len(made), func(i int) int { return made[i].Parent }, func(i int) int { return made[i].Opening })
	byKey := map[string]generate.Branch{}
	for i, k := range keys {
		byKey[k] = made[i]
	}
	keys = behind(len(found.Branches), func(i int) int { return found.Branches[i].Parent - 1 },
		func(i int) int { return renumber[found.Branches[i].Opening] })
	matched := map[int]generate.Branch{}
	for i, k := range keys {
		m, ok := byKey[k]
		if !ok {
			t.Errorf("branch %d, %+v, has openings %s behind it, as none that was made", i+1, found.Branches[i], k)
			continue
		}
		matched[i] = m
	}
	return matched
}

// turned turns a surface by 37° about an oblique axis.
var turned = r3.NewRotation(37*math.Pi/180, r3.Vec{X: 1, Y: -0.6, Z: 0.8}).Rotate

func asItIs(v r3.Vec) r3.Vec { return v }

func TestBranchesAreThoseThatWereMade(t *testing.T) {
	race.SkipArithmetic(t)
	for _, test := range []struct {
		name    string
		options generate.AirwayOptions
		turn    func(r3.Vec) r3.Vec
		cells   int64
		long    bool
	}{
		{"seven generations", generate.AirwayOptions{Generations: 7}, asItIs, 3_000_000, true},
		{"turned", generate.AirwayOptions{Generations: 4}, turned, 1_500_000, false},
		{"as it is", generate.AirwayOptions{Generations: 4}, asItIs, 600_000, false},
		{"unequal daughters", generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 4, Seed: 3}, asItIs, 800_000, false},
		{"others, turned", generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 4, Seed: 7}, turned, 400_000, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.long && testing.Short() {
				t.Skip("takes five seconds")
			}
			s, openings, err := generate.Airway(test.options)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range s.Vertices {
				s.Vertices[i] = test.turn(v)
			}
			made, err := generate.AirwayBranches(test.options)
			if err != nil {
				t.Fatal(err)
			}
			g := gridOf(t, s, test.cells)
			found, err := tree.Find(g)
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Branches) != len(made) {
				t.Fatalf("%d branches, want %d", len(found.Branches), len(made))
			}
			for i, m := range match(t, g, found, made, test.turn, openings) {
				b := found.Branches[i]
				if length, diameter, angle := b.Length/m.Length-1, b.Diameter/m.Diameter-1, (b.Angle-m.Angle)*180/math.Pi; math.Abs(length) > 0.05 || math.Abs(diameter) > 0.03 || math.Abs(angle) > 3 {
					t.Errorf("branch %d of generation %d: length %+.1f %%, diameter %+.1f %%, angle %+.1f°", b.Number, m.Generation, 100*length, 100*diameter, angle)
				}
				if b.Generation != m.Generation {
					t.Errorf("branch %d is of generation %d, want %d", b.Number, b.Generation, m.Generation)
				}
				for k, want := range [2]r3.Vec{test.turn(m.From), test.turn(m.To)} {
					if got := b.Line[k*(len(b.Line)-1)]; r3.Norm(r3.Sub(got, want)) > 0.05*(m.Diameter+m.Length) {
						t.Errorf("branch %d: end %d is %v, want %v", b.Number, k, got, want)
					}
				}
			}
			checkCells(t, g, found)
		})
	}
}

// checkCells tells whether every cell has a branch and the branches' volumes are those
// of their cells.
func checkCells(t testing.TB, g *geometry.Grid, found *tree.Tree) {
	t.Helper()
	counts := make([]int64, len(found.Branches)+1)
	for _, b := range found.Of {
		counts[b]++
	}
	if counts[0] > 0 || int64(len(found.Of)) != g.Cells() {
		t.Errorf("%d cells of %d have no branch", counts[0], g.Cells())
	}
	for i := range found.Branches {
		if want := float64(counts[i+1]) * math.Pow(g.Spacing, 3); math.Abs(found.Branches[i].Volume-want) > 1e-9*want {
			t.Errorf("branch %d has a volume of %g, want %g", i+1, found.Branches[i].Volume, want)
		}
	}
}

// Every opening of real airways has one path to the inlet, also turned.
func TestEveryEndHasOnePath(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, test := range []struct {
		file  string
		ends  int
		turn  func(r3.Vec) r3.Vec
		cells int64
	}{
		{"airway-central-mm.stl", 11, turned, 2_000_000},
		{"airway-full-mm.stl", 79, asItIs, 600_000},
	} {
		path := filepath.Join("..", "..", "..", "shared", "geometries", test.file)
		if _, err := os.Stat(path); err != nil {
			t.Skip("the folder shared is not beside the project")
		}
		s, err := geometry.ReadSurface(path, geometry.Millimetre)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range s.Vertices {
			s.Vertices[i] = test.turn(v)
		}
		g := gridOf(t, s, test.cells)
		found, err := tree.Find(g)
		if err != nil {
			t.Fatal(err)
		}
		paths := map[int]int{}
		for _, b := range found.Branches {
			if (b.Opening > 0) != (len(b.Daughters) == 0) {
				t.Errorf("%s: branch %d has opening %d and %d daughters", test.file, b.Number, b.Opening, len(b.Daughters))
			}
			if b.Opening > 0 {
				paths[b.Opening]++
			}
			if b.Parent >= b.Number || b.Parent == 0 && b.Number != 1 {
				t.Errorf("%s: branch %d comes from %d", test.file, b.Number, b.Parent)
			}
			if !(b.Length > 0 && b.Diameter > 0) {
				t.Errorf("%s: branch %d is %g long and %g wide", test.file, b.Number, b.Length, b.Diameter)
			}
		}
		if len(paths) != test.ends || len(found.Missing) > 0 {
			t.Errorf("%s: %d openings have a path, want %d; %v have none", test.file, len(paths), test.ends, found.Missing)
		}
		for opening, n := range paths {
			if n != 1 || opening == 1 {
				t.Errorf("%s: opening %d has %d paths", test.file, opening, n)
			}
		}
		checkCells(t, g, found)
	}
}

// A pipe is one branch as long and wide as it is.
func TestPipeIsOneBranch(t *testing.T) {
	s, _, err := generate.Pipe(generate.PipeOptions{Diameter: 0.01, Length: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	g := gridOf(t, s, 30_000)
	found, err := tree.Find(g)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Branches) != 1 {
		t.Fatalf("%d branches, want 1", len(found.Branches))
	}
	// Openings keep their numbers where others were left out.
	g.Openings[1].Number = 7
	if again, err := tree.Find(g); err != nil || again.Branches[0].Opening != 7 || again.Inlet != 1 {
		t.Errorf("%v: %+v", err, again)
	}
	if b := found.Branches[0]; math.Abs(b.Length/0.05-1) > 0.01 || math.Abs(b.Diameter/0.01-1) > 0.01 || b.Opening != 2 {
		t.Errorf("%+v, want 50 mm long and 10 mm wide, to opening 2", b)
	}
}

func TestGridsWithoutWaysAreRefused(t *testing.T) {
	if _, err := tree.Find(&geometry.Grid{}); !errors.Is(err, tree.ErrNoOpenings) {
		t.Errorf("error %v", err)
	}
}

// The table has a row for every branch.
func TestTable(t *testing.T) {
	tr := &tree.Tree{Branches: []tree.Branch{{Number: 1, Length: 0.1, Daughters: []int{2, 3}}, {Number: 2, Parent: 1, Generation: 1, Opening: 4}, {Number: 3, Parent: 1, Generation: 1, Opening: 2, Angle: math.Pi / 6}}}
	var w strings.Builder
	if err := tr.WriteCSV(&w, tree.Column{Name: "twice", Value: func(b *tree.Branch) float64 { return float64(2 * b.Number) }}); err != nil {
		t.Fatal(err)
	}
	const want = "branch,parent,generation,opening,length_m,diameter_m,angle_deg,volume_m3,cells_across,twice\n" +
		"1,0,0,0,0.1,0,0,0,0,2\n2,1,1,4,0,0,0,0,0,4\n3,1,1,2,0,0,30,0,0,6\n"
	if w.String() != want {
		t.Errorf("table\n%s, want\n%s", w.String(), want)
	}
	if got := tr.Behind(1); !slices.Equal(got, []int{1, 2, 3}) || tr.Generations() != 2 {
		t.Errorf("behind the first are %v in %d generations", got, tr.Generations())
	}
}
