package run

import (
	"math"

	"carina/geometry"
	"carina/output"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda"
)

// View is the flow in the cells of a rank, or of all ranks of a process that
// computes on GPUs, at one moment. Openings and Gather are called by all ranks
// together.
type View interface {
	// Rank is the number of the rank, or of the first of several.
	Rank() int
	// Time is in seconds, Step the number of steps done.
	Time() float64
	Step() int64
	// Openings is the flow through the openings.
	Openings() ([]airflow.OpeningSummary, error)
	// Fields are those of the view's cells.
	Fields() (*airflow.Fields, error)
	// Gather brings what Fields returned together on rank 0, for all cells by
	// global number; the others get nil.
	Gather(*airflow.Fields) (*airflow.Fields, error)
	// Pieces are what Fields returned as files of results want it, one for each
	// rank.
	Pieces(*airflow.Fields) []*output.Piece
}

// rankView is a rank of the processor.
type rankView struct {
	rank   *airflow.Rank
	domain *solver.Domain
}

func (v rankView) Rank() int                                   { return v.rank.Number() }
func (v rankView) Time() float64                               { return v.rank.Time() }
func (v rankView) Step() int64                                 { return stepOf(v.Time(), v.rank.Units()) }
func (v rankView) Openings() ([]airflow.OpeningSummary, error) { return v.rank.OpeningSummaries() }
func (v rankView) Fields() (*airflow.Fields, error)            { return v.rank.Fields(), nil }

func (v rankView) Gather(*airflow.Fields) (*airflow.Fields, error) { return v.rank.Gather() }

func (v rankView) Pieces(f *airflow.Fields) []*output.Piece {
	piece := &output.Piece{Frame: output.FrameOf(v.domain.Grid), Rank: v.Rank(), Ranks: v.domain.Ranks, Time: v.Time()}
	for _, p := range v.rank.Pieces() {
		piece.Runs = append(piece.Runs, p.Run)
	}
	piece.Pressure, piece.Velocity = f.Pressure, make([][3]float32, len(f.Pressure))
	for i := range piece.Velocity {
		piece.Velocity[i] = [3]float32{f.Velocity[0][i], f.Velocity[1][i], f.Velocity[2][i]}
	}
	return []*output.Piece{piece}
}

// gpuView is the GPUs of this process: all, or the one of the rank that it is.
type gpuView struct {
	gpus      *cuda.Solver
	domain    *solver.Domain
	processes bool
}

func (v gpuView) Rank() int                                   { return v.gpus.Rank() }
func (v gpuView) Time() float64                               { return v.gpus.Time() }
func (v gpuView) Step() int64                                 { return stepOf(v.Time(), v.gpus.Flow().Units) }
func (v gpuView) Openings() ([]airflow.OpeningSummary, error) { return v.gpus.OpeningSummaries() }
func (v gpuView) Fields() (*airflow.Fields, error)            { return v.gpus.Fields() }

func (v gpuView) Gather(f *airflow.Fields) (*airflow.Fields, error) { return v.gpus.Gather(f) }

func (v gpuView) Pieces(f *airflow.Fields) []*output.Piece {
	if v.processes {
		piece := &output.Piece{Frame: output.FrameOf(v.domain.Grid), Rank: v.Rank(), Ranks: v.domain.Ranks, Time: v.Time()}
		for _, own := range v.gpus.OwnRuns() {
			piece.Runs = append(piece.Runs, own.Run)
			appendCells(piece, f, own.First, own.First+int64(own.X1-own.X0))
		}
		return []*output.Piece{piece}
	}
	var pieces []*output.Piece
	for rank := range v.domain.Ranks {
		pieces = append(pieces, pieceOf(v.domain, f, rank, v.Time()))
	}
	return pieces
}

// pieceOf takes the cells of one rank out of fields by global number. The
// domain's segments must be in run order.
func pieceOf(domain *solver.Domain, fields *airflow.Fields, rank int, time float64) *output.Piece {
	piece := &output.Piece{Frame: output.FrameOf(domain.Grid), Rank: rank, Ranks: domain.Ranks, Time: time}
	var global int64
	for _, s := range domain.Segments {
		end := global + int64(s.X1-s.X0)
		if int(domain.Owners[s.Cuboid]) == rank {
			piece.Runs = append(piece.Runs, geometry.Run{X0: s.X0, X1: s.X1, Y: s.Y, Z: s.Z})
			appendCells(piece, fields, global, end)
		}
		global = end
	}
	return piece
}

// appendCells adds the fields of cells from ≤ i < to.
func appendCells(piece *output.Piece, fields *airflow.Fields, from, to int64) {
	piece.Pressure = append(piece.Pressure, fields.Pressure[from:to]...)
	for i := from; i < to; i++ {
		piece.Velocity = append(piece.Velocity, [3]float32{fields.Velocity[0][i], fields.Velocity[1][i], fields.Velocity[2][i]})
	}
}

func stepOf(time float64, u airflow.Units) int64 { return int64(math.Round(time / u.TimeStep)) }
