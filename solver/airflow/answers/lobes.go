package answers

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"carina/geometry/tree"
	"carina/solver/airflow"
)

// Lobe is a part of the airway that has a name: what leads to some openings and to no
// others, or the subtree of a branch.
type Lobe struct {
	Name string
	// Openings are numbers of openings; or Branch is the number of a branch.
	Openings []int
	Branch   int
}

// LobeFigures are those of a lobe.
type LobeFigures struct {
	Name string `json:"lobe"`
	// Openings and Branches are the numbers of those that belong to it.
	Openings []int `json:"openings"`
	Branches []int `json:"branches"`
	// Share is the part of all that leaves the airway, or enters it, behind its first
	// branch.
	Share float64 `json:"share"`
	// Figures: Drop is the mean, by flow, over its openings of the pressure where the lobe
	// begins less theirs.
	Figures
	// FromInlet is the same from the first inlet on, ResistanceFromInlet that over the
	// flow, in Pa·s/L.
	FromInlet           float64  `json:"pressure_drop_from_inlet_pa"`
	ResistanceFromInlet *float64 `json:"resistance_from_inlet_pa_s_per_l,omitempty"`
}

// End is an opening of the airway. Drop is the pressure at the first inlet less its own,
// and volume and wall are those of the branch that ends there.
type End struct {
	Number int    `json:"opening"`
	Name   string `json:"name"`
	Branch int    `json:"branch"`
	// Flow is positive where air leaves the airway.
	Figures
}

// branchesOf are the numbers of the branches of each lobe, ascending. Lobes share none.
func branchesOf(t *tree.Tree, lobes []Lobe) ([][]int, error) {
	all := make([][]int, len(lobes))
	taken := make([]int, len(t.Branches)+1)
	for i := range lobes {
		var err error
		if all[i], err = lobes[i].branches(t); err != nil {
			return nil, fmt.Errorf("lobe %s: %w", lobes[i].Name, err)
		}
		for _, number := range all[i] {
			if other := taken[number]; other > 0 {
				return nil, fmt.Errorf("lobes %s and %s share branch %d: give each branch to one", lobes[other-1].Name, lobes[i].Name, number)
			}
			taken[number] = i + 1
		}
	}
	return all, nil
}

// Check says what is wrong with lobes of an airway, if anything.
func Check(t *tree.Tree, lobes []Lobe) error {
	_, err := branchesOf(t, lobes)
	return err
}

func (l *Lobe) branches(t *tree.Tree) ([]int, error) {
	if l.Branch > 0 {
		if l.Branch > len(t.Branches) {
			return nil, fmt.Errorf("there is no branch %d, the airway has %d: carina inspect --branches numbers them", l.Branch, len(t.Branches))
		}
		list := t.Behind(l.Branch)
		slices.Sort(list)
		return list, nil
	}
	// A branch leads to the lobe alone where all that it divides into does.
	own := make([]bool, len(t.Branches)+1)
	for i := len(t.Branches) - 1; i >= 0; i-- {
		b := &t.Branches[i]
		own[b.Number] = slices.Contains(l.Openings, b.Opening)
		if b.Opening == 0 {
			own[b.Number] = !slices.ContainsFunc(b.Daughters, func(n int) bool { return !own[n] })
		}
	}
	var list []int
	for number, is := range own {
		if is {
			list = append(list, number)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no branch leads to its openings: choose a smaller spacing, or others")
	}
	return list, nil
}

// endAll finds the figures of all openings.
func (a *Answers) endAll(s *airflow.Summary) {
	inlet := a.inletPressure(s)
	for _, o := range s.Openings {
		end := End{Number: o.Number, Name: o.Name, Figures: Figures{Flow: -o.Flow}}
		for i := range a.Branches {
			if b := &a.Branches[i]; b.Opening == o.Number || i == 0 && o.Number == a.Tree.Inlet {
				end.Branch, end.Volume, end.Wall = b.Number, b.Volume, b.Wall
			}
		}
		if end.Branch > 0 {
			end.Drop = unlessNaN(inlet - o.Pressure)
		}
		if o.Number != a.Tree.Inlet {
			end.resist()
		}
		a.Ends = append(a.Ends, end)
	}
}

func (a *Answers) inletPressure(s *airflow.Summary) float64 {
	for _, o := range s.Openings {
		if o.Number == a.Tree.Inlet {
			return o.Pressure
		}
	}
	return 0
}

// lobe finds the figures of some branches.
func (a *Answers) lobe(name string, branches []int, s *airflow.Summary) LobeFigures {
	l := LobeFigures{Name: name, Branches: branches, Openings: []int{}}
	for _, number := range branches {
		b := &a.Branches[number-1]
		l.Volume += b.Volume
		if b.Opening > 0 {
			l.Openings = append(l.Openings, b.Opening)
		}
	}
	var drop, end float64
	l.Flow, drop, end = lobeFlow(a.Tree, branches, a.begin, s.Openings)
	l.Drop = unlessNaN(drop)
	l.FromInlet = a.inletPressure(s) - end
	l.resist()
	if l.Flow != 0 {
		const litre = 1e-3
		resistance := l.FromInlet / l.Flow * litre
		l.ResistanceFromInlet = &resistance
	}
	if whole := a.Branches[0].Flow; whole != 0 {
		l.Share = l.Flow / whole
	}
	l.Wall = a.wallOf(func(branch int) bool { return slices.Contains(branches, branch) })
	return l
}

// lobeFlow is what flows through the openings of some branches, the mean by it of the
// pressure where these begin, where that is known, less that at their openings, and the latter.
func lobeFlow(t *tree.Tree, branches []int, begin []float64, openings []airflow.OpeningSummary) (flow, drop, end float64) {
	var weights, begun float64
	for _, number := range branches {
		for _, o := range openings {
			if o.Number != t.Branches[number-1].Opening {
				continue
			}
			flow -= o.Flow
			// Where nothing flows, all openings count alike.
			const nothing = 1e-30 // m³/s
			weight := math.Abs(o.Flow) + nothing
			weights += weight
			end += weight * o.Pressure
			if p := begin[first(t, number, branches)-1]; !math.IsNaN(p) {
				drop += weight * (p - o.Pressure)
				begun += weight
			}
		}
	}
	if weights == 0 {
		return flow, math.NaN(), 0
	}
	return flow, drop / begun, end / weights // no number where no beginning is known
}

// first is the first of some branches on the way from the inlet to one of them.
func first(t *tree.Tree, number int, branches []int) int {
	for parent := t.Branches[number-1].Parent; slices.Contains(branches, parent); parent = t.Branches[number-1].Parent {
		number = parent
	}
	return number
}
