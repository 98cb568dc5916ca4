package airflow

import (
	"fmt"
	"math"
	"slices"

	"carina/geometry"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/steadiness"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// grainCells is the number of cells up to which a summary tells the grain,
// which needs the fields of all cells in one place.
const grainCells = 20_000_000

// Grain tells how smooth the velocity of gathered fields is: the root mean
// square of its second differences along the axes over that of its first ones,
// over the cells with both neighbours. Flow that is resolved has less than one,
// and noise from cell to cell up to two. It is 0 where air rests everywhere.
func Grain(grid *geometry.Grid, f *Fields) float64 {
	var sums grainSums
	starts := grid.Starts()
	rows := newRowFinder(grid)
	for i, r := range grid.Runs {
		for x := r.X0 + 1; x < r.X1-1; x++ {
			at := starts[i] + int64(x-r.X0)
			sums.add(f, at-1, at, at+1)
		}
		sums.across(f, rows, r, starts, i, rows.row(r.Y-1, r.Z), rows.row(r.Y+1, r.Z))
		sums.across(f, rows, r, starts, i, rows.row(r.Y, r.Z-1), rows.row(r.Y, r.Z+1))
	}
	if sums.first == 0 {
		return 0
	}
	// Every cell has two first differences for each second one.
	return math.Sqrt(2 * sums.second / sums.first)
}

// grainSums are the sums of squared differences.
type grainSums struct{ first, second float64 }

// add adds the differences at a cell between two neighbours.
func (s *grainSums) add(f *Fields, low, at, high int64) {
	for a := range 3 {
		u := f.Velocity[a]
		down, up := float64(u[at]-u[low]), float64(u[high]-u[at])
		s.first += down*down + up*up
		s.second += (up - down) * (up - down)
	}
}

// across adds the differences at the cells of run i to neighbours in the rows
// below and above it.
func (s *grainSums) across(f *Fields, rows *rowFinder, r geometry.Run, starts []int64, i int, below, above []int) {
	for _, b := range below {
		low := rows.runs[b]
		for _, c := range above {
			high := rows.runs[c]
			for x := max(r.X0, low.X0, high.X0); x < min(r.X1, low.X1, high.X1); x++ {
				s.add(f, starts[b]+int64(x-low.X0), starts[i]+int64(x-r.X0), starts[c]+int64(x-high.X0))
			}
		}
	}
}

// rowFinder finds the runs of a row.
type rowFinder struct {
	runs []geometry.Run
	rows map[[2]int32][]int
}

func newRowFinder(grid *geometry.Grid) *rowFinder {
	f := &rowFinder{runs: grid.Runs, rows: make(map[[2]int32][]int)}
	for i, r := range grid.Runs {
		key := [2]int32{r.Y, r.Z}
		f.rows[key] = append(f.rows[key], i)
	}
	return f
}

// row lists the numbers of the runs of a row.
func (f *rowFinder) row(y, z int32) []int { return f.rows[[2]int32{y, z}] }

// grain is that of the flow in all cells, or nil where they are too many. Call
// it on all ranks; all get the same.
func (r *Rank) grain() (*float64, error) {
	if r.domain.CellCount() > grainCells {
		return nil, nil
	}
	fields, err := r.Gather()
	if err != nil {
		return nil, fmt.Errorf("measuring the grain: %w", err)
	}
	// Non-negative numbers are in the order of their bits.
	bits := []int64{0}
	if fields != nil {
		bits[0] = int64(math.Float64bits(Grain(r.domain.Grid, fields)))
	}
	if err := r.engine.Transport().Reduce(transport.Max, bits); err != nil {
		return nil, fmt.Errorf("measuring the grain: %w", err)
	}
	grain := math.Float64frombits(uint64(bits[0]))
	return &grain, nil
}

// Resolution tells how well the cells resolve a flow.
type Resolution struct {
	// CellsAcross is how many cells lie across the narrowest open opening, by a circle
	// of its area, and Narrowest its number.
	CellsAcross float64 `json:"cells_across"`
	Narrowest   int     `json:"narrowest_opening"`
	// CellsAcrossWidest is how many lie across the widest.
	CellsAcrossWidest float64 `json:"cells_across_widest"`
	// CellsAcrossInside is how many lie across the narrowest place inside that is narrower
	// than the openings on either side; 0 where there is none.
	CellsAcrossInside float64 `json:"cells_across_inside,omitempty"`
	// CellReynolds is u·Δx/ν with the largest velocity.
	CellReynolds float64 `json:"cell_reynolds"`
	// YPlus is the mean over the cells with a link to a wall of half a spacing over the
	// viscous length ν/√(τ/ρ) of the shear stress there, YPlusMax the largest.
	YPlus    float64 `json:"y_plus"`
	YPlusMax float64 `json:"y_plus_max"`
	// Viscous is what the fluid's own viscosity dissipates, Eddy what the limiter or
	// Smagorinsky's viscosity does beyond that, in W, and Power what the openings give
	// of pressure and kinetic energy, which in steady flow is what all dissipates,
	// the scheme's error too; nil in other flows. Where air enters through an opening with
	// a pressure, that has its kinetic energy within.
	Viscous float64  `json:"viscous_dissipation_w"`
	Eddy    float64  `json:"eddy_dissipation_w"`
	Power   *float64 `json:"power_w,omitempty"`
	// Resolved is the part of Viscous in Power or, without, in Viscous and Eddy.
	Resolved float64 `json:"resolved_dissipation"`
	// Unjudged tells that the cells tell nothing of the pressure drop: where a waveform
	// changes the flow, where air enters through an opening with a pressure, since what is
	// lost on the way in is not known, and where flows that are imposed do not add up.
	Unjudged bool `json:"pressure_drop_unjudged,omitempty"`
}

// An excess below SlightExcess does not matter beside what walls and openings do.
// CalibratedExcess is the largest of the grids by which it is told.
const (
	SlightExcess     = 0.03
	CalibratedExcess = 1
)

// Few tells whether fewer cells lie across some tube than the pressure drop there needs: in
// trees of tubes it was 5 to 15 % too high with 3 to 5 across, of which the dissipation
// tells nothing, and within 3 % of that on finer cells with 8.
func (r *Resolution) Few() bool {
	inside := r.CellsAcrossInside
	return r.CellsAcross < wantedAcross || inside > 0 && inside < wantedAcross
}

// hardlyAcross are the cells across the narrowest opening below which pressure drops are
// further off than the coarseness says: in a whole airway 2.3 times those on ten times as
// many cells, of which it said 1.25, in a lumen of a CT scan 1.73 and 1.22, in a tree of
// tubes 1.41 and 1.29. In a central airway with 2.6 it was right.
const hardlyAcross = 3

// Excess is between which parts the pressure drop is likely to be too high for what cells
// do not resolve.
type Excess struct {
	Least, Most float64
	// Rough tells that it may be more than that, with so few cells across some tube.
	Rough bool
}

// Excess is that of the pressure drop, false where it is not known. Two things tell of it.
// One is what the scheme and eddies take beside the fluid's viscosity, which is known in
// steady flow: too much where jets end that lose their energy anyway. The other is, where
// an eddy viscosity acts, the coarseness of the measured velocity: too little in airways
// that are narrower behind their inlet than the one it was fitted to.
func (r *Resolution) Excess() (e Excess, known bool) {
	if r.Unjudged || !(r.Viscous > 0) || !(r.Resolved > 0) || r.Eddy == 0 && r.Power == nil {
		return Excess{}, false
	}
	taken := 1/r.Resolved - 1
	if r.Eddy == 0 {
		return Excess{taken, taken, r.Few()}, true
	}
	coarse := coarseness(r.CellReynolds, r.CellsAcrossWidest)
	e = Excess{coarse, coarse, r.CellsAcross < hardlyAcross}
	if r.Power != nil {
		e.Least, e.Most = min(coarse, taken), max(coarse, taken)
	}
	return e, r.CellsAcrossWidest > 0
}

// TooHigh is the Excess where it matters, at most the one by which it is told; nil where it
// does not matter or is not known.
func (r *Resolution) TooHigh() *Excess {
	e, known := r.Excess()
	if !known || e.Most < SlightExcess {
		return nil
	}
	e.Least, e.Most = min(e.Least, CalibratedExcess), min(e.Most, CalibratedExcess)
	return &e
}

// coarseness is by which part pressure drops of an airway are too high for its cells, given
// the cell Reynolds number and the cells across the widest opening. It is a fit to a central
// airway at 15 and 60 L/min on 4·10³ to 2·10⁶ cells, right within a third of itself there: the
// error falls somewhat slower than the square of the spacing, and grows slower than the flow.
func coarseness(cellReynolds, across float64) float64 {
	const factor, power, least = 0.083, 0.8, 20
	return factor * math.Pow(cellReynolds, power) * cellReynolds / (cellReynolds + least) / across
}

// resolution measures that of the present flow, given its largest velocity in cells a
// step and what else is told of it; nil where cells are very many, where ranks know a
// share of them, or nothing moves. Call it on all ranks; all get the same.
func (r *Rank) resolution(peak float64, told *Summary) (*Resolution, error) {
	if !r.TellsResolution() || !(peak > 0) {
		return nil, nil
	}
	sums, err := r.dissipation(peak)
	if err != nil {
		return nil, err
	}
	u := r.units
	constant := r.settings.Period() == 0
	resolution := &Resolution{CellReynolds: peak * 3 / (u.RelaxationTime() - 0.5)}
	states := r.kernel.Openings().List
	resolution.Unjudged = !constant || told.Stored != 0 || entersByPressure(told.Openings, states)
	for i, o := range told.Openings {
		across := u.across(o.Area)
		if r.faces.Areas[i] == 0 {
			continue
		}
		if resolution.CellsAcrossWidest = max(resolution.CellsAcrossWidest, across); resolution.Narrowest == 0 || across < resolution.CellsAcross {
			resolution.CellsAcross, resolution.Narrowest = across, o.Number
		}
	}
	for i := range r.domain.Grid.Narrow {
		across := u.across(r.domain.Grid.Narrow[i].Area)
		if inside := &resolution.CellsAcrossInside; *inside == 0 || across < *inside {
			*inside = across
		}
	}
	if sums.walls > 0 {
		resolution.YPlus, resolution.YPlusMax = sums.yPlus/float64(sums.walls), sums.yPlusMax
	}
	// 2 ρ ν S:S in lattice units, of density one.
	watts := u.Density * math.Pow(u.Velocity(), 3) * u.Spacing * u.Spacing
	resolution.Viscous, resolution.Eddy = sums.viscous*watts, sums.eddy*watts
	all := resolution.Viscous + resolution.Eddy
	if power, ok := sums.power(told.Openings, states, u); ok && constant && told.still() && r.settings.BodyForce == [3]float64{} {
		resolution.Power, all = &power, max(all, power)
	}
	if all > 0 {
		resolution.Resolved = resolution.Viscous / all
	}
	return resolution, nil
}

// entersByPressure tells whether some of the air enters through an opening with a pressure.
func entersByPressure(openings []OpeningSummary, states []opening.State) bool {
	const hardly = 0.01
	var in, byPressure float64
	for i, o := range openings {
		in += max(0, o.Flow)
		if !states[i].Velocity {
			byPressure += max(0, o.Flow)
		}
	}
	return byPressure > hardly*in
}

// across is how many cells lie across a circle of an area.
func (u Units) across(area float64) float64 { return 2 * math.Sqrt(area/math.Pi) / u.Spacing }

// still tells whether the flow is steady without fluctuating about means, so that what
// openings give in a moment is what is dissipated.
func (s *Summary) still() bool {
	return s.Steady != nil && *s.Steady && !slices.ContainsFunc(s.Known, func(k steadiness.Known) bool { return k.How == steadiness.Mean })
}

// dissipationSums are sums over all cells, in lattice units.
type dissipationSums struct {
	viscous, eddy, yPlus, yPlusMax float64
	walls                          int64
	// kinetic is the mean of u² of what passes each opening, NaN without flow.
	kinetic []float64
}

// power is what the openings give, in W; false where nothing flows. A pressure that is
// imposed where air enters is that of air at rest outside, which has its kinetic energy
// from it.
func (s *dissipationSums) power(openings []OpeningSummary, states []opening.State, u Units) (power float64, ok bool) {
	for i, o := range openings {
		if o.Flow == 0 {
			continue
		}
		ok = true
		power += o.Flow * o.Pressure
		if o.Flow < 0 || states[i].Velocity {
			power += o.Flow * u.Density / 2 * s.kinetic[i] * u.Velocity() * u.Velocity()
		}
	}
	return power, ok && !math.IsNaN(power) && power > 0
}

// dissipation sums what is dissipated in all cells, y⁺ at walls, and the kinetic energy
// at openings.
func (r *Rank) dissipation(peak float64) (*dissipationSums, error) {
	strain, err := r.StrainRate()
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return nil, fmt.Errorf("measuring the dissipation: %w", err)
	}
	const own = 4 // sums besides those of openings
	tau, scale := r.units.RelaxationTime(), 1/(peak*peak)
	viscosity := (tau - 0.5) / 3
	values := make([]int64, own+2*len(r.domain.Grid.Openings))
	highest := []int64{0}
	// In cells next to walls and openings.
	var cells []int32
	var facing [][]int // openings that each of them faces, by index
	links, at := &r.domain.Grid.Links, 0
	for _, p := range r.layout.Pieces {
		first := r.domain.InGrid(p.Global)
		at, _ = links.Search(first)
		for cell := range int64(p.Cells()) {
			index := p.Index + int32(cell)
			square, effective := r.strainSquare(&strain, index, tau)
			values[0] += toFixed(scale * 2 * viscosity * square)
			values[1] += toFixed(scale * 2 * (effective - viscosity) * square)
			if at == links.Len() || links.Cell(at) != first+cell {
				continue
			}
			wall, openings := r.faced(at)
			at++
			if len(openings) > 0 {
				cells, facing = append(cells, index), append(facing, openings)
			}
			if wall {
				y := yPlus(square, effective, viscosity)
				values[2]++
				values[3] += toFixed(y)
				highest[0] = max(highest[0], toFixed(y))
			}
		}
	}
	if err := r.addKinetic(cells, facing, peak, values[own:]); err != nil {
		return nil, err
	}
	for _, reduction := range []struct {
		operation transport.Operation
		values    []int64
	}{{transport.Sum, values}, {transport.Max, highest}} {
		if err := r.engine.Transport().Reduce(reduction.operation, reduction.values); err != nil {
			return nil, fmt.Errorf("measuring the dissipation: %w", err)
		}
	}
	s := &dissipationSums{viscous: fromFixed(values[0]) / scale, eddy: fromFixed(values[1]) / scale, walls: values[2], yPlus: fromFixed(values[3]), yPlusMax: fromFixed(highest[0])}
	for i := own; i < len(values); i += 2 {
		s.kinetic = append(s.kinetic, fromFixed(values[i+1])/fromFixed(values[i])/scale)
	}
	return s, nil
}

