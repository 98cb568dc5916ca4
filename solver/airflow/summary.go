package airflow

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver/airflow/moments"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/steadiness"
	"carina/solver/transport"
)

// Summary is the outcome of a computation, in SI units.
type Summary struct {
	FluidCells int64   `json:"fluid_cells"`
	Spacing    float64 `json:"spacing_m"`
	TimeStep   float64 `json:"time_step_s"`
	Steps      int64   `json:"steps"`
	Time       float64 `json:"time_s"`
	Seconds    float64 `json:"seconds"`
	MLUPS      float64 `json:"mlups"`
	// Reynolds is that at the inlets, of the flow that is prescribed where waveforms are
	// one, or of the part of it that the start has reached; else of what enters.
	Reynolds       float64 `json:"reynolds"`
	Mach           float64 `json:"mach"`
	RelaxationTime float64 `json:"relaxation_time"`
	PressureDrop   float64 `json:"pressure_drop_pa"`
	// MassBalance is |inflow − outflow| relative to the inflow, and one where air
	// leaves and none enters. In a flow of a periodic waveform it is the largest
	// difference in the last cycle relative to the largest inflow.
	MassBalance  float64          `json:"mass_balance"`
	PeakVelocity float64          `json:"peak_velocity_m_per_s"`
	Openings     []OpeningSummary `json:"openings"`
	StateHash    string           `json:"state_hash"`
	Ranks        []RankSummary    `json:"ranks"`
	Warnings     []string         `json:"warnings,omitempty"`
	// The method as it was chosen, and what flows.
	Collision          Collision `json:"collision"`
	Wall               Wall      `json:"wall"`
	Lattice            Lattice   `json:"lattice"`
	Precision          Precision `json:"precision"`
	Density            float64   `json:"density_kg_per_m3"`
	KinematicViscosity float64   `json:"kinematic_viscosity_m2_per_s"`
	// Steady tells whether the flow, of a periodic waveform each cycle, has become
	// steady: whether all of Known are within the tolerance of the plan; nil where it
	// was not watched or not for long enough.
	// VelocityChange is the relative change of the velocity while sound crossed
	// the domain, the larger of the last two, where no air enters and leaves.
	Steady         *bool              `json:"steady,omitempty"`
	Known          []steadiness.Known `json:"known,omitempty"`
	VelocityChange *float64           `json:"velocity_change,omitempty"`
	// Started is which part of what openings prescribe without a waveform had been
	// reached at the end; nil where that was all of it.
	Started *float64 `json:"started,omitempty"`
	// Stored is what is prescribed to enter more than to leave, in m³/s, where all open
	// openings prescribe their flow, so that the pressure changes without end and the flow
	// is not called steady; 0 where it adds up.
	Stored float64 `json:"stored_m3_per_s,omitempty"`
	// Narrow is the place inside where the fastest air was expected; nil where that was
	// at an opening.
	Narrow *NarrowSummary `json:"narrow_place,omitempty"`
	// Limited is the part of the cells in which the recursive operator's limiter
	// acts at the end, nil with other operators.
	Limited *float64 `json:"limited_share,omitempty"`
	// Grain tells how smooth the velocity is, see Grain; nil where there are very
	// many cells.
	Grain *float64 `json:"grain,omitempty"`
	// Resolution tells how well the cells resolve the flow; nil where there are very
	// many cells.
	Resolution *Resolution `json:"resolution,omitempty"`
	// Statistics tell from when on they are; nil where none were taken.
	Statistics *moments.Summary `json:"statistics,omitempty"`
	// GoneBack tells how often the flow diverged and how it went on.
	GoneBack []GoneBack `json:"gone_back,omitempty"`
	// Interrupted tells that fewer steps than wanted were computed, because
	// somebody stopped the program.
	Interrupted bool `json:"interrupted,omitempty"`
	// Settings are those used.
	Settings *UsedSettings `json:"settings"`
}

// NarrowSummary is a narrow place inside.
type NarrowSummary struct {
	Center [3]float64 `json:"center_m"`
	Area   float64    `json:"area_m2"`
	// Behind are the numbers of the openings on one side of it.
	Behind []int `json:"openings_behind"`
}

// OpeningSummary is the flow through one opening.
type OpeningSummary struct {
	Number int     `json:"number"`
	Name   string  `json:"name"`
	Role   string  `json:"role"`
	Area   float64 `json:"area_m2"`
	// Flow is positive where air enters.
	Flow     float64 `json:"flow_m3_per_s"`
	Pressure float64 `json:"pressure_pa"`
	// Sure is from 0 to 1 how sure it is that the lumen ends there.
	Sure float64 `json:"sure"`
}

