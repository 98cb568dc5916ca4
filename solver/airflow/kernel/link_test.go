package kernel

import "testing"

// A link knows its cell, its direction and its window, and the word of the window that
// is its direction's offset.
func TestCorrectedLink(t *testing.T) {
	const width = 29
	for window := range 5 {
		for direction := range 18 {
			for _, cell := range []int{0, 1, 100, 255} {
				l := NewCorrectedLink(cell, direction, window, width)
				if l.Cell() != cell || l.Direction() != direction || l.Window(width) != window || int(l>>16)%width != 2+direction {
					t.Fatalf("the link of cell %d, direction %d, window %d is of %d, %d, %d", cell, direction, window, l.Cell(), l.Direction(), l.Window(width))
				}
			}
		}
	}
}
