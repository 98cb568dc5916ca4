package answers

import (
	"math"

	"carina/geometry"
	"carina/geometry/tree"
	"carina/solver/airflow"
	"carina/solver/airflow/wallshear"

	"gonum.org/v1/gonum/spatial/r3"
)

// centimetreOfWater is its pressure in Pa.
const centimetreOfWater = 98.0665

// Branch is the flow in one branch or in several. Where nothing flows, or no surface is
// known, what needs it is not there.
type Branch struct {
	// Number is that of the branch, or of the first one of a subtree; Name that of the
	// opening at its end.
	Number     int    `json:"branch"`
	Parent     int    `json:"parent"`
	Generation int    `json:"generation"`
	Opening    int    `json:"opening,omitempty"`
	Name       string `json:"name,omitempty"`

	Length   float64 `json:"length_m"`
	Diameter float64 `json:"diameter_m"`
	Angle    float64 `json:"angle_deg"`
	// CellsAcross is the diameter in cells.
	CellsAcross float64 `json:"cells_across"`
	// Figures are its own. Flow is positive away from the first inlet, Drop the mean
	// pressure where it begins less that where it ends; at openings theirs.
	Figures
	Reynolds float64 `json:"reynolds"`
	// Womersley is there where the flow has a period.
	Womersley *float64 `json:"womersley,omitempty"`
}

// Figures are what is told alike of branches, lobes and openings.
type Figures struct {
	Flow float64 `json:"flow_m3_per_s"`
	// Drop is nil where no cell lies near the beginning or the end.
	Drop *float64 `json:"pressure_drop_pa,omitempty"`
	// Resistance is Drop over Flow, in Pa·s/L and cmH₂O·s/L; nil where nothing flows, or
	// the drop is not known.
	Resistance      *float64 `json:"resistance_pa_s_per_l,omitempty"`
	ResistanceWater *float64 `json:"resistance_cmh2o_s_per_l,omitempty"`
	Volume          float64  `json:"volume_m3"`
	// Wall is the shear stress on the wall.
	Wall *wallshear.Figures `json:"wall_shear,omitempty"`
}

// resist divides the drop by the flow.
func (f *Figures) resist() {
	const litre = 1e-3
	if f.Flow != 0 && f.Drop != nil {
		resistance := *f.Drop / f.Flow * litre
		water := resistance / centimetreOfWater
		f.Resistance, f.ResistanceWater = &resistance, &water
	}
}

// unlessNaN is nil for what is no number.
func unlessNaN(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Answers are those of a flow.
type Answers struct {
	Tree     *tree.Tree
	Branches []Branch
	// Lobes are in the order in which they were asked for, Ends in that of the openings.
	Lobes []LobeFigures
	Ends  []End
	// Wall and Stress are nil where no surface is known, Figures sum them up.
	Wall    *wallshear.Wall
	Stress  *wallshear.Stress
	Figures *wallshear.Figures
	// Over is the stress over time; nil where it was not followed.
	Over *wallshear.Series
	// On is the branch of each triangle, 0 for none.
	On []int
	// begin is the mean pressure where each branch begins.
	begin []float64
}

// Flow is what answers are of.
type Flow struct {
	Grid *geometry.Grid
	// Tree are the branches of the grid; they are found where it is nil.
	Tree *tree.Tree
	// Surface is what the cells were made from, or nil.
	Surface *geometry.Prepared
	// Fields are those of all cells.
	Fields  *airflow.Fields
	Summary *airflow.Summary
	// Period is that of the flow in seconds, 0 for none.
	Period float64
	Lobes  []Lobe
	// Series is the stress over time, nil where it was not followed.
	Series *WallSeries
}

// Of puts a flow together with the branches of its grid, and with its surface.
func Of(f *Flow) (*Answers, error) {
	a := &Answers{Tree: f.Tree}
	var err error
	if a.Tree == nil {
		if a.Tree, err = tree.Find(f.Grid); err != nil {
			return nil, err
		}
	}
	of, err := branchesOf(a.Tree, f.Lobes)
	if err != nil {
		return nil, err
	}
	s := f.Summary
	a.flow(f.Grid, f.Fields, s, f.Period)
	if f.Surface != nil {
		if f.Series != nil {
			a.Over = f.Series.Series()
		}
		a.feel(f.Grid, f.Surface, f.Fields, s.Density*s.KinematicViscosity)
	}
	a.endAll(s)
	for i := range f.Lobes {
		a.Lobes = append(a.Lobes, a.lobe(f.Lobes[i].Name, of[i], s))
	}
	return a, nil
}

// flow finds flows, pressures and numbers of all branches.
func (a *Answers) flow(g *geometry.Grid, f *airflow.Fields, s *airflow.Summary, period float64) {
	out := flowsOf(a.Tree, s.Openings)
	names := map[int]string{}
	for _, o := range s.Openings {
		names[o.Number] = o.Name
	}
	drops := a.drops(g, f, s)
	for i := range a.Tree.Branches {
		b := &a.Tree.Branches[i]
		row := Branch{
			Number: b.Number, Parent: b.Parent, Generation: b.Generation, Opening: b.Opening, Name: names[b.Opening],
			Length: b.Length, Diameter: b.Diameter, Angle: b.Angle * 180 / math.Pi, CellsAcross: b.CellsAcross,
			Figures:  Figures{Flow: out[i], Drop: unlessNaN(drops[i]), Volume: b.Volume},
			Reynolds: 4 * math.Abs(out[i]) / (math.Pi * b.Diameter * s.KinematicViscosity),
		}
		row.resist()
		if period > 0 {
			number := b.Diameter / 2 * math.Sqrt(2*math.Pi/period/s.KinematicViscosity)
			row.Womersley = &number
		}
		a.Branches = append(a.Branches, row)
	}
}

// flowsOf are the flows through branches away from the inlet.
func flowsOf(t *tree.Tree, openings []airflow.OpeningSummary) []float64 {
	out := make([]float64, len(t.Branches))
	for _, o := range openings {
		for i := range t.Branches {
			if t.Branches[i].Opening == o.Number {
				out[i] = -o.Flow
			}
		}
	}
	// Daughters come after their parents.
	for i := len(t.Branches) - 1; i > 0; i-- {
		out[t.Branches[i].Parent-1] += out[i]
	}
	return out
}

// drops are the mean pressures near the beginnings of branches less those near their
// ends, or at openings, and the former.
func (a *Answers) drops(g *geometry.Grid, f *airflow.Fields, summary *airflow.Summary) []float64 {
	near := nearEnds(g, a.Tree)
	pressures := make([][2]float64, len(near))
	for i := range near {
		for end, cells := range near[i] {
			pressures[i][end] = math.NaN()
			if len(cells) == 0 {
				continue
			}
			sum := 0.0
			for _, cell := range cells {
				sum += float64(f.Pressure[cell])
			}
			pressures[i][end] = sum / float64(len(cells))
		}
	}
	drops := dropsOf(a.Tree, pressures, summary.Openings)
	a.begin = make([]float64, len(pressures))
	for i := range pressures {
		a.begin[i] = pressures[i][0]
	}
	return drops
}

// nearEnds are the cells near the beginning and the end of each branch, ascending.
func nearEnds(g *geometry.Grid, t *tree.Tree) [][2][]int64 {
	near := make([][2][]int64, len(t.Branches))
	eachCell(g, func(cell int64, at r3.Vec) {
		i := int(t.Of[cell]) - 1
		add := func(number int) {
			b := &t.Branches[number-1]
			for end, place := range [2]r3.Vec{b.Line[0], b.Line[len(b.Line)-1]} {
				if r3.Norm2(r3.Sub(at, place)) < b.Diameter*b.Diameter/16+g.Spacing*g.Spacing {
					near[number-1][end] = append(near[number-1][end], cell)
				}
			}
		}
		// A branch begins before the ridge, among its parent's cells.
		add(i + 1)
		for _, daughter := range t.Branches[i].Daughters {
			add(daughter)
		}
	})
	return near
}

// dropsOf are the pressure drops along branches, by the mean pressures near their
// beginnings and ends, which at openings become theirs; no number where no cell is near.
func dropsOf(t *tree.Tree, pressures [][2]float64, openings []airflow.OpeningSummary) []float64 {
	for _, o := range openings {
		for i := range t.Branches {
			if t.Branches[i].Opening == o.Number {
				pressures[i][1] = o.Pressure
			}
		}
		if o.Number == t.Inlet {
			pressures[0][0] = o.Pressure
		}
	}
	drops := make([]float64, len(pressures))
	for i, p := range pressures {
		drops[i] = p[0] - p[1]
	}
	return drops
}

func eachCell(g *geometry.Grid, visit func(cell int64, at r3.Vec)) {
	var cell int64
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			visit(cell, g.Center(x, r.Y, r.Z))
			cell++
		}
	}
}

