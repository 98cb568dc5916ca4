package run

import (
	"math"

	"carina/output"
	"carina/solver"
	"carina/solver/airflow"
)

// View is the flow on a rank at one moment. Openings and Gather are called by all
// ranks together.
type View struct {
	rank   *airflow.Rank
	domain *solver.Domain
}

// Rank is the number of the rank.
func (v *View) Rank() int { return v.rank.Number() }

// Time is in seconds.
func (v *View) Time() float64 { return v.rank.Time() }

// Step is the number of steps done.
func (v *View) Step() int64 { return int64(math.Round(v.Time() / v.rank.Units().TimeStep)) }

// Openings is the flow through the openings.
func (v *View) Openings() ([]airflow.OpeningSummary, error) { return v.rank.OpeningSummaries() }

// Fields are those of the rank's cells.
func (v *View) Fields() (*airflow.Fields, error) { return v.rank.Fields() }

// Gather brings what Fields returned together on rank 0, for all cells by
// global number; the others get nil.
func (v *View) Gather(f *airflow.Fields) (*airflow.Fields, error) { return v.rank.GatherFields(f) }

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
