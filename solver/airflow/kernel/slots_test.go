package kernel

import "testing"

// Every population of every cell has a slot of its own, those of a population one
// after the other.
func TestSlotsOfCells(t *testing.T) {
	const cells, q = 5, 3
	s := Slots[float32]{Values: make([]float32, q*cells), Q: q}
	for p := range q {
		s.Offset[p] = (q - 1 - p) * cells
	}
	for p := range q {
		for c := range int32(cells) {
			*s.At(p, c) = float32(10*p) + float32(c)
		}
	}
	for i, v := range s.Values {
		if want := float32(10*(q-1-i/cells) + i%cells); v != want {
			t.Errorf("value %d is %g, want %g", i, v, want)
		}
	}
	if n := SizeOf(s.Values); n != 4*q*cells {
		t.Errorf("they take %d bytes", n)
	}
}
