package airflow

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"carina/balance"
	"carina/internal/quantity"
	"carina/solver/airflow/collision"
	"carina/solver/airflow/opening"
	"carina/solver/lattice"

	"gonum.org/v1/gonum/spatial/r3"
)

// Collision names a collision operator.
type Collision string

// The collision operators.
const (
	// Automatic is TRT where that is stable, at long relaxation times or small cell
	// Reynolds numbers; else Recursive, or Cumulant with 27 velocities.
	Automatic Collision = "auto"
	// TRT relaxes symmetric and antisymmetric parts with two rates tied by
	// Settings.Magic (Ginzburg, Verhaeghe and d'Humières 2008).
	TRT Collision = "trt"
	// BGK relaxes everything with one rate (Qian, d'Humières and Lallemand
	// 1992).
	BGK Collision = "bgk"
	// Regularized relaxes the second moments alone (Latt and Chopard 2006).
	Regularized Collision = "regularized"
	// Recursive relaxes the traceless second moments and makes the higher ones
	// of them (Malaspinas 2015; Jacob, Malaspinas and Sagaut 2018), but keeps some
	// of the third ones, see Settings.Memory, so that results do not depend on the
	// time step. Where the flow is coarse for its strain rate, a limiter raises the
	// viscosity, see Settings.Limiter.
	Recursive Collision = "recursive"
	// Cumulant relaxes the cumulants up to third order, with rates and an equilibrium
	// of the fourth that make shear right to fourth order of the spacing at relaxation
	// times below 4/7 (Geier, Pasquali and Schönherr 2017); at longer ones it relaxes
	// the second alone (Geier, Schönherr, Pasquali and Krafczyk 2015). It is stable at
	// Reynolds numbers of thousands and needs the 27 velocities and a grid with links
	// in 26 directions.
	Cumulant Collision = "cumulant"
)

// Collisions lists the collision operators.
var Collisions = []Collision{Automatic, TRT, BGK, Regularized, Recursive, Cumulant}

// Wall names the treatment of walls.
type Wall string

// The treatments of walls.
const (
	// Interpolated places the wall where the surface cuts each link
	// (Bouzidi, Firdaouss and Lallemand 2001, linear).
	Interpolated Wall = "interpolated"
	// Quadratic does so with one more cell behind each link (Bouzidi and
	// others, quadratic). Links with fewer than two fluid cells behind them
	// are corrected linearly.
	Quadratic Wall = "quadratic"
	// BounceBack places the wall half-way between cells.
	BounceBack Wall = "bounce-back"
)

// Walls lists the treatments of walls.
var Walls = []Wall{Interpolated, Quadratic, BounceBack}

// Precision names how populations are stored and computed with.
type Precision string

// The precisions.
const (
	// Single stores and computes in 32 bits.
	Single Precision = "single"
	// Double stores and computes in 64 bits.
	Double Precision = "double"
	// Half stores deviations from rest, multiplied by 2¹⁵, in 16 bits and
	// computes in 32 (Lehmann et al. 2022, FP16S): half the memory and half its
	// traffic, where 11 significant bits of every population suffice.
	Half Precision = "half"
)

// Precisions lists the precisions.
var Precisions = []Precision{Single, Double, Half}

// Layout names how the cells of a rank are stored.
type Layout = balance.Layout

// The layouts. Both give the same results.
const (
	// Sparse stores fluid cells alone, row after row.
	Sparse = balance.Sparse
	// Dense stores the boxes of all cuboids whole. Solid cells next to fluid
	// ones are computed along and ignored.
	Dense = balance.Dense
)

// Layouts lists the layouts.
var Layouts = []Layout{Sparse, Dense}

// Lattice names a set of velocities.
type Lattice string

// The sets of velocities.
const (
	D3Q19 Lattice = "D3Q19"
	D3Q27 Lattice = "D3Q27"
)

// Lattices lists the sets of velocities.
var Lattices = []Lattice{D3Q19, D3Q27}

