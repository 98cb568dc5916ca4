package geometry

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// chooseOpenings does with the openings found what the user wants: merges and
// drops some, and gives the roles and names. Numbers stay as they are.
func (p *Prepared) chooseOpenings(o *Options) error {
	// into is the index in Openings that each opening goes to: its own, that of
	// the first of its group, or none.
	const none = -1
	into := make([]int, len(p.Openings))
	for i := range into {
		into[i] = i
	}
	named := map[int]bool{}
	indexOf := func(number int, what string) (int, error) {
		if number < 1 || number > len(p.Openings) {
			return 0, fmt.Errorf("there is no opening %d to %s: the surface has %s, which carina inspect lists", number, what, quantity.Count(len(p.Openings), "opening"))
		}
		if named[number] {
			return 0, fmt.Errorf("opening %d is to be dropped or merged twice: name it once", number)
		}
		named[number] = true
		return number - 1, nil
	}
	for _, group := range o.MergeOpenings {
		if len(group) < 2 {
			return fmt.Errorf("merging %v leaves things as they are: name two openings or more, such as 3,5", group)
		}
		for _, number := range group {
			at, err := indexOf(number, "merge")
			if err != nil {
				return err
			}
			into[at] = group[0] - 1
		}
	}
	for _, number := range o.DropOpenings {
		at, err := indexOf(number, "drop")
		if err != nil {
			return err
		}
		into[at] = none
	}
	p.Dropped = len(o.DropOpenings)
	for _, group := range o.MergeOpenings {
		if err := p.merge(group); err != nil {
			return err
		}
	}
	if err := p.giveRoles(o, into); err != nil {
		return err
	}
	p.move(into)
	p.nameOpenings()
	return nil
}

// move puts the triangles of every opening to the one at its new index and
// closes the gaps between indices.
func (p *Prepared) move(into []int) {
	index := make([]uint16, len(into)+1)
	kept := p.Openings[:0:0]
	for i, o := range p.Openings {
		if into[i] == i {
			kept = append(kept, o)
			index[i+1] = uint16(len(kept))
		}
	}
	for i, to := range into {
		if to >= 0 && to != i {
			index[i+1] = index[to+1]
		}
	}
	for t, at := range p.Opening {
		p.Opening[t] = index[at]
	}
	p.Openings = kept
}

// Merged openings lie in one plane: within this angle, and within this share
// of the width of their union.
const planeAngle, planeOffset = 15 * math.Pi / 180, 0.2

// merge makes the first opening of a group their union.
func (p *Prepared) merge(group []int) error {
	first := &p.Openings[group[0]-1]
	var normal, center r3.Vec
	var area float64
	for _, number := range group {
		o := &p.Openings[number-1]
		normal = r3.Add(normal, r3.Scale(o.Area, o.Normal))
		center = r3.Add(center, r3.Scale(o.Area, o.Center))
		area += o.Area
	}
	union := Opening{Number: first.Number, Name: first.Name, Role: first.Role,
		Center: r3.Scale(1/area, center), Normal: r3.Unit(normal), Area: area}
	for _, number := range group {
		o := &p.Openings[number-1]
		offset := math.Abs(r3.Dot(r3.Sub(o.Center, union.Center), union.Normal))
		if !(r3.Dot(o.Normal, union.Normal) >= math.Cos(planeAngle)) || offset > planeOffset*math.Sqrt(area) {
			return p.notOnePlane(group, union.Normal)
		}
	}
	*first = union
	return nil
}

