package geometry

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// UnitGuess is what the size of a surface says of the unit that was guessed
// for it.
type UnitGuess struct {
	// Unit was guessed by the longest side of the bounding box.
	Unit Unit
	// Certainty says how sure the unit is.
	Certainty Certainty
	// Others are the units in which the surface has as plausible a size.
	Others []Unit
	// Possible are those in which its size is less usual, but possible.
	Possible []Unit
	// Reason says what the guess is built on, in words.
	Reason string
	// Doubt says, of a unit that was given, that the size would fit another one,
	// empty where it does not.
	Doubt string
	// refused tells that to go on would be a gamble.
	refused bool
}

// Certainty is how sure a unit is.
type Certainty string

// The degrees of certainty.
const (
	// Given by the user.
	Given Certainty = "given"
	// Sure: no other unit gives a plausible size.
	Sure Certainty = "sure"
	// Likely: the size is unusual in every unit, or possible in another one, or
	// nothing but the bounding box speaks for the unit.
	Likely Certainty = "likely"
	// Doubtful: another unit is as plausible.
	Doubtful Certainty = "doubtful"
)

// lumenSize bounds the longest side of a lumen, its widest opening across, and
// what it encloses.
type lumenSize struct{ side, opening, volume [2]float64 }

var (
	// A lumen that is worth computing, from a single bronchus to a whole airway
	// or an aneurysm, is so large. All bounds are generous.
	plausibleLumen = lumenSize{[2]float64{3e-3, 0.7}, [2]float64{0.4e-3, 60e-3}, [2]float64{0.2e-9, 2e-3}}
	// A unit rivals one that gives a plausible size only if it gives a usual
	// one: tracheas are up to 27 mm wide, airways hold up to 250 mL, large
	// vessels are little larger. Aneurysms and chambers of the heart are wider,
	// but not long.
	usualLumens = []lumenSize{
		{[2]float64{3e-3, 0.7}, [2]float64{0.4e-3, 35e-3}, [2]float64{0.2e-9, 0.4e-3}},
		{[2]float64{3e-3, 0.3}, [2]float64{35e-3, 60e-3}, [2]float64{0.2e-9, 1e-3}},
	}
)

// candidateUnits are those that surface files are usually written in.
var candidateUnits = []Unit{Metre, Centimetre, Millimetre, Micrometre, Inch}

// A body that is 1.5 to 3.5 units long is as likely a vehicle or a person in
// metres as a bronchiole in millimetres.
const (
	longestAirway = 1.5
	longestBody   = 3.5
)

// guessUnit chooses the unit in which a surface of the given largest extent
// has the size of an airway. Human airways from the larynx to the last
// bronchi are 0.1 to 0.4 m long, a single bronchus some 0.01 m.
func guessUnit(extent float64) Unit {
	switch {
	case extent < longestAirway:
		return Metre
	case extent < 3000:
		return Millimetre
	}
	return Micrometre
}

// GuessUnit chooses the unit of a surface whose coordinates are as in the
// file, after they are multiplied by scale, and turns them into metres. A unit that the
// file states is taken.
func (s *Surface) GuessUnit(scale float64) {
	if s.stated != UnknownUnit {
		s.UnitReason = "stated by the file"
		s.rescale(Unit(scale) * s.stated)
		return
	}
	extent := scale * s.longestSide()
	s.guessed = guessUnit(extent)
	switch {
	case s.guessed == Micrometre:
		s.UnitReason = fmt.Sprintf("the longest side of the bounding box is %.4g, too long for mm", extent)
	case extent*float64(s.guessed) < plausibleLumen.side[0]:
		s.UnitReason = fmt.Sprintf("the longest side of the bounding box is %s in %s, which no airway is, and shorter in smaller units",
			quantity.FormatLength(extent*float64(s.guessed)), s.guessed)
	default:
		s.UnitReason = fmt.Sprintf("the longest side of the bounding box is %.4g, as an airway's is in %s", extent, s.guessed)
	}
	s.rescale(Unit(scale) * s.guessed)
}

// rescale multiplies the coordinates by a unit, which becomes the surface's.
func (s *Surface) rescale(unit Unit) {
	for i := range s.Vertices {
		s.Vertices[i] = r3.Scale(float64(unit), s.Vertices[i])
	}
	s.Unit = unit
}

func (s *Surface) longestSide() float64 {
	low, high := s.Bounds()
	d := r3.Sub(high, low)
	return max(d.X, d.Y, d.Z)
}

