package airflow

import (
	"carina/solver/airflow/collision"
	"carina/solver/airflow/opening"
)

// UsedSettings are the settings of a computation with all choices made.
type UsedSettings struct {
	Collision Collision `json:"collision"`
	Lattice   Lattice   `json:"lattice"`
	Wall      Wall      `json:"wall"`
	Precision Precision `json:"precision"`
	// Layout and InstructionSet are those of processors, on rank 0.
	Layout         Layout          `json:"layout,omitempty"`
	InstructionSet string          `json:"instruction_set,omitempty"`
	Profile        opening.Profile `json:"profile"`
	Smagorinsky    float64         `json:"smagorinsky"`
	Magic          float64         `json:"magic"`
	Limiter        float64         `json:"limiter"`
	// Memory is that of third moments, see Settings.Memory.
	Memory float64 `json:"memory"`
	// SumForgetting and DifferenceForgetting are the parts of sums and differences of
	// third moments that the operator forgets in a step, where air rests if it goes by
	// the speed or by their size: all of them with Regularized, and with Cumulant at long
	// relaxation times; 0 with TRT and BGK.
	SumForgetting        float64 `json:"sum_forgetting,omitempty"`
	DifferenceForgetting float64 `json:"difference_forgetting,omitempty"`
	// TraceKept is the part of what the trace of second moments is beside its equilibrium
	// that the recursive operator keeps in a step, below zero in short ones and on coarse cells.
	TraceKept float64 `json:"trace_kept,omitempty"`
	// ThirdLimit is the size of third cumulants, in lattice units, at which the cumulant
	// operator keeps half of what it keeps of small ones.
	ThirdLimit float64 `json:"third_limit,omitempty"`

	FlowRate           float64 `json:"flow_m3_per_s"`
	KinematicViscosity float64 `json:"kinematic_viscosity_m2_per_s"`
	Density            float64 `json:"density_kg_per_m3"`
	TimeStep           float64 `json:"time_step_s"`
	// LatticeVelocity is the largest expected velocity, in cells per step.
	LatticeVelocity float64 `json:"lattice_velocity"`
	RampTime        float64 `json:"ramp_time_s"`
	// Workers is the number of goroutines per rank.
	Workers int `json:"workers,omitempty"`
}

// Used are the settings of the rank with all choices made.
func (r *Rank) Used() *UsedSettings {
	u := r.used()
	r.kernel.Describe(u)
	return u
}

// used returns the settings that do not depend on the device.
func (r *airflow) used() *UsedSettings {
	s := &r.settings
	u := &UsedSettings{
		Collision: s.Collision, Lattice: Lattice(r.set.Name), Wall: s.Wall, Precision: s.Precision, Profile: opening.Plug,
		Smagorinsky: s.Smagorinsky, Magic: s.Magic, Limiter: s.Limiter, Memory: s.Memory,
		FlowRate: s.FlowRate, KinematicViscosity: s.KinematicViscosity, Density: s.Density,
		TimeStep: r.units.TimeStep, LatticeVelocity: r.expected.peakVelocity / r.units.Velocity(), RampTime: r.rampSteps * r.units.TimeStep,
	}
	switch s.Collision {
	case Recursive:
		parameters := r.parameters()
		u.SumForgetting, u.DifferenceForgetting = parameters[collision.SumForgetting], parameters[collision.DifferenceForgetting]
		u.TraceKept = r.traceKept()
	case Cumulant:
		parameters := r.parameters()
		u.SumForgetting, u.DifferenceForgetting = 1-parameters[collision.KeptSum], 1-parameters[collision.KeptDifference]
		u.ThirdLimit = parameters[collision.ThirdLimit]
	case Regularized:
		u.SumForgetting, u.DifferenceForgetting = 1, 1
	}
	if s.Profile != "" {
		u.Profile = s.Profile
	}
	return u
}

// Bytes that a cell takes besides its populations: tables of the layout, halo,
// fields for output. Measured on airways, rounded up; see Rank.Bytes.
const bytesBesidesPopulations = 60

// MemoryEstimate returns about how many bytes all ranks together use for so
// many fluid cells, the fields for output included.
func MemoryEstimate(cells int64, s Settings) int64 {
	return cells * (int64(s.set().Q*s.Precision.Bytes()) + bytesBesidesPopulations)
}