// notOnePlane says how openings that were to be merged lie to each other.
func (p *Prepared) notOnePlane(group []int, normal r3.Vec) error {
	turned, apart := 0.0, 0.0
	for i, a := range group {
		for _, b := range group[:i] {
			o, q := &p.Openings[a-1], &p.Openings[b-1]
			turned = max(turned, math.Acos(min(max(r3.Dot(o.Normal, q.Normal), -1), 1)))
			apart = max(apart, math.Abs(r3.Dot(r3.Sub(o.Center, q.Center), normal)))
		}
	}
	how := fmt.Sprintf("lie %s one before the other", quantity.FormatLength(apart))
	if turned > planeAngle {
		how = fmt.Sprintf("are turned by %.0f° against each other", turned*180/math.Pi)
	}
	return fmt.Errorf("openings %s cannot act as one, which would have to be one plane, but they %s: leave them apart "+
		"(outlets have the same pressure), or close all but one with --drop-opening %d", numbers(group), how, group[len(group)-1])
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// giveRoles makes one opening the inlet, or those that the user says: into
// tells which openings remain.
func (p *Prepared) giveRoles(o *Options, into []int) error {
	remains := func(number int, as Role) error {
		switch {
		case number < 1 || number > len(p.Openings):
			return fmt.Errorf("there is no opening %d to make the %s: the surface has %s, which carina inspect lists", number, as, quantity.Count(len(p.Openings), "opening"))
		case into[number-1] != number-1:
			return fmt.Errorf("opening %d is to be the %s, but is dropped or merged into another: leave one of the two out", number, as)
		}
		return nil
	}
	var inlets []int
	for _, number := range sortedKeys(o.Roles) {
		role := o.Roles[number]
		if role != Inlet && role != Outlet {
			return fmt.Errorf("opening %d cannot be %q: its role is inlet or outlet", number, role)
		}
		if err := remains(number, role); err != nil {
			return err
		}
		if role == Outlet && o.Inlet == number {
			return fmt.Errorf("opening %d cannot be the inlet and an outlet: leave one of the two out", number)
		}
		p.Openings[number-1].Role = role
		if role == Inlet {
			inlets = append(inlets, number)
		}
	}
	switch {
	case o.Inlet != 0:
		if err := remains(o.Inlet, Inlet); err != nil {
			return err
		}
		p.Openings[o.Inlet-1].Role = Inlet
	case len(inlets) == 0:
		p.guessInlet(o, into)
	default:
		p.replaceInlet(o, into, inlets)
	}
	return nil
}

func sortedKeys(roles map[int]Role) []int {
	keys := make([]int, 0, len(roles))
	for k := range roles {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// guessInlet makes the likely inlet, of those without a given role, the inlet.
func (p *Prepared) guessInlet(o *Options, into []int) {
	var free []*Opening
	for i := range p.Openings {
		if _, given := o.Roles[i+1]; !given && into[i] == i {
			free = append(free, &p.Openings[i])
		}
	}
	inlet, named := likelyInlet(free)
	if inlet == nil {
		return
	}
	inlet.Role = Inlet
	if !named {
		at := slices.Index(free, inlet)
		free[0], free[at] = free[at], free[0]
		p.InletGuess = doubtInlet(free)
	}
}

// likelyInlet is the first opening that is named so, or else the largest; nil
// where there is none.
func likelyInlet(openings []*Opening) (inlet *Opening, named bool) {
	// Openings are numbered by the area of their triangles, which exceeds that
	// of the opening where these are no plane, and merged ones have grown.
	const larger = 1 + 1e-6
	for _, o := range openings {
		if strings.Contains(strings.ToLower(o.Name), "inlet") {
			return o, true
		}
		if inlet == nil || o.Area > larger*inlet.Area {
			inlet = o
		}
	}
	return inlet, false
}

// replaceInlet says that the likely inlet became an outlet, since other openings
// were given the role.
func (p *Prepared) replaceInlet(o *Options, into []int, inlets []int) {
	var remaining []*Opening
	for i := range p.Openings {
		if into[i] == i {
			remaining = append(remaining, &p.Openings[i])
		}
	}
	likely, named := likelyInlet(remaining)
	if _, given := o.Roles[likely.Number]; given {
		return
	}
	why := "the largest"
	if named {
		why = "named " + likely.Name
	}
	p.inletReplaced = fmt.Sprintf("opening %d, %s, is an outlet, since the role of inlet was given to %s %s: say --inlet %d as well if air enters there, too",
		likely.Number, why, quantity.Plural(len(inlets), "opening"), numbers(inlets), likely.Number)
}

// Another opening is as likely the inlet when its area is a large share of the
// largest's, or a fair share and it lies higher: a throat is entered at the
// top.
const largeShare, fairShare = 0.7, 0.3

// doubtInlet says why the first of some openings, the largest first, may not
// be the inlet; empty where nothing speaks for another.
func doubtInlet(free []*Opening) string {
	if len(free) < 2 {
		return ""
	}
	largest, rival := free[0], (*Opening)(nil)
	reason := ""
	for _, o := range free[1:] {
		higher := o.Center.Z > largest.Center.Z
		switch share := o.Area / largest.Area; {
		case higher && share >= fairShare && (rival == nil || o.Center.Z > rival.Center.Z):
			rival, reason = o, fmt.Sprintf("opening %d, with %.0f %% of its area, lies higher, where a throat is entered", o.Number, 100*share)
		case rival == nil && share >= largeShare:
			rival, reason = o, fmt.Sprintf("opening %d has %.0f %% of its area", o.Number, 100*share)
		case rival == nil && len(free) == 2:
			rival, reason = o, fmt.Sprintf("air may as well enter at the other end, opening %d", o.Number)
		}
	}
	if rival == nil {
		return ""
	}
	return fmt.Sprintf("that air enters through opening %d, the largest, is a guess: %s; say --inlet %d or --inlet %d", largest.Number, reason, largest.Number, rival.Number)
}

// nameOpenings names those that the file does not name, after their role.
func (p *Prepared) nameOpenings() {
	inlets := 0
	for i := range p.Openings {
		o := &p.Openings[i]
		if o.Role == Inlet {
			inlets++
		}
		switch {
		case o.Name != "":
		case o.Role == Inlet && inlets == 1:
			o.Name = "inlet"
		default:
			o.Name = fmt.Sprintf("%s_%02d", o.Role, o.Number)
		}
	}
}