// Settings say what flow is computed and how. Start from DefaultSettings.
type Settings struct {
	// Collision, Wall and Precision choose the method.
	Collision Collision
	Wall      Wall
	Precision Precision
	// Layout is Sparse if empty.
	Layout Layout
	// Lattice is D3Q19 if empty, or D3Q27 with the cumulant operator. BGK,
	// Regularized and Recursive exist on D3Q19 only.
	Lattice Lattice
	// Smagorinsky is the constant C of Smagorinsky's (1963) eddy viscosity,
	// often 0.1 to 0.2; 0 means none.
	Smagorinsky float64
	// Limiter is the constant C of the recursive operator's limiter: its viscosity
	// is that of the fluid, but at least (CΔx)²|S| with the strain rate |S|; so it
	// acts where |S|Δx²/ν exceeds 1/C². With Smagorinsky's it does not act.
	Limiter float64
	// Memory multiplies how long the recursive operator remembers third moments,
	// which is shorter the larger a cell's Reynolds number is and no longer than TRT
	// does; 0 means not at all, as in the operator's sources.
	Memory float64
	// Magic is Λ = (τ₊−½)(τ₋−½) of the TRT operator. 3/16 places a plain
	// bounce-back wall exactly half-way in a straight channel.
	Magic float64

	// FlowRate is the flow through all inlets together, in m³/s.
	FlowRate float64
	// Profile is that of the flow through inlets; empty means Plug.
	Profile opening.Profile
	// Waveform is a factor of FlowRate over time; nil means one, after a
	// smooth start.
	Waveform opening.Waveform
	// Conditions are those of openings by number. Without one, inlets share
	// FlowRate by area and outlets have pressure zero.
	Conditions map[int]opening.Condition
	// KinematicViscosity is ν, in m²/s.
	KinematicViscosity float64
	// Density is in kg/m³.
	Density float64
	// BodyForce is an acceleration of all fluid, in m/s².
	BodyForce [3]float64

	// ForceWaveform is a factor of BodyForce over time; nil means one.
	ForceWaveform opening.Waveform
	// Initial gives the pressure (Pa) and velocity (m/s) at the start; nil
	// means air at rest.
	Initial func(position r3.Vec) (pressure float64, velocity r3.Vec)
	// InitialStrain gives the rate of strain ½(∂_a u_b + ∂_b u_a) of Initial, in
	// 1/s, for xx, yy, zz, xy, xz and yz. Without it (nil) the flow starts without
	// viscous stress, which takes some of its energy in the first steps.
	InitialStrain func(position r3.Vec) [6]float64

	// TimeStep is in seconds. 0 chooses it so that the largest expected
	// velocity is LatticeVelocity and the relaxation time stays between the
	// limits of this package.
	TimeStep float64
	// LatticeVelocity is the largest expected velocity, in cells per step. 0
	// chooses 0.1, or less where waveforms change so fast that sound would store
	// air. Expected is twice the mean velocity through the fastest opening, by the
	// conditions of all and the largest factors of their waveforms, twice that
	// through an opening of less than a tenth of the widest one's area, and twice the
	// mean velocity through narrow places of the grid.
	LatticeVelocity float64
	// Mismatch is by how much inflow and outflow may differ in a flow that a waveform
	// changes, relative to their amplitude: the time step that is chosen makes sound
	// cross the domain √(180/Mismatch) times in the shortest period. 0 means 0.01.
	Mismatch float64
	// RampTime is how long the flow takes to start, in seconds. 0 chooses the
	// time in which sound crosses the domain 2/√Mismatch times, so that the outflow
	// overshoots by 2.5 times that at most; negative means none.
	RampTime float64

	// Workers is the number of goroutines per rank; 0 shares the processors
	// among the ranks of this process.
	Workers int
}

// DefaultSettings are those for air at body temperature and 15 litres a
// minute.
func DefaultSettings() Settings {
	return Settings{
		Collision: Automatic, Wall: Interpolated, Precision: Single,
		Magic:              3. / 16,
		Limiter:            0.085,
		Memory:             1,
		FlowRate:           15e-3 / 60,
		KinematicViscosity: 1.5e-5,
		Density:            1.2,
	}
}

// Validate says what is wrong with the settings, if anything.
func (s *Settings) Validate() error {
	if err := quantity.CheckName("collision", s.Collision, Collisions); err != nil {
		return err
	}
	if err := quantity.CheckName("wall", s.Wall, Walls); err != nil {
		return err
	}
	if err := quantity.CheckName("precision", s.Precision, Precisions); err != nil {
		return err
	}
	if s.Layout != "" {
		if err := quantity.CheckName("layout", s.Layout, Layouts); err != nil {
			return err
		}
	}
	if s.Lattice != "" {
		if err := quantity.CheckName("lattice", s.Lattice, Lattices); err != nil {
			return err
		}
	}
	if s.Profile != "" {
		if err := quantity.CheckName("profile", s.Profile, opening.Profiles); err != nil {
			return err
		}
	}
	if !s.computed() {
		return fmt.Errorf("the %s collision is not computed with the velocities %s; leave the lattice out, or choose another collision", s.Collision, s.set().Name)
	}
	if err := s.inRange(); err != nil {
		return err
	}
	if s.Workers < 0 {
		return errors.New("the number of workers is negative; give a positive one, or 0 to have it chosen")
	}
	return nil
}

// computed tells whether the collision exists with the velocities, as its kernels do.
func (s *Settings) computed() bool {
	return s.Collision == Automatic || slices.ContainsFunc(collision.Variants(), func(v collision.Variant) bool {
		return v.Name == string(s.Collision) && v.Set == s.set()
	})
}

