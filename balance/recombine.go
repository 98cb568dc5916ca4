package balance

import (
	"context"

	"carina/cuboid"
	"carina/geometry"
)

// populationsPerFace is how many populations cross between two fluid cells
// that face each other, D3Q19: five leave a cell through each face.
const populationsPerFace = 5

// carve cuts empty space away where that saves more than one more cuboid and
// the copies across the cut cost.
func (d *decomposition) carve(ctx context.Context, g *geometry.Grid, opt *Options) error {
	c := opt.Cost
	boxes, err := cuboid.Carve(ctx, d.cuboids, d.segments, cuboid.Carving{
		Gain: func(axis int, saved, facing int64) float64 {
			bytes := c.Bytes(cuboid.Crossing{Populations: populationsPerFace * facing})
			return c.Empty*float64(saved) - c.Cuboid - c.CopyPerByte*float64(bytes) - c.cutRows(axis, facing)
		},
		Count: opt.carved,
	})
	if err != nil {
		return err
	}
	d.cuboids = boxes
	d.segments, err = cuboid.Label(g, boxes)
	return err
}

// merging returns what recombination gains by the cost model: one cuboid less,
// no copies between the two, and fewer rows, against the empty cells of the
// union.
func merging(c *Cost) cuboid.Merging {
	return cuboid.Merging{Gain: func(populations int64, alongX bool, wasted int64) float64 {
		gain := c.Cuboid + c.CopyPerByte*float64(c.Bytes(cuboid.Crossing{Populations: populations})) - c.Empty*float64(wasted)
		if alongX {
			gain += c.cutRows(0, populations/populationsPerFace)
		}
		return gain
	}}
}

// recombine merges cuboids before they are balanced, into cuboids small enough
// that every rank can have as many as CuboidsPerRank asks for.
func (d *decomposition) recombine(g *geometry.Grid, opt *Options) error {
	weights, total := d.weights(opt.Cost.Weight)
	limit := total / (int64(opt.Ranks) * int64(opt.CuboidsPerRank))
	m := merging(opt.Cost)
	m.Allowed = func(union cuboid.Counts) bool { return opt.Cost.Weight(union) <= limit }
	boxes, _ := cuboid.Recombine(d.cuboids, d.fluid(len(weights)), opt.Cost.Crossings(d.segments), m)
	if len(boxes) == len(d.cuboids) {
		return nil
	}
	var err error
	d.cuboids = boxes
	d.segments, err = cuboid.Label(g, boxes)
	return err
}

// fluid returns the fluid cells of each of n cuboids.
func (d *decomposition) fluid(n int) []int64 {
	list := make([]int64, n)
	for i := range d.segments {
		s := &d.segments[i]
		list[s.Cuboid] += int64(s.X1 - s.X0)
	}
	return list
}

// mergeOwned merges cuboids of one rank after they are balanced, where that
// pays, and returns the crossings and owners of those that are left.
func (d *decomposition) mergeOwned(g *geometry.Grid, opt *Options, crossings []cuboid.Crossing, owners []int32) ([]cuboid.Crossing, []int32, error) {
	m := merging(opt.Cost)
	m.Group = owners
	boxes, into := cuboid.Recombine(d.cuboids, d.fluid(len(d.cuboids)), crossings, m)
	if len(boxes) == len(d.cuboids) {
		return crossings, owners, nil
	}
	merged := make([]int32, len(boxes))
	for i, to := range into {
		merged[to] = owners[i]
	}
	d.cuboids = boxes
	var err error
	if d.segments, err = cuboid.Label(g, boxes); err != nil {
		return nil, nil, err
	}
	d.counts = opt.Cost.count(g, boxes, d.segments)
	return opt.Cost.Crossings(d.segments), merged, nil
}