// strainSquare is S:S of the rate of strain in a cell, in lattice units, and the
// viscosity that acts there, given the rate as if the fluid's own did.
func (r *Rank) strainSquare(strain *[6][]float32, index int32, tau float64) (square, viscosity float64) {
	var s [6]float64
	for i := range s {
		s[i] = float64(strain[i][index]) * r.units.TimeStep
	}
	norm, effective := tracelessNorm(s), tau
	stress := norm * tau * 2 / 3
	switch settings := &r.settings; {
	case settings.limits():
		effective = max(tau, 0.5+settings.limiterFactor()*stress)
	case settings.Smagorinsky > 0:
		effective = (tau + math.Sqrt(tau*tau+18*math.Sqrt2*settings.Smagorinsky*settings.Smagorinsky*stress)) / 2
	}
	norm *= tau / effective
	return norm * norm, (effective - 0.5) / 3
}

// faced tells whether a boundary cell has a link to a wall, and to which openings, by
// index.
func (r *Rank) faced(boundary int) (wall bool, openings []int) {
	links := &r.domain.Grid.Links
	for link, end := links.Range(boundary); link < end; link++ {
		if number := links.Opening(link); number > 0 {
			openings = append(openings, number-1)
		} else {
			wall = true
		}
	}
	return wall, openings
}

