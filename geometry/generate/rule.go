package generate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"carina/internal/quantity"
)

// Rule says by which morphometric model an airway branches.
type Rule string

const (
	// Weibel is the symmetric model A of E. R. Weibel, Morphometry of the
	// Human Lung (Springer, 1963): the two daughters of a branch are alike,
	// and a table gives diameter and length of every generation.
	Weibel Rule = "weibel"
	// Kitaoka divides the flow unevenly: the share of the thinner daughter
	// is drawn at random as in Kitaoka and Suki, J. Appl. Physiol. 82 (1997)
	// 968–976, and gives diameters, branching angles and lengths by the rules
	// of Kitaoka, Takaki and Suki, J. Appl. Physiol. 87 (1999) 2207–2217.
	Kitaoka Rule = "kitaoka"
)

// Rules lists the rules.
var Rules = []Rule{Weibel, Kitaoka}

// weibelA holds diameter and length in metres of generations 0 (trachea) to
// 16 (terminal bronchioles) of Weibel's model A (Morphometry of the Human
// Lung, 1963, p. 139) at a lung volume of 4.8 litres.
var weibelA = [...]struct{ diameter, length float64 }{
	{18.0e-3, 120.0e-3},
	{12.2e-3, 47.6e-3},
	{8.3e-3, 19.0e-3},
	{5.6e-3, 7.6e-3},
	{4.5e-3, 12.7e-3},
	{3.5e-3, 10.7e-3},
	{2.8e-3, 9.0e-3},
	{2.3e-3, 7.6e-3},
	{1.86e-3, 6.4e-3},
	{1.54e-3, 5.4e-3},
	{1.30e-3, 4.6e-3},
	{1.09e-3, 3.9e-3},
	{0.95e-3, 3.3e-3},
	{0.82e-3, 2.7e-3},
	{0.74e-3, 2.3e-3},
	{0.66e-3, 2.0e-3},
	{0.60e-3, 1.65e-3},
}

const (
	// diameterExponent is n in Q ∝ dⁿ between flow and diameter (Kitaoka et
	// al. 1999; Horsfield and Thurlbeck 1981 found 2.8 in human airways).
	diameterExponent = 2.8
	// lengthRatio is the length of a branch over its diameter (Kitaoka et
	// al. 1999).
	lengthRatio = 3.0
	// leastFlowShare bounds the drawn share of the thinner daughter. Far
	// below, it would be a side branch and the division no bifurcation.
	leastFlowShare = 0.25
)

// kitaokaAngle returns the angle between a daughter that takes the given
// share of the flow and its parent, which minimises the volume of the
// division (Kitaoka et al. 1999, after Kamiya and Togawa 1972).
func kitaokaAngle(share float64) float64 {
	a := math.Pow(share, 4/diameterExponent)
	b := math.Pow(1-share, 4/diameterExponent)
	return math.Acos((1 + a - b) / (2 * math.Sqrt(a)))
}

// plan returns the daughters that the rule gives branch b. scale is the
// trunk's diameter over that of Weibel's trachea.
func (r Rule) plan(b *branch, scale float64, seed uint64) ([2]daughterPlan, error) {
	switch r {
	case Weibel:
		row := weibelA[b.generation+1]
		d := daughterPlan{radius: scale * row.diameter / 2, length: scale * row.length, angle: kitaokaAngle(0.5)}
		return [2]daughterPlan{d, d}, nil
	case Kitaoka:
		random := rand.New(rand.NewPCG(seed, b.path))
		share := leastFlowShare + (0.5-leastFlowShare)*random.Float64()
		if random.IntN(2) == 1 {
			share = 1 - share
		}
		parent := b.nominalRadius()
		var plans [2]daughterPlan
		for d, q := range [2]float64{share, 1 - share} {
			radius := parent * math.Pow(q, 1/diameterExponent)
			plans[d] = daughterPlan{radius: radius, length: lengthRatio * 2 * radius, angle: kitaokaAngle(q)}
		}
		return plans, nil
	}
	return [2]daughterPlan{}, fmt.Errorf("unknown rule %q: use one of %s", r, quantity.Either(Rules))
}