// RankSummary is the load of one rank.
type RankSummary struct {
	FluidCells    int64   `json:"fluid_cells"`
	Work          float64 `json:"work"`
	StepSeconds   float64 `json:"step_seconds"`
	ExchangeShare float64 `json:"exchange_share"`
	Bytes         int64   `json:"bytes"`
	Device        string  `json:"device"`
}

// Summary describes the state of the computation. Call it on all ranks; all
// get the same.
func (r *Rank) Summary() (*Summary, error) {
	last, err := r.check(quiet)
	if err != nil {
		return nil, err
	}
	hash, err := r.Hash()
	if err != nil {
		return nil, err
	}
	timing := r.engine.Timing()
	s := &Summary{
		FluidCells: r.domain.CellCount(), Spacing: r.units.Spacing, TimeStep: r.units.TimeStep,
		Steps: r.engine.Steps(), Time: r.Time(), RelaxationTime: r.units.RelaxationTime(),
		Mach:         Mach(last),
		PeakVelocity: last * r.units.Velocity(),
		StateHash:    fmt.Sprintf("%016x", hash), Warnings: r.units.warnings(r.warnings, max(last, r.fastest)), Settings: r.Used(),
	}
	s.describe(&r.settings, r.units)
	if n := r.expected.narrow; n != nil {
		s.Narrow = &NarrowSummary{[3]float64{n.Center.X, n.Center.Y, n.Center.Z}, n.Area, n.Behind}
	}
	s.Statistics = r.kernel.Statistics().Summary(r.units.TimeStep)
	s.Steady, s.VelocityChange = r.watch.outcome()
	if r.still != nil && r.still.Tolerance > 0 {
		s.Steady, s.Known = r.still.Outcome(), r.still.Known(r.units.Pressure(), r.units.FlowRate())
	}
	if s.Stored = r.settings.storedFlow(r.domain.Grid); s.Stored != 0 {
		s.Steady = new(bool)
	}
	if s.Openings, err = r.OpeningSummaries(); err != nil {
		return nil, err
	}
	s.Reynolds = r.expected.reynolds(s.Openings, r.units.KinematicViscosity)
	if s.Started = r.started(s.Steps); s.Started != nil && r.expected.meanInletVelocity != 0 {
		s.Reynolds *= *s.Started
	}
	s.PressureDrop, s.MassBalance = dropAndBalance(s.Openings, r.faces.Areas)
	if mismatch, ok := r.still.Mismatch(); ok {
		s.MassBalance = mismatch
	}
	if s.Limited, err = r.limited(); err != nil {
		return nil, err
	}
	if s.Grain, err = r.grain(); err != nil {
		return nil, err
	}
	if s.Resolution, err = r.resolution(last, s); err != nil {
		return nil, err
	}
	if s.Ranks, err = r.rankSummaries(); err != nil {
		return nil, err
	}
	for _, rank := range s.Ranks {
		s.Seconds = max(s.Seconds, rank.StepSeconds*float64(timing.Steps))
	}
	if s.Seconds > 0 {
		s.MLUPS = float64(s.FluidCells) * float64(timing.Steps) / s.Seconds / 1e6
	}
	return s, nil
}

// LeastPressure is below what differences of pressures and stresses are rounding, in Pa.
func (s *Summary) LeastPressure() float64 {
	pressures := make([]float64, len(s.Openings))
	for i := range s.Openings {
		pressures[i] = s.Openings[i].Pressure
	}
	return quantity.LeastPressure(s.PressureDrop, s.Density, s.PeakVelocity, pressures...)
}

// Rounds tells whether so little flows that the sums of it over openings, which are in
// fixed point, may differ by a hundredth for that alone.
func (s *Summary) Rounds() bool {
	const hundredth, linksPerFace = 50, 5
	u := Units{Spacing: s.Spacing, TimeStep: s.TimeStep}
	for _, o := range s.Openings {
		faces := o.Area / (s.Spacing * s.Spacing)
		if flow := math.Abs(o.Flow); flow > 0 && flow/u.FlowRate() < hundredth*linksPerFace*faces/fixedPoint {
			return true
		}
	}
	return false
}

// describe says by which method what was computed.
func (s *Summary) describe(settings *Settings, u Units) {
	s.Collision, s.Wall, s.Precision = settings.Collision, settings.Wall, settings.Precision
	s.Lattice = Lattice(settings.set().Name)
	s.Density, s.KinematicViscosity = u.Density, u.KinematicViscosity
}