// inRange refuses numbers that cannot be meant.
func (s *Settings) inRange() error {
	type number struct {
		name             string
		value, low, high float64
		note             string
	}
	const chosen = ", or leave it out to have it chosen"
	list := []number{
		{"magic parameter", s.Magic, 1e-9, 1e3, ""},
		{"kinematic viscosity", s.KinematicViscosity, 1e-15, 1e6, " m²/s"},
		{"density", s.Density, 1e-6, 1e6, " kg/m³"},
		{"lattice velocity", s.LatticeVelocity, 0, 1, " cells per step" + chosen},
		{"mismatch", s.Mismatch, 0, 1, chosen},
		{"time step", s.TimeStep, 0, 1e6, " s" + chosen},
		{"Smagorinsky constant", s.Smagorinsky, 0, 1, ", 0 for none"},
		{"limiter's constant", s.Limiter, 0, 1, ", 0 for none"},
		{"memory of third moments", s.Memory, 0, 100, ", 1 for the usual, 0 for none"},
		{"flow rate", s.FlowRate, -opening.LargestFlow, opening.LargestFlow, " m³/s"},
		{"ramp time", s.RampTime, -1e9, 1e9, " s"},
	}
	for _, a := range s.BodyForce {
		list = append(list, number{"body force", a, -1e9, 1e9, " m/s²"})
	}
	for _, n := range list {
		if err := quantity.CheckRange(n.name, n.value, n.low, n.high, n.note); err != nil {
			return err
		}
	}
	return nil
}

// TRT is unstable where odd moments are hardly relaxed and flow carries them along:
// they add up. Above largestTauMinus, τ₋−½, it carries cell Reynolds numbers up to
// largestTRTReynolds, that of the usual lattice velocity there: pipes of 11 cells
// lived at 8 with 5, 10 and 25 and diverged at 16 with 10, and the central airway,
// less strict, lived at 21 with 13 and diverged at 42.
const (
	largestTauMinus    = 4
	largestTRTReynolds = 6.4
)

// operator is the collision operator for a relaxation time and the cell Reynolds
// number of flow that openings drive, 0 where that is not known.
func (s *Settings) operator(tau, cellReynolds float64) Collision {
	if s.Collision != Automatic {
		return s.Collision
	}
	switch {
	case s.Magic/(tau-0.5) <= largestTauMinus || s.slow(cellReynolds):
		return TRT
	case s.set() == lattice.D3Q27:
		return Cumulant
	}
	return Recursive
}

// slow tells whether flow is known to be slow enough for TRT at any relaxation time.
func (s *Settings) slow(cellReynolds float64) bool {
	return cellReynolds > 0 && cellReynolds <= largestTRTReynolds && s.BodyForce == [3]float64{}
}

// tauMinus is the relaxation time of third moments, in steps: τ₋ of TRT. Operators
// that make them of the second keep them as long as those.
func (s *Settings) tauMinus(tau float64) float64 {
	switch s.Collision {
	case TRT:
		return 0.5 + min(s.Magic/(tau-0.5), largestTauMinus)
	case Regularized:
		return 1
	}
	return tau
}

// set returns the velocities.
func (s *Settings) set() *lattice.Set {
	if s.Lattice == D3Q27 || s.Lattice == "" && s.Collision == Cumulant {
		return lattice.D3Q27
	}
	return lattice.D3Q19
}

// Directions is how many directions the links of a grid must cover, for
// geometry.Options.
func (s *Settings) Directions() int { return s.set().Q - 1 }

// Bytes is the size of one population.
func (p Precision) Bytes() int {
	switch p {
	case Double:
		return 8
	case Half:
		return 2
	}
	return 4
}

// shortestPeriod is that of all waveforms at openings.
func (s *Settings) shortestPeriod() float64 {
	period := opening.ShortestPeriod(s.Waveform)
	for _, c := range s.Conditions {
		period = min(period, opening.ShortestPeriod(c.Waveform))
	}
	return period
}

// sharpestBend is the largest sudden change of a waveform's slope, in 1/s.
func (s *Settings) sharpestBend() float64 {
	bend := opening.SharpestBend(s.Waveform)
	for _, c := range s.Conditions {
		bend = max(bend, opening.SharpestBend(c.Waveform))
	}
	return bend
}

// Period is that of all waveforms, in seconds: 0 where none changes the flow, NaN
// where one has none, or they have different ones.
func (s *Settings) Period() float64 {
	period := math.Max(opening.Period(s.Waveform), opening.Period(s.ForceWaveform))
	for _, c := range s.Conditions {
		period = math.Max(period, opening.Period(c.Waveform))
	}
	whole := func(w opening.Waveform) bool {
		p := opening.Period(w)
		return p == 0 || math.Abs(period/p-math.Round(period/p)) < 1e-6
	}
	all := whole(s.Waveform) && whole(s.ForceWaveform)
	for _, c := range s.Conditions {
		all = all && whole(c.Waveform)
	}
	if !all || math.IsInf(period, 1) {
		return math.NaN()
	}
	return period
}