// WeighUnit says how sure the unit of a surface that was read is, by its
// longest side and, once it is prepared, by its openings and what it encloses.
func WeighUnit(read *Surface, p *Prepared) UnitGuess {
	g := UnitGuess{Unit: read.Unit, Certainty: Given, Reason: read.UnitReason}
	if read.guessed == UnknownUnit {
		g.Doubt = doubtGiven(read, p)
		return g
	}
	side, opening := read.longestSide(), p.widestOpening()
	fits := plausibleLumen.holds(side, opening, p.Volume)
	for _, u := range candidateUnits {
		if u == read.guessed || u == Inch && fits && u < read.guessed {
			// An airway in metres has the size of a small lumen in inches, which
			// is rare.
			continue
		}
		// What is so long in the guessed unit is so long in another.
		factor := float64(u / read.guessed)
		holds := func(b lumenSize) bool { return b.holds(factor*side, factor*opening, factor*factor*factor*p.Volume) }
		switch {
		case slices.ContainsFunc(usualLumens, holds), !fits && holds(plausibleLumen):
			g.Others = append(g.Others, u)
		case holds(plausibleLumen):
			g.Possible = append(g.Possible, u)
		}
	}
	if extent := side / float64(read.guessed); extent >= longestAirway && extent < longestBody {
		g.Others, g.refused = append([]Unit{Metre}, g.Others...), true
	}
	// Without openings it may be any body, of which nothing is known.
	g.refused = g.refused || len(g.Others) > 0 && opening > 0
	g.Certainty = Likely
	switch {
	case len(g.Others) > 0:
		g.Certainty = Doubtful
	case fits && opening > 0 && len(g.Possible) == 0:
		g.Certainty = Sure
	}
	g.Reason = g.words(read, opening, p.Volume)
	return g
}

// doubtGiven says which other unit fits a surface that is far from an airway's
// length or volume in the unit that was given; empty where it is not, or none does.
func doubtGiven(read *Surface, p *Prepared) string {
	side, opening := read.longestSide(), p.widestOpening()
	near := func(x float64, bounds [2]float64) bool { return x >= bounds[0]/farOff && x <= bounds[1]*farOff }
	encloses := math.Abs(p.Volume)
	if !(read.Unit > 0) || near(side, plausibleLumen.side) && (encloses == 0 || near(encloses, plausibleLumen.volume)) {
		return ""
	}
	var choices []string
	for _, u := range candidateUnits {
		factor := float64(u / read.Unit)
		if slices.ContainsFunc(usualLumens, func(b lumenSize) bool {
			return b.holds(factor*side, factor*opening, factor*factor*factor*p.Volume)
		}) {
			choices = append(choices, fmt.Sprintf("--unit %s (then it is %s long)", u, quantity.FormatLength(factor*side)))
		}
	}
	if len(choices) == 0 {
		return ""
	}
	return fmt.Sprintf("the surface is %s long and encloses %s with the unit %s that was given, which no airway does: if that was not meant, say %s",
		quantity.FormatLength(side), quantity.FormatVolume(encloses), read.Unit, strings.Join(choices, " or "))
}

// farOff is how far beyond a plausible length or volume a surface must be for
// the unit that was given to be doubted.
const farOff = 3

// holds tells whether a lumen is within the bounds; an opening of 0 is not
// known.
func (b *lumenSize) holds(side, opening, volume float64) bool {
	within := func(x float64, bounds [2]float64) bool { return x >= bounds[0] && x <= bounds[1] }
	return within(side, b.side) && within(math.Abs(volume), b.volume) && (opening == 0 || within(opening, b.opening))
}

// widestOpening is the diameter of a disc as large as the largest opening, 0
// where there is none.
func (p *Prepared) widestOpening() float64 {
	var area float64
	for _, o := range p.Openings {
		area = max(area, o.Area)
	}
	return 2 * math.Sqrt(area/math.Pi)
}

func (g *UnitGuess) words(read *Surface, opening, volume float64) string {
	reason := read.UnitReason
	if opening > 0 {
		reason += fmt.Sprintf("; its widest opening is %s across then, and it encloses %s",
			quantity.FormatLength(opening), quantity.FormatVolume(volume))
	}
	switch g.Certainty {
	case Doubtful:
		reason += "; " + listUnits(g.Others, "or") + " is as plausible"
	case Likely:
		switch {
		case opening == 0:
			reason = read.UnitReason + "; without openings there is little to tell by"
		case len(g.Possible) > 0:
			factor := float64(g.Possible[0] / read.guessed)
			reason += fmt.Sprintf("; if it is %s long instead, say --unit %s", quantity.FormatLength(factor*read.longestSide()), g.Possible[0])
		default:
			reason += "; that is not the size of human airways in any unit"
		}
	}
	return reason
}

func listUnits(units []Unit, last string) string {
	words := make([]string, len(units))
	for i, u := range units {
		words[i] = u.String()
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// Refuse is an error where another unit is as plausible as the guessed one, so
// that to go on would be a gamble.
func (g *UnitGuess) Refuse(read *Surface) error {
	if !g.refused {
		return nil
	}
	side := read.longestSide()
	choices := make([]string, 0, len(g.Others)+1)
	for _, u := range append([]Unit{read.guessed}, g.Others...) {
		choices = append(choices, fmt.Sprintf("--unit %s (then it is %s long)", u, quantity.FormatLength(side*float64(u/read.guessed))))
	}
	return fmt.Errorf("the surface is %.4g units long, and nothing tells which unit that is: say %s", side/float64(read.guessed),
		strings.Join(choices[:len(choices)-1], ", ")+" or "+choices[len(choices)-1])
}