// dropAndBalance returns the pressure drop from the inlets to the outlets, averaged
// by area, and the relative mass balance. Openings without an area as voxelized are
// closed and have no pressure.
func dropAndBalance(openings []OpeningSummary, voxelized []float64) (drop, mass float64) {
	var area, pressure [2]float64
	var in, out float64
	for i, o := range openings {
		if voxelized[i] == 0 {
			continue
		}
		side := 0
		if o.Role != "inlet" {
			side = 1
		}
		area[side] += o.Area
		pressure[side] += o.Area * o.Pressure
		in += max(0, o.Flow)
		out += max(0, -o.Flow)
	}
	for side := range 2 {
		if area[side] > 0 {
			pressure[side] /= area[side]
		}
	}
	switch {
	case in > 0:
		mass = math.Abs(in-out) / in
	case out > 0:
		mass = 1
	}
	return pressure[0] - pressure[1], mass
}

// sumOpenings sums the flow through the openings in the last step, and the
// density there times the weights, over all ranks, unless that was done.
func (r *Rank) sumOpenings() error {
	if r.summed == r.engine.Steps() {
		return nil
	}
	sums := r.sums
	clear(sums)
	err := r.kernel.Collect(0, sums)
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return fmt.Errorf("summing the flow through the openings: %w", err)
	}
	if err := r.engine.Transport().Reduce(transport.Sum, sums); err != nil {
		return fmt.Errorf("summing the flow through the openings: %w", err)
	}
	r.summed = r.engine.Steps()
	return nil
}

// OpeningSummaries returns the flow through the openings in the last step.
// Call it on all ranks; all get the same.
func (r *Rank) OpeningSummaries() ([]OpeningSummary, error) {
	if err := r.sumOpenings(); err != nil {
		return nil, err
	}
	sums := r.sums
	return openingSummaries(r.kernel.Openings(), r.domain.Grid, r.units, r.ambientAfter(r.engine.Steps()), func(i int) (int64, int64) { return sums[2*i], sums[2*i+1] }), nil
}

// openingSummaries describes the openings under an ambient pressure. Of one of them
// sums gives what has left through it in the last step, and the weights times the density.
func openingSummaries(states *opening.States, grid *geometry.Grid, u Units, ambient float64, sums func(i int) (outflow, weighted int64)) []OpeningSummary {
	list := make([]OpeningSummary, len(grid.Openings))
	for i, at := range grid.Openings {
		outflow, weighted := sums(i)
		density := states.List[i].MeanDensity(fromFixed(weighted))
		list[i] = OpeningSummary{
			Number: at.Number, Name: at.Name, Role: string(at.Role), Area: at.Area,
			Flow: fromFixed(-outflow) * u.FlowRate(), Pressure: density*u.Pressure() + ambient, Sure: 1 - at.Doubt,
		}
	}
	return list
}

// rankSummaries collects the load of all ranks.
func (r *Rank) rankSummaries() ([]RankSummary, error) {
	n, timing := r.domain.Ranks, r.engine.Timing()
	values := make([]int64, 4*n)
	own := values[4*r.Number():]
	own[0], own[1] = int64(r.layout.Fluid), int64(timing.Total)
	own[2], own[3] = int64(timing.Exchange), r.Bytes()
	if err := r.engine.Transport().Reduce(transport.Sum, values); err != nil {
		return nil, fmt.Errorf("collecting the load of the ranks: %w", err)
	}
	devices, err := transport.Collect(r.engine.Transport(), r.kernel.Device())
	if err != nil {
		return nil, err
	}
	list := make([]RankSummary, n)
	for i := range list {
		v := values[4*i:]
		list[i] = RankSummary{FluidCells: v[0], Bytes: v[3], Device: devices[i]}
		if timing.Steps > 0 {
			list[i].StepSeconds = float64(v[1]) / 1e9 / float64(timing.Steps)
		}
		if v[1] > 0 {
			list[i].ExchangeShare = float64(v[2]) / float64(v[1])
		}
		if i < len(r.domain.Work) {
			list[i].Work = r.domain.Work[i]
		}
	}
	return list, nil
}

// Bytes returns the memory that the rank uses for its cells.
func (r *Rank) Bytes() int64 { return r.engine.Bytes() + r.kernel.Bytes() }

// Hash returns a hash of the state of all cells. It does not depend on how the
// cells are distributed. Call it on all ranks.
func (r *Rank) Hash() (uint64, error) { return r.engine.Hash() }