// feel finds the stress on the wall and the branch of each triangle.
func (a *Answers) feel(g *geometry.Grid, surface *geometry.Prepared, f *airflow.Fields, viscosity float64) {
	a.Wall = wallshear.NewWall(surface, g.Spacing)
	a.Stress = wallshear.Measure(a.Wall, g, f.Pressure, &f.Velocity, viscosity)
	a.On = make([]int, len(a.Wall.Triangles))
	starts := g.Starts()
	for t, at := range a.Wall.Center {
		a.On[t] = a.branchAt(g, starts, at, a.Wall.Normal[t])
	}
	a.Figures = a.wallOf(func(int) bool { return true })
	for i := range a.Branches {
		a.Branches[i].Wall = a.wallOf(func(branch int) bool { return branch == i+1 })
	}
}

// wallOf sums up the stress on the wall of chosen branches; nil where none is known.
func (a *Answers) wallOf(chosen func(branch int) bool) *wallshear.Figures {
	if a.Stress == nil {
		return nil
	}
	on := func(t int) bool { return chosen(a.On[t]) }
	own := wallshear.Sum(a.Wall, a.Stress.Known, a.Stress.Magnitude(), on)
	if own.Area == 0 {
		return nil
	}
	own.Over = a.Over.Over(a.Wall, a.Stress.Known, on)
	return &own
}

// branchAt is the branch of the cell behind a place on the wall, 0 for none.
func (a *Answers) branchAt(g *geometry.Grid, starts []int64, at, normal r3.Vec) int {
	const farthest = 3
	for k := 1; k <= farthest; k++ {
		p := r3.Scale(1/g.Spacing, r3.Sub(r3.Sub(at, r3.Scale(float64(k)/2*g.Spacing, normal)), g.Origin))
		x, y, z := int32(math.Floor(p.X)), int32(math.Floor(p.Y)), int32(math.Floor(p.Z))
		if cell, ok := cellAt(g, starts, x, y, z); ok {
			return int(a.Tree.Of[cell])
		}
	}
	return 0
}

func cellAt(g *geometry.Grid, starts []int64, x, y, z int32) (int64, bool) {
	first := g.FirstOfRow(y, z)
	for ; first < len(g.Runs) && g.Runs[first].Y == y && g.Runs[first].Z == z; first++ {
		if r := &g.Runs[first]; x >= r.X0 && x < r.X1 {
			return starts[first] + int64(x-r.X0), true
		}
	}
	return 0, false
}
