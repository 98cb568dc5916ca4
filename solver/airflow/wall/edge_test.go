package wall

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// What comes back at the edge of an opening is what Bouzidi, Firdaouss and Lallemand
// (2001) and Reflect have for it, of what has left and what comes in; cells keep their
// mass.
func TestEdge(t *testing.T) {
	const tau = 0.502
	random := rand.New(rand.NewPCG(7, 1))
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		for trial := range 200 {
			odd, reflects := trial%2 == 1, trial%4 > 1
			slots := kernel.Slots[float64]{Values: make([]float64, 2*set.Q), Q: set.Q}
			for p := range set.Q {
				slots.Offset[p] = 2 * p
			}
			for i := range slots.Values {
				slots.Values[i] = random.NormFloat64()
			}
			scheme := Scheme{Interpolated: true, Reflects: reflects, RelaxationTime: tau}
			cell := EdgeCell{Local: 0}
			towards := map[int]float64{} // fractions by what comes back
			for p := 1; p < set.Q; p += 2 {
				q := random.Float64()
				link := EdgeLink{Correction: scheme.Correction(q), Population: uint8(p), Opposite: -1}
				if reflects && random.IntN(2) == 0 {
					link.Opposite = 1
				}
				towards[p] = q
				cell.Links = append(cell.Links, link)
			}
			along, against, rest := map[int]float64{}, map[int]float64{}, *slots.At(0, 0)
			mass := rest
			for _, l := range cell.Links {
				p := int(l.Population)
				along[p], against[p] = *slots.At(p, 0), *slots.At(lattice.Opposite(p), 0)
				if odd && l.Opposite >= 0 {
					against[p] = *slots.At(p, 1)
				}
				mass += along[p]
			}
			Leave[float64](&slots, set, Edge{cell}, odd)
			in := map[int]float64{}
			for p := range along {
				in[p] = random.NormFloat64()
				*slots.At(lattice.Opposite(p), 0) = in[p]
			}
			Arrive[float64](&slots, Edge{cell})
			after := *slots.At(0, 0)
			for p, q := range towards {
				want := along[p]/(2*q) + (1-1/(2*q))*against[p]
				switch still := set.Weights[p] / set.Weights[0] * rest; {
				case reflects:
					want = still + (q-tau)/(1-tau)*((along[p]+against[p])/2-still)
				case q < 0.5:
					want = 2*q*along[p] + (1-2*q)*in[p]
				}
				got := *slots.At(p, 0)
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) { // factors have 32 bits
					t.Fatalf("%s, reflects %v, q = %.3f: population %d comes back as %g, want %g", set.Name, reflects, q, p, got, want)
				}
				after += got
			}
			if math.Abs(after-mass) > 1e-12*float64(set.Q) {
				t.Fatalf("%s, reflects %v: the cell has %g, had %g", set.Name, reflects, after, mass)
			}
		}
	}
}
