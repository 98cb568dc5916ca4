package balance

import (
	"errors"
	"fmt"
	"math"

	"carina/cuboid"
	"carina/internal/quantity"
)

// Lengths, in metres, and times, in seconds, that no grid and no step exceeds.
// The product of a million of them is still a number.
const (
	shortest = 1e-12
	longest  = 1e12
	endless  = 1e40
)

// sound returns an error that names the first thing that cannot be.
func (p *Partition) sound() error {
	for _, check := range []func() error{p.soundGrid, p.Cost.Check, p.soundRanks, p.soundCuboids, p.soundQuality} {
		if err := check(); err != nil {
			return fmt.Errorf("%w (the partition file is inconsistent: make it anew)", err)
		}
	}
	return nil
}

func (p *Partition) soundGrid() error {
	g := &p.Grid
	for _, n := range g.Size {
		if n < 1 || n > maxSide {
			return fmt.Errorf("the grid has %d×%d×%d cells, out of range", g.Size[0], g.Size[1], g.Size[2])
		}
	}
	if !(g.Spacing >= shortest && g.Spacing <= longest) {
		return fmt.Errorf("the grid has a spacing of %v m", g.Spacing)
	}
	for _, x := range g.Origin {
		if !(math.Abs(x) <= longest) {
			return fmt.Errorf("the grid has its origin at %v m", g.Origin)
		}
	}
	return nil
}

func (p *Partition) soundRanks() error {
	if len(p.Ranks) == 0 {
		return errors.New("there are no ranks")
	}
	for i, r := range p.Ranks {
		if r.Host < 0 {
			return fmt.Errorf("rank %d has host %d", i, r.Host)
		}
	}
	if err := checkSpeeds(p.Ranks); err != nil {
		return err
	}
	if n := len(p.Quality.Ranks); n != len(p.Ranks) {
		return fmt.Errorf("the partition has %s, but the quality of %d", quantity.Count(len(p.Ranks), "rank"), n)
	}
	return nil
}

// soundCuboids checks the cuboids against each other, the grid and what the
// quality says of each rank.
func (p *Partition) soundCuboids() error {
	if err := cuboid.Disjoint(p.Cuboids, p.Grid.Size); err != nil {
		return err
	}
	var all RankQuality
	owned := make([]RankQuality, len(p.Ranks))
	for i, n := range p.Counts {
		if int(p.Owners[i]) >= len(p.Ranks) {
			return fmt.Errorf("cuboid %d belongs to rank %d, but the partition has %s", i, p.Owners[i], quantity.Count(len(p.Ranks), "rank"))
		}
		if n.Opening < 0 || n.Opening > n.Boundary || n.Boundary > n.Fluid || n.Empty < 0 {
			return fmt.Errorf("cuboid %d has %s of which %d are fluid, %d boundary and %d opening", i, quantity.Count(p.Cuboids[i].Cells(), "cell"), n.Fluid, n.Boundary, n.Opening)
		}
		for _, sum := range []*RankQuality{&all, &owned[p.Owners[i]]} {
			sum.Cuboids++
			sum.Fluid += n.Fluid
			sum.Boundary += n.Boundary
			sum.Empty += n.Empty
		}
	}
	if all.Fluid != p.Grid.FluidCells {
		return fmt.Errorf("the cuboids hold %s, the grid %d", quantity.Count(all.Fluid, "fluid cell"), p.Grid.FluidCells)
	}
	if q := &p.Quality; q.FluidCells != all.Fluid || q.KeptCells != all.Fluid+all.Empty {
		return fmt.Errorf("the cuboids hold %s of which %d are fluid, but %d and %d by the quality", quantity.Count(all.Fluid+all.Empty, "cell"), all.Fluid, q.KeptCells, q.FluidCells)
	}
	for r, n := range owned {
		q := &p.Quality.Ranks[r]
		if n.Fluid == 0 {
			return fmt.Errorf("rank %d owns no fluid cell", r)
		}
		if n.Fluid != q.Fluid {
			return fmt.Errorf("rank %d owns %s, but %d by the quality", r, quantity.Count(n.Fluid, "fluid cell"), q.Fluid)
		}
		if n.Cuboids != q.Cuboids || n.Boundary != q.Boundary || n.Empty != q.Empty {
			return fmt.Errorf("rank %d owns %s with %d boundary and %d empty cells, but %d, %d and %d by the quality",
				r, quantity.Count(n.Cuboids, "cuboid"), n.Boundary, n.Empty, q.Cuboids, q.Boundary, q.Empty)
		}
	}
	return nil
}

// soundQuality checks what was predicted: it decides nothing, but is printed
// and drawn.
func (p *Partition) soundQuality() error {
	q := &p.Quality
	var bytes, bytesMax int64
	neighbours, step := 0, 0.0
	for i := range q.Ranks {
		r := &q.Ranks[i]
		for _, seconds := range []float64{r.Work, r.Exchange, r.Step} {
			if !(seconds >= 0 && seconds < endless) || seconds > r.Step*(1+rounding) {
				return fmt.Errorf("rank %d takes %v s for its cells and %v s for messages in a step of %v s by the quality", i, r.Work, r.Exchange, r.Step)
			}
		}
		if r.HaloCells < 0 || r.HaloCells > q.FluidCells || r.Bytes < 0 || r.Neighbours < 0 || r.Neighbours >= len(q.Ranks) {
			return fmt.Errorf("rank %d has %s and sends %s to %s by the quality", i, quantity.Count(r.HaloCells, "halo cell"), quantity.Count(r.Bytes, "byte"), quantity.Count(r.Neighbours, "rank"))
		}
		if bytes += r.Bytes; bytes < 0 {
			return errors.New("the ranks send more bytes by the quality than can be counted")
		}
		bytesMax, neighbours, step = max(bytesMax, r.Bytes), max(neighbours, r.Neighbours), max(step, r.Step)
	}
	if q.BytesTotal != bytes || q.BytesMax != bytesMax || q.NeighboursMax != neighbours || q.EmptyRanks != 0 {
		return fmt.Errorf("the ranks send %s, at most %d to %s, but %d, %d and %d with %s by the quality",
			quantity.Count(bytes, "byte"), bytesMax, quantity.Count(neighbours, "rank"), q.BytesTotal, q.BytesMax, q.NeighboursMax, quantity.Count(q.EmptyRanks, "idle rank"))
	}
	if !(math.Abs(q.PredictedStep-step) <= rounding*step) {
		return fmt.Errorf("the slowest rank takes %v s a step, but the predicted step is %v s", step, q.PredictedStep)
	}
	for _, ratio := range []float64{q.WorkMaxOverMean, q.PredictedSpeedUp} {
		if !(ratio >= 0 && ratio < endless) {
			return fmt.Errorf("the heaviest rank has %v of the mean work and the speed-up is %v by the quality", q.WorkMaxOverMean, q.PredictedSpeedUp)
		}
	}
	return nil
}

// rounding is how far numbers written by other programs may be from each other.
const rounding = 1e-6
