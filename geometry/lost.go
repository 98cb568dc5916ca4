package geometry

import (
	"fmt"
	"math"

	"carina/internal/quantity"
)

// LostOpening is an opening that no link of a grid reaches: air cannot pass it.
type LostOpening struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Role   Role   `json:"-"`
	Reason Loss   `json:"reason"`
	// Across is how many cells would lie side by side across the opening.
	Across float64 `json:"cells_across"`
	// spacing is the side of a cell.
	spacing float64
}

// Loss is why an opening is lost.
type Loss string

// The reasons.
const (
	// TooFewCells: it is narrower than the grid resolves.
	TooFewCells Loss = "too few cells"
	// CutOff: the cells behind it have no way to the inlet.
	CutOff Loss = "cut off"
	// NoLumen: there is nothing behind it.
	NoLumen Loss = "no lumen behind"
)

// An end of fewer cells across may be missed by all of them; one of
// resolvedCells across is reached for certain and carries its flow.
const (
	missedCells   = 2.5
	resolvedCells = 4
)

// across is how many cells of a spacing lie side by side across an opening.
func (o *Opening) across(spacing float64) float64 {
	return 2 * math.Sqrt(o.Area/math.Pi) / spacing
}

// Resolved tells whether cells of a spacing would reach the opening for certain
// where the lumen behind it is open.
func (o *Opening) Resolved(spacing float64) bool { return o.across(spacing) >= resolvedCells }

// lostOpenings lists the openings that no link reaches. cutOff tells, by the
// openings' indices from 1, which of them touch fluid that was dropped.
func (g *Grid) lostOpenings(cutOff []bool) []LostOpening {
	reached := g.Links.Meet(len(g.Openings))
	var lost []LostOpening
	for i := range g.Openings {
		if reached[i] {
			continue
		}
		o := &g.Openings[i]
		l := LostOpening{Number: o.Number, Name: o.Name, Role: o.Role, Across: o.across(g.Spacing), Reason: NoLumen, spacing: g.Spacing}
		switch {
		case cutOff[i+1]:
			l.Reason = CutOff
		case l.Across < missedCells:
			l.Reason = TooFewCells
		}
		lost = append(lost, l)
	}
	return lost
}

// String says why the opening was closed and what to do.
func (l LostOpening) String() string {
	name := fmt.Sprintf("opening %d (%s)", l.Number, l.Name)
	leave := fmt.Sprintf("leave it out with --drop-opening %d", l.Number)
	switch l.Reason {
	case CutOff:
		return fmt.Sprintf("%s is cut off from the inlet, as the lumen on the way is narrower than a cell or closed, and was closed: choose a smaller spacing, mend the surface there, or %s", name, leave)
	case TooFewCells:
		return fmt.Sprintf("%s is only %.1f cells across, too few to let air through, and was closed: choose a spacing below %s, or %s",
			name, l.Across, quantity.FormatLength(l.spacing*l.Across/resolvedCells), leave)
	}
	return fmt.Sprintf("%s has no lumen behind it and was closed: it is hardly an end, so %s, or look at it with carina inspect --picture", name, leave)
}

// CoarseOpenings lists the openings that air passes, but through so few cells
// that their flow is not to be relied on, and the spacing that would resolve
// the narrowest.
func (g *Grid) CoarseOpenings() (numbers []int, spacing float64) {
	reached := g.Links.Meet(len(g.Openings))
	spacing = g.Spacing
	for i := range g.Openings {
		if o := &g.Openings[i]; reached[i] && o.across(g.Spacing) < resolvedCells {
			numbers = append(numbers, o.Number)
			spacing = min(spacing, g.Spacing*o.across(g.Spacing)/resolvedCells)
		}
	}
	return numbers, spacing
}
