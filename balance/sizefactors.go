package balance

import (
	"errors"
	"fmt"
	"math"

	"carina/cuboid"
)

// SizeFactors says how the figures of a cost model change for a rank that holds so many
// cells, see StoredCells: with few, they are in the processor's caches.
type SizeFactors struct {
	Cells int64 `json:"cells"`
	// Factor is for the times of fluid cells as such, rows, cuboids and copies,
	// Empty for those of empty cells, and Packing for the cost model's Packing,
	// where 0 stands for 1. What cells at walls and openings cost more, lanes and
	// the transport of messages are no faster for it.
	Factor  float64 `json:"factor"`
	Empty   float64 `json:"empty_factor"`
	Packing float64 `json:"packing_factor,omitempty"`
}

// PackingFactor returns Packing, or 1 where it is not given.
func (h SizeFactors) PackingFactor() float64 {
	if h.Packing == 0 {
		return 1
	}
	return h.Packing
}

// StoredCells returns how many cells of a cuboid a step touches: all that are stored,
// but those that are passed over.
func (c *Cost) StoredCells(n cuboid.Counts) int64 {
	if c.Layout == Sparse {
		return n.Fluid
	}
	return n.Fluid + c.computedEmpty(n)
}

// checkSizeFactors returns an error if the factors are not in order.
func checkSizeFactors(list []SizeFactors) error {
	last := int64(0)
	for _, h := range list {
		if h.Cells <= last {
			return errors.New("held of the cost model must list positive numbers of cells in ascending order")
		}
		for _, factor := range []float64{h.Factor, h.Empty, h.PackingFactor()} {
			if !(factor > 1e-3) || factor > 1e3 {
				return fmt.Errorf("a factor for %d cells is %v in the cost model: give one near 1", h.Cells, factor)
			}
		}
		last = h.Cells
	}
	return nil
}

// For returns the cost model for ranks that hold so many cells each: times are
// scaled as SizeFactors says, in proportion to the logarithm of the cells between its
// entries, and BySize is empty.
func (c *Cost) For(cells float64) Cost {
	scaled := *c
	scaled.BySize = nil
	scaled.scale(factorsFor(c.BySize, cells))
	return scaled
}

// scale multiplies the times that SizeFactors is about.
func (c *Cost) scale(by SizeFactors) {
	faster := c.Fluid * (1 - by.Factor)
	c.Boundary, c.Opening = c.Boundary-faster, c.Opening-faster
	for _, figure := range []*float64{&c.Fluid, &c.Cuboid, &c.CopyPerByte} {
		*figure *= by.Factor
	}
	c.Empty *= by.Empty
	if more := c.Packing * (by.PackingFactor() - 1); more != 0 {
		c.AddPacking(more)
	}
}

// factorsFor interpolates.
func factorsFor(list []SizeFactors, cells float64) SizeFactors {
	if len(list) == 0 {
		return SizeFactors{Factor: 1, Empty: 1, Packing: 1}
	}
	last := list[0]
	for _, h := range list {
		if cells < float64(h.Cells) {
			if h == last {
				break
			}
			part := math.Log(cells/float64(last.Cells)) / math.Log(float64(h.Cells)/float64(last.Cells))
			between := func(a, b float64) float64 { return a + part*(b-a) }
			return SizeFactors{Factor: between(last.Factor, h.Factor), Empty: between(last.Empty, h.Empty), Packing: between(last.PackingFactor(), h.PackingFactor())}
		}
		last = h
	}
	return last
}
