package airflow

import (
	"fmt"
	"math/bits"

	"carina/solver"
	"carina/solver/airflow/update"
	"carina/solver/lattice"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// WallForce returns the force of the air on the walls next to cells whose
// centre is selected, in N, by momentum exchange over the links (Ladd 1994).
// It pairs what leaves towards a wall with what came back one step before,
// which in steady flow is the same. A pressure that all openings have in common acts
// on the other side of the walls, too. Call it on all ranks, after an even number
// of steps; all get the same.
func (r *Rank) WallForce(selected func(center r3.Vec) bool) (r3.Vec, error) {
	total, err := r.kernel.WallMomentum(selected)
	if err != nil {
		return r3.Vec{}, err
	}
	if err := r.engine.Transport().Reduce(transport.Sum, total[:]); err != nil {
		return r3.Vec{}, fmt.Errorf("summing the force on the wall: %w", err)
	}
	unit := r.units.Force()
	return r3.Vec{X: fromFixed(total[0]) * unit, Y: fromFixed(total[1]) * unit, Z: fromFixed(total[2]) * unit}, nil
}

// WallMomentum sums over the links of all blocks.
func (r *bound) WallMomentum(selected func(center r3.Vec) bool) (total [3]int64, err error) {
	sums := make([][3]int64, len(r.layout.Blocks))
	r.eachBlock(func(i int, w *update.Workspace) {
		r.eachPart(int32(i), w, func(p *solver.Piece, cell, count int32, arriving *update.Window) {
			r.addWallForce(&sums[i], p, cell, count, arriving, w, selected)
		})
	})
	for _, s := range sums {
		for a := range 3 {
			total[a] += s[a]
		}
	}
	return total, nil
}

// addWallForce adds the momentum that the links of some cells of a piece give to
// walls.
func (r *bound) addWallForce(sum *[3]int64, p *solver.Piece, cell, count int32, arriving *update.Window, w *update.Workspace, selected func(r3.Vec) bool) {
	links := r.wallLinks(p.Global+int64(cell-p.Local), count)
	if len(links) == 0 {
		return
	}
	leaving := *arriving
	r.populations.Outgoing(&leaving, w)
	for _, link := range links {
		if !selected(r.domain.Grid.Center(p.X0+cell-p.Local+link.lane, p.Y, p.Z)) {
			continue
		}
		i := link.population
		// The weights, by which populations are shifted, are the pressure at rest.
		momentum := leaving[i][link.lane] + arriving[lattice.Opposite(i)][link.lane]
		for a, c := range r.set.Velocities[i] {
			sum[a] += toFixed(float64(c) * momentum)
		}
	}
}

// windowLink is a wall link of a lane of a window.
type windowLink struct {
	lane       int32
	population int
}

// wallLinks lists the links to walls of count cells from a global number on.
func (r *bound) wallLinks(global int64, count int32) (list []windowLink) {
	l := &r.domain.Grid.Links
	global = r.domain.InGrid(global)
	i, _ := l.Search(global)
	for ; i < l.Len() && l.Cell(i) < global+int64(count); i++ {
		link := l.First(i)
		for mask := l.Mask[i]; mask != 0; mask &= mask - 1 {
			d := bits.TrailingZeros32(mask)
			if d < r.set.Q-1 && l.Opening(link) == 0 {
				list = append(list, windowLink{int32(l.Cell(i) - global), d + 1})
			}
			link++
		}
	}
	return list
}
