package workflow

import (
	"fmt"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/output"
)

// hooks make a computation on GPUs report to these results.
func (r *results) hooks(domain *solver.Domain, gathered gather) cuda.Hooks {
	if r.solver.Folder == "" {
		return cuda.Hooks{}
	}
	return cuda.Hooks{
		Observe: func(g *cuda.Solver) error {
			openings, err := g.OpeningSummaries()
			if err == nil {
				r.history.add(g.Time(), openings)
			}
			return err
		},
		Diverged: func(g *cuda.Solver, fields *solver.Fields) error {
			for rank := range domain.Ranks {
				if err := output.WriteVTU(r.path(fmt.Sprintf("diverged_%04d.vtu", rank)), r.pieceOf(domain, fields, rank, g.Time())); err != nil {
					return err
				}
			}
			return nil
		},
		Visit: func(g *cuda.Solver) error { return r.visitGPUs(g, domain, gathered) },
	}
}

// visitGPUs writes the fields that GPUs computed, a piece for each rank, and
// hands in the pictures.
func (r *results) visitGPUs(g *cuda.Solver, domain *solver.Domain, gathered gather) error {
	fields, err := g.Fields()
	if err != nil {
		return err
	}
	if r.solver.Grid.Cells() <= pageLimit {
		r.fields = fields
	}
	for rank := range domain.Ranks {
		if err := r.visitPiece(r.pieceOf(domain, fields, rank, g.Time()), gathered); err != nil {
			return err
		}
	}
	return nil
}

// pieceOf takes the cells of one rank out of fields by global number. The
// domain's segments must be in run order.
func (r *results) pieceOf(domain *solver.Domain, fields *solver.Fields, rank int, time float64) *output.Piece {
	piece := &output.Piece{Frame: r.frame, Rank: rank, Ranks: domain.Ranks, Time: time}
	var global int64
	for _, s := range domain.Segments {
		end := global + int64(s.X1-s.X0)
		if int(domain.Owners[s.Cuboid]) == rank {
			piece.Runs = append(piece.Runs, geometry.Run{X0: s.X0, X1: s.X1, Y: s.Y, Z: s.Z})
			piece.Pressure = append(piece.Pressure, fields.Pressure[global:end]...)
			for i := global; i < end; i++ {
				piece.Velocity = append(piece.Velocity, [3]float32{fields.Velocity[0][i], fields.Velocity[1][i], fields.Velocity[2][i]})
			}
		}
		global = end
	}
	return piece
}
