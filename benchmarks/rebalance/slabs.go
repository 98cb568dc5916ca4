package rebalancebench

import (
	"context"
	"math"
	"slices"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
)

// Scheme is a way of Skevik (2014, chapter 3) to divide the rows of a bounding box
// among ranks in a line.
type Scheme string

// The schemes. Even gives all ranks as much work. Automatic measures once how fast
// ranks are and divides by that. Dynamic divides anew whenever it predicts the step
// to become faster by a twentieth, whatever moving costs.
const (
	Even      Scheme = "even"
	Automatic Scheme = "automatic"
	Dynamic   Scheme = "dynamic"
)

// Schemes are all.
var Schemes = []Scheme{Even, Automatic, Dynamic}

// Slabs are rows of a bounding box in the order of storage, cut into as many parts
// as ranks. Other than in the source a row counts by its work: in an airway most
// rows are empty.
type Slabs struct {
	scheme Scheme
	work   []float64 // of all rows up to each
	cells  []int64   // as well
	cuts   []int     // of rank r: cuts[r] to cuts[r+1]
	looks  int
	// crossings are between rows.
	crossings []cuboid.Crossing
	cost      *balance.Cost
}

// NewSlabs cuts the rows of a grid evenly.
func NewSlabs(g *geometry.Grid, cost *balance.Cost, ranks int, scheme Scheme) *Slabs {
	// A row without fluid costs nothing and is left out.
	var rows []cuboid.Cuboid
	segments := make([]cuboid.Segment, len(g.Runs))
	for i, run := range g.Runs {
		if n := len(rows); n == 0 || rows[n-1].Min[1] != run.Y || rows[n-1].Min[2] != run.Z {
			rows = append(rows, cuboid.Cuboid{Min: [3]int32{0, run.Y, run.Z}, Max: [3]int32{g.Size[0], run.Y + 1, run.Z + 1}})
		}
		segments[i] = cuboid.Segment{Run: run, Cuboid: int32(len(rows) - 1)}
	}
	s := &Slabs{scheme: scheme, work: make([]float64, len(rows)+1), cells: make([]int64, len(rows)+1),
		cost: cost, crossings: cost.Crossings(segments)}
	for i, n := range cuboid.Count(g, rows, segments) {
		s.work[i+1], s.cells[i+1] = s.work[i]+cost.Seconds(n), s.cells[i]+n.Fluid
	}
	s.cuts = s.cut(slices.Repeat([]float64{1}, ranks))
	return s
}

// cut divides the rows by speeds.
func (s *Slabs) cut(speeds []float64) []int {
	cuts := make([]int, len(speeds)+1)
	all, before := 0.0, 0.0
	for _, v := range speeds {
		all += v
	}
	total := s.work[len(s.work)-1]
	for r, v := range speeds {
		before += v
		i, _ := slices.BinarySearch(s.work, total*before/all)
		if i = min(i, len(s.work)-1); i > 0 && s.work[i]+s.work[i-1] > 2*total*before/all {
			i--
		}
		cuts[r+1] = max(i, cuts[r])
	}
	cuts[len(speeds)] = len(s.work) - 1
	return cuts
}

// Held is the work of every rank.
func (s *Slabs) Held() []float64 {
	held := make([]float64, len(s.cuts)-1)
	for r := range held {
		held[r] = s.work[s.cuts[r+1]] - s.work[s.cuts[r]]
	}
	return held
}

// owners is the rank of every row.
func (s *Slabs) owners() []int32 {
	owners := make([]int32, len(s.work)-1)
	for r := range len(s.cuts) - 1 {
		for i := s.cuts[r]; i < s.cuts[r+1]; i++ {
			owners[i] = int32(r)
		}
	}
	return owners
}

// Exchanging is the time that every rank exchanges, of one host.
func (s *Slabs) Exchanging() []float64 {
	owners, list := s.owners(), make([]float64, len(s.cuts)-1)
	for _, c := range s.crossings {
		if p, q := owners[c.A], owners[c.B]; p != q {
			seconds := s.cost.Inside.SecondsPerByte * float64(s.cost.Bytes(c)) / 2
			list[p] += seconds
			list[q] += seconds
		}
	}
	return list
}

// Look decides by the scheme.
func (s *Slabs) Look(_ context.Context, m balance.Measured) *balance.Decision {
	d := &balance.Decision{Why: "the scheme divides no more"}
	s.looks++
	if s.scheme == Even || s.scheme == Automatic && s.looks > 1 {
		return d
	}
	held := s.Held()
	for r, seconds := range m.Busy {
		if d.Speeds = append(d.Speeds, 1); seconds > 0 && held[r] > 0 {
			d.Speeds[r] = held[r] / seconds
		}
		d.Before = math.Max(d.Before, seconds)
	}
	next := &Slabs{work: s.work, cells: s.cells, cuts: s.cut(d.Speeds)}
	for r, work := range next.Held() {
		d.After = math.Max(d.After, work/d.Speeds[r])
	}
	if d.After > 0.95*d.Before {
		d.Why = "no other division is much better"
		return d
	}
	for r := range held {
		kept := max(0, s.cells[min(s.cuts[r+1], next.cuts[r+1])]-s.cells[max(s.cuts[r], next.cuts[r])])
		leave := s.cells[s.cuts[r+1]] - s.cells[s.cuts[r]] - kept
		come := s.cells[next.cuts[r+1]] - s.cells[next.cuts[r]] - kept
		d.Moved += leave
		d.Busiest = max(d.Busiest, leave+come)
	}
	s.cuts = next.cuts
	d.Owners, d.Why = s.owners(), "the division is better"
	return d
}

// Took learns nothing.
func (s *Slabs) Took(float64) {}

// still never moves anything.
type still struct{ balance.Rebalancer }

func (s *still) Look(context.Context, balance.Measured) *balance.Decision {
	return &balance.Decision{Why: "nothing ever moves"}
}
