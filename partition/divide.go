package partition

import (
	"carina/internal/random"
)

// ratiosTried is the number of ratios that divide looks at where parts must be
// connected.
const ratiosTried = 2

// divide bisects a piece into its first half parts and the others. Where parts
// must be connected it is not always halves but the best of several ratios:
// graphs like trees have their narrow places where they have them.
func (t *task) divide(p *piece, r *random.Source) (half int, division []int32) {
	half = (len(p.parts) + 1) / 2
	if !t.contiguous || len(p.parts) < 3 || t.distance != nil {
		return half, t.divideAt(p, half, r)
	}
	var best *individual
	for i := range ratiosTried {
		lower := half
		if i > 0 {
			lower = 1 + r.Below(len(p.parts)-1)
		}
		found := t.measure(p.l, t.divideAt(p, lower, r), sideLimits(p, lower))
		if best == nil || found.better(best) {
			best, half = found, lower
		}
	}
	return half, best.part
}
