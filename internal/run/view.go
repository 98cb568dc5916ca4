package run

import (
	"encoding/binary"
	"fmt"
	"math"

	"carina/output"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/moments"
	"carina/solver/transport"
)

// Computation is what a rank computes, of any physics, as what is done between its steps
// needs it: an airflow.Rank is one. All ranks call its methods together.
type Computation interface {
	// Engine is the rank as the engine has it now.
	Engine() *solver.Rank
	// Time is how much has passed, in seconds.
	Time() float64
	// SaveStateInto returns the state, in the memory of one that nobody needs any more;
	// nil is none.
	SaveStateInto(spare *solver.State) (*solver.State, error)
	// LoadState goes on from what ranks have saved.
	LoadState(saved []*solver.State) error
	// Move gives cells to other owners.
	Move(domain *solver.Domain) error
}

// View is the flow on a rank at one moment. Openings, Read, Gather, Collect and Resampled are
// called by all ranks together.
type View struct {
	rank   *airflow.Rank
	domain *solver.Domain
}

// Computation is the flow as any physics.
func (v *View) Computation() Computation { return v.rank }

// Rank is the number of the rank.
func (v *View) Rank() int { return v.rank.Number() }

// Time is in seconds.
func (v *View) Time() float64 { return v.rank.Time() }

// Step is the number of steps done.
func (v *View) Step() int64 { return int64(math.Round(v.Time() / v.rank.Units().TimeStep)) }

// TimeStep is in seconds.
func (v *View) TimeStep() float64 { return v.rank.Units().TimeStep }

// Viscosity is the dynamic one, in Pa·s.
func (v *View) Viscosity() float64 {
	u := v.rank.Units()
	return u.Density * u.KinematicViscosity
}

// Transport connects the rank with the others.
func (v *View) Transport() transport.Transport { return v.rank.Engine().Transport() }

// Timing is where the rank's time went.
func (v *View) Timing() solver.Timing { return v.rank.Engine().Timing() }

// Openings is the flow through the openings.
func (v *View) Openings() ([]airflow.OpeningSummary, error) { return v.rank.OpeningSummaries() }

// Read measures gauges, see airflow.Rank.Read.
func (v *View) Read(g *airflow.Gauges) ([]airflow.Reading, error) { return v.rank.Read(g) }

// Statistics are those of the rank's cells.
func (v *View) Statistics() *moments.Statistics { return v.rank.Statistics() }

// Fields are those of the rank's cells.
func (v *View) Fields() (*airflow.Fields, error) { return v.rank.Fields() }

// ResolutionFields tell how well the rank's cells resolve the flow, given their fields; nil
// on all ranks where cells are too many.
func (v *View) ResolutionFields(own *airflow.Fields) (*airflow.ResolutionFields, error) {
	if !v.rank.TellsResolution() {
		return nil, nil
	}
	return v.rank.ResolutionFields(own)
}

// Gather brings what Fields returned together on rank 0, for all cells by
// global number; the others get nil.
func (v *View) Gather(f *airflow.Fields) (*airflow.Fields, error) { return v.rank.GatherFields(f) }

// Resampled is the flow of all cells for another grid to go on from, on rank 0; the
// others get nil.
func (v *View) Resampled() (*airflow.Resampled, error) {
	own, err := v.Fields()
	if err != nil {
		return nil, err
	}
	strain, err := v.rank.StrainRate()
	if err != nil {
		return nil, err
	}
	// Six components travel as two fields of four numbers.
	var all [3]*airflow.Fields
	for i, f := range []*airflow.Fields{own,
		{Pressure: strain[0], Velocity: [3][]float32{strain[1], strain[2], strain[3]}},
		{Pressure: strain[4], Velocity: [3][]float32{strain[5], strain[5], strain[5]}}} {
		if all[i], err = v.Gather(f); err != nil {
			return nil, err
		}
	}
	if all[0] == nil {
		return nil, nil
	}
	a, b := all[1], all[2]
	return airflow.NewResampled(v.domain.Grid, all[0], [6][]float32{a.Pressure, a.Velocity[0], a.Velocity[1], a.Velocity[2], b.Pressure, b.Velocity[0]}), nil
}

// Collect brings what every rank has together on rank 0, by rank; the others get nil.
func (v *View) Collect(own []byte) ([][]byte, error) { return Collect(v.Transport(), own) }

// Collect brings what every rank has together on rank 0, by rank; the others get nil. All
// call it together.
func Collect(t transport.Transport, own []byte) ([][]byte, error) {
	if t.Rank() != 0 {
		length := binary.NativeEndian.AppendUint64(nil, uint64(len(own)))
		if err := t.Send(0, length); err != nil {
			return nil, fmt.Errorf("handing in the results: %w", err)
		}
		return nil, t.Send(0, own)
	}
	all := make([][]byte, t.Size())
	all[0] = own
	for from := 1; from < len(all); from++ {
		var length [8]byte
		if err := t.Receive(from, length[:]); err != nil {
			return nil, fmt.Errorf("collecting the results of rank %d: %w", from, err)
		}
		all[from] = make([]byte, binary.NativeEndian.Uint64(length[:]))
		if err := t.Receive(from, all[from]); err != nil {
			return nil, fmt.Errorf("collecting the results of rank %d: %w", from, err)
		}
	}
	return all, nil
}

// Piece is what Fields returned as files of results want it.
func (v *View) Piece(f *airflow.Fields) *output.Piece {
	piece := &output.Piece{Frame: output.FrameOf(v.domain.Grid), Rank: v.Rank(), Ranks: v.domain.Ranks, Time: v.Time()}
	for _, p := range v.rank.Pieces() {
		piece.Runs = append(piece.Runs, p.Run)
	}
	piece.Pressure, piece.Velocity = f.Pressure, make([][3]float32, len(f.Pressure))
	for i := range piece.Velocity {
		piece.Velocity[i] = [3]float32{f.Velocity[0][i], f.Velocity[1][i], f.Velocity[2][i]}
	}
	return piece
}
