package balance

import (
	"errors"
	"fmt"
	"math"

	"carina/cuboid"
)

// Held says how the figures of a cost model change for a rank that holds so many
// cells, see Holds: with few, they are in the processor's caches.
type Held struct {
	Cells int64 `json:"cells"`
	// Factor is for the times of fluid cells as such, rows, cuboids and copies,
	// Empty for those of empty cells. What cells at walls and openings cost more,
	// lanes and messages are computed no faster for it.
	Factor float64 `json:"factor"`
	Empty  float64 `json:"empty_factor"`
}

// Holds returns how many cells of a cuboid a step touches: all that are stored,
// but those that are passed over.
func (c *Cost) Holds(n cuboid.Counts) int64 {
	if c.Layout == Sparse {
		return n.Fluid
	}
	return n.Fluid + c.computedEmpty(n)
}

// checkHeld returns an error if the factors are not in order.
func checkHeld(list []Held) error {
	last := int64(0)
	for _, h := range list {
		if h.Cells <= last {
			return errors.New("held of the cost model must list positive numbers of cells in ascending order")
		}
		for _, factor := range []float64{h.Factor, h.Empty} {
			if !(factor > 1e-3) || factor > 1e3 {
				return fmt.Errorf("a factor for %d cells is %v in the cost model: give one near 1", h.Cells, factor)
			}
		}
		last = h.Cells
	}
	return nil
}

// For returns the cost model for ranks that hold so many cells each: times are
// scaled as Held says, in proportion to the logarithm of the cells between its
// entries, and Held is empty.
func (c *Cost) For(cells float64) Cost {
	scaled := *c
	scaled.Held = nil
	factor, empty := factorsFor(c.Held, cells)
	scaled.scale(factor, empty)
	return scaled
}

// scale multiplies the times that Held is about.
func (c *Cost) scale(factor, empty float64) {
	faster := c.Fluid * (1 - factor)
	c.Boundary, c.Opening = c.Boundary-faster, c.Opening-faster
	for _, figure := range []*float64{&c.Fluid, &c.Row, &c.Cuboid, &c.CopyPerByte} {
		*figure *= factor
	}
	c.Empty *= empty
}

// factorsFor interpolates.
func factorsFor(list []Held, cells float64) (factor, empty float64) {
	if len(list) == 0 {
		return 1, 1
	}
	last := list[0]
	for _, h := range list {
		if cells < float64(h.Cells) {
			if h == last {
				break
			}
			part := math.Log(cells/float64(last.Cells)) / math.Log(float64(h.Cells)/float64(last.Cells))
			return last.Factor + part*(h.Factor-last.Factor), last.Empty + part*(h.Empty-last.Empty)
		}
		last = h
	}
	return last.Factor, last.Empty
}