// addKinetic adds for each opening the velocity along its normal in cells, once for
// every link, and that times u², both relative to the peak.
func (r *Rank) addKinetic(cells []int32, facing [][]int, peak float64, sums []int64) error {
	f, err := r.kernel.FieldsAt(cells)
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return fmt.Errorf("measuring the energy at openings: %w", err)
	}
	for i := range cells {
		u := r3.Scale(1/(r.units.Velocity()*peak), r3.Vec{X: float64(f.Velocity[0][i]), Y: float64(f.Velocity[1][i]), Z: float64(f.Velocity[2][i])})
		for _, o := range facing[i] {
			along := r3.Dot(u, r.domain.Grid.Openings[o].Normal)
			sums[2*o] += toFixed(along)
			sums[2*o+1] += toFixed(along * r3.Norm2(u))
		}
	}
	return nil
}

// ResolutionFields tell how well each cell resolves the flow.
type ResolutionFields struct {
	// CellReynolds is |u|Δx/ν. YPlus is half a spacing over the viscous length of the shear
	// stress in cells with a link to a wall, 0 in others.
	CellReynolds, YPlus []float32
	// Resolved is the part of the dissipation that the fluid's own viscosity makes, beside
	// that of the limiter or of Smagorinsky: 1 where these do not act.
	Resolved []float32
}

