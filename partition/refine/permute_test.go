package refine

import (
	"testing"

	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// A change of places foretold must be the change of the cost.
func TestExchangeOfPlacesForetold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		if s.Distance == nil {
			return
		}
		for p := range s.Limit {
			s.Limit[p] = s.Graph.TotalVertexWeight()
		}
		a := rapid.Int32Range(0, 2).Draw(t, "a")
		b := rapid.Int32Range(a+1, 3).Draw(t, "b")
		gain := newPlacement(s).exchangeGain(a, b)
		parts := append([]int32(nil), s.Part...)
		for v, p := range parts {
			switch p {
			case a:
				parts[v] = b
			case b:
				parts[v] = a
			}
		}
		if now := graphtest.Cut(s.Graph, parts, s.Distance); now != s.Cut-gain {
			t.Fatalf("gain %d foretold, the cost went from %d to %d", gain, s.Cut, now)
		}
	})
}
