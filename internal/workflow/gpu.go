package workflow

import (
	"carina/geometry"
	"carina/output"
	"carina/solver"
	"carina/solver/cuda"
)

// hooks make a computation on GPUs report to these results: for all ranks, or,
// where each has a process, for the one of this process.
func (r *results) hooks(domain *solver.Domain, gathered gather, processes bool) cuda.Hooks {
	hooks := cuda.Hooks{Memory: r.solver.Memory}
	if r.solver.Folder == "" {
		return hooks
	}
	pieces := func(g *cuda.Solver, fields *solver.Fields, f func(*output.Piece) error) error {
		if processes {
			return f(r.pieceOfProcess(g, fields))
		}
		for rank := range domain.Ranks {
			if err := f(r.pieceOf(domain, fields, rank, g.Time())); err != nil {
				return err
			}
		}
		return nil
	}
	return cuda.Hooks{
		Memory: hooks.Memory,
		Observe: func(g *cuda.Solver) error {
			openings, err := g.OpeningSummaries()
			if err == nil && g.Rank() == 0 {
				r.history.add(g.Time(), openings)
			}
			return err
		},
		Diverged: func(g *cuda.Solver, fields *solver.Fields) error {
			return pieces(g, fields, func(piece *output.Piece) error {
				r.writeDiverged(piece)
				return nil
			})
		},
		Visit: func(g *cuda.Solver) error {
			if !r.writes() {
				return nil
			}
			fields, err := g.Fields()
			if err != nil {
				return err
			}
			if r.solver.Share == nil && r.solver.cells() <= pageLimit {
				if r.fields, err = g.Gather(fields); err != nil {
					return err
				}
			}
			return pieces(g, fields, func(piece *output.Piece) error { return r.visitPiece(piece, gathered) })
		},
	}
}

// pieceOfProcess takes the cells of this process's rank out of its fields.
func (r *results) pieceOfProcess(g *cuda.Solver, fields *solver.Fields) *output.Piece {
	piece := &output.Piece{Frame: r.frame, Rank: g.Rank(), Ranks: r.ranks, Time: g.Time()}
	for _, own := range g.OwnRuns() {
		piece.Runs = append(piece.Runs, own.Run)
		appendCells(piece, fields, own.First, own.First+int64(own.X1-own.X0))
	}
	return piece
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
			appendCells(piece, fields, global, end)
		}
		global = end
	}
	return piece
}

// appendCells adds the fields of cells from ≤ i < to.
func appendCells(piece *output.Piece, fields *solver.Fields, from, to int64) {
	piece.Pressure = append(piece.Pressure, fields.Pressure[from:to]...)
	for i := from; i < to; i++ {
		piece.Velocity = append(piece.Velocity, [3]float32{fields.Velocity[0][i], fields.Velocity[1][i], fields.Velocity[2][i]})
	}
}
