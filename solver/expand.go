package solver

import (
	"fmt"
	"slices"

	"carina/geometry"
	"carina/internal/quantity"
)

// expanded is what a rank has that exchanges once in several steps. Between exchanges it
// computes each phase on own cells and on rings of ghosts: on so many that all that later
// phases up to the next exchange read on their rings is computed here, or has come in the
// last exchange, which brings the whole state of all ghosts.
type expanded struct {
	interval int // steps
	// levels are how many rings a phase is computed on, by step and phase, for as many
	// steps as both the programs' cycle and the interval divide.
	levels [][]int
	// refreshes bring the state of ghosts, by its number, constants what stays.
	refreshes []*Exchange
	constants *Exchange
}

// expand finds the rings of ghosts that phases are computed on.
func (r *Rank) expand(programs []Program) error {
	r.interval = max(1, r.options.ExchangeEvery)
	if r.interval == 1 {
		return nil
	}
	p := &plan{programs: programs}
	cycle := len(programs[0].Steps)
	if err := p.expandable(r); err != nil {
		return err
	}
	period := r.interval
	for period%cycle != 0 {
		period += r.interval
	}
	r.levels = make([][]int, period)
	for end := period; end > 0; end -= r.interval {
		level := 0
		var reads []Slot // by the phase behind
		for step := end - 1; step >= end-r.interval; step-- {
			i := step % cycle
			r.levels[step] = make([]int, p.phases(i))
			for j := len(r.levels[step]) - 1; j >= 0; j-- {
				level = r.addRing(level, reads, 1)
				level = r.addRing(level, p.slots(i, j, func(f *Phase) []Slot { return f.Return }), -1)
				r.levels[step][j] = level
				r.computed = max(r.computed, level)
				reads = p.slots(i, j, func(f *Phase) []Slot { return f.Reads })
			}
		}
		r.addRing(level, reads, 1)
	}
	// The outermost ring has all that is touched.
	all := slices.Clone(r.offsets)
	if n := len(r.rings); n > 0 {
		for _, o := range r.rings[n-1] {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
		r.rings = r.rings[:n-1]
	}
	r.rings = append(r.rings, all)
	return nil
}

// addRing lets a ring, by its number, hold cells at the offsets of slots, or opposite to
// them, and returns the number of the next one; the same if there are none.
func (r *Rank) addRing(ring int, slots []Slot, sign int8) int {
	var offsets []geometry.Offset
	if ring < len(r.rings) {
		offsets = r.rings[ring]
	}
	touches := false
	for i := range slots {
		if slots[i].own() {
			continue
		}
		touches = true
		o := slots[i].Offset
		if o = (geometry.Offset{X: sign * o.X, Y: sign * o.Y, Z: sign * o.Z}); !slices.Contains(offsets, o) {
			offsets = append(offsets, o)
		}
	}
	if !touches {
		return ring
	}
	if ring == len(r.rings) {
		r.rings = append(r.rings, nil)
	}
	r.rings[ring] = offsets
	return ring + 1
}

// expandable refuses programs that must exchange in every step.
func (p *plan) expandable(r *Rank) error {
	every := quantity.Count(r.interval, "step")
	if _, ok := r.device.(Peer); ok {
		return fmt.Errorf("this device exchanges in every step and cannot do so once in %s; choose processors or GPUs with arrays", every)
	}
	for k := range p.programs {
		if !p.programs[k].OnGhosts {
			return fmt.Errorf("physics number %d does not compute ghosts, which it must to exchange once in %s; let it exchange in every step", k+1, every)
		}
		for _, phases := range p.programs[k].Steps {
			for j := range phases {
				if phases[j].Asks {
					return fmt.Errorf("phase %q asks for values of other ranks in every step; let it exchange in every step", phases[j].Name)
				}
			}
		}
	}
	return nil
}

// refresh plans what comes to ghosts.
func (p *plan) refresh() {
	r := p.rank
	constant := make([]bool, len(r.kinds))
	for i, f := range r.fields {
		for v := range f.Values {
			constant[int(r.array(i))+v] = f.Constant
		}
	}
	known := map[string]*request{}
	plan := func(wanted func(array int32) bool) *request {
		var arrays []int32
		for a := range int32(len(r.kinds)) {
			if wanted(a) {
				arrays = append(arrays, a)
			}
		}
		key := fmt.Sprint(arrays)
		if known[key] == nil {
			known[key] = r.refresh(arrays)
			p.requests = append(p.requests, known[key])
		}
		return known[key]
	}
	for _, s := range r.states {
		p.refreshes = append(p.refreshes, plan(func(a int32) bool {
			of := false
			for k := range s.slots {
				of = of || s.array[k] == a || s.slots[k].Wall >= 0 && s.wall[k] == a
			}
			return of && !constant[a]
		}))
	}
	p.constants = plan(func(a int32) bool { return constant[a] })
}

// finishExpanded binds the phases of all steps up to where both the cycle and the
// exchanges begin anew.
func (p *plan) finishExpanded() {
	r := p.rank
	for _, q := range p.refreshes {
		r.refreshes = append(r.refreshes, q.exchange)
	}
	r.constants = p.constants.exchange
	for step, levels := range r.levels {
		i := step % len(p.programs[0].Steps)
		var list []phase
		for j, level := range levels {
			f := phase{number: j}
			marks := make([]bool, len(r.layout.Blocks))
			p.addWork(&f, i, j)
			x := r.refreshes[(step+1)%len(r.states)]
			exchanges := (step+1)%r.interval == 0 && j == len(levels)-1
			if exchanges && level == 0 && f.every == 1 {
				r.markGiven(marks, x)
				f.early = add(f.early, x)
			}
			f.arrange(r.layout.Blocks, marks)
			f.order = append(f.order, r.finder.outer(level)...)
			list = append(list, f)
			if exchanges && len(f.early) == 0 {
				// Work on ghosts may write what others get, and some is not in every step.
				list = append(list, phase{number: j, every: 1, late: add(nil, x)})
			}
		}
		r.phases = append(r.phases, list)
	}
}