// TellsResolution tells whether there are ResolutionFields and a Resolution: not where cells
// are very many, or ranks know a share of them.
func (r *Rank) TellsResolution() bool {
	return r.domain.CellCount() <= grainCells && r.domain.Share == nil
}

// ResolutionFields are those of the rank's own cells, given their fields. Call it after an
// even number of steps, where TellsResolution.
func (r *Rank) ResolutionFields(f *Fields) (*ResolutionFields, error) {
	strain, err := r.StrainRate()
	if err != nil {
		return nil, err
	}
	n := len(f.Pressure)
	out := &ResolutionFields{make([]float32, n), make([]float32, n), make([]float32, n)}
	u := r.units
	perVelocity, tau := u.Spacing/u.KinematicViscosity, u.RelaxationTime()
	viscosity := (tau - 0.5) / 3
	links, at := &r.domain.Grid.Links, 0
	for _, p := range r.layout.Pieces {
		first := r.domain.InGrid(p.Global)
		at, _ = links.Search(first)
		for cell := range int64(p.Cells()) {
			i := p.Index + int32(cell)
			v := [3]float64{float64(f.Velocity[0][i]), float64(f.Velocity[1][i]), float64(f.Velocity[2][i])}
			out.CellReynolds[i] = float32(perVelocity * math.Sqrt(v[0]*v[0]+v[1]*v[1]+v[2]*v[2]))
			square, effective := r.strainSquare(&strain, i, tau)
			out.Resolved[i] = float32(viscosity / effective)
			if at == links.Len() || links.Cell(at) != first+cell {
				continue
			}
			if wall, _ := r.faced(at); wall {
				out.YPlus[i] = float32(yPlus(square, effective, viscosity))
			}
			at++
		}
	}
	return out, nil
}

// yPlus is half a cell over the viscous length of the shear stress in a cell, given S:S and
// the viscosity that acts, in lattice units.
func yPlus(square, effective, viscosity float64) float64 {
	return math.Sqrt(effective*math.Sqrt(2*square)) / 2 / viscosity
}
