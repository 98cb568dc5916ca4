package solver

import "slices"

// plan is what a rank wants of others, while it is prepared.
type plan struct {
	rank     *Rank
	programs []Program
	requests []*request
	// borrows are the requests by slots, so that each list is made once.
	borrows []borrowed
	asks    map[[2]int][]*request // by step and phase
	// refreshes are of ghosts, by state, and constants of what stays.
	refreshes []*request
	constants *request
	failed    error
}

// borrowed is the request for some slots.
type borrowed struct {
	slots   []Slot
	request *request
}

// plan lists all requests of the programs.
func (r *Rank) plan(programs []Program, asks []asking) *plan {
	p := &plan{rank: r, programs: programs, asks: map[[2]int][]*request{}}
	for i := range programs[0].State {
		slots := p.all(func(q *Program) []Slot { return q.State[i] })
		r.states = append(r.states, r.newState(slots))
		p.borrow(slots)
	}
	if r.interval > 1 {
		p.refresh()
		return p
	}
	for i := range programs[0].Steps {
		for j := range p.phases(i) {
			p.borrow(p.slots(i, j, func(f *Phase) []Slot { return f.Return }))
			p.borrow(p.slots(i, j, func(f *Phase) []Slot { return f.Fetch }))
			for k, list := range asks {
				if j < len(programs[k].Steps[i]) && programs[k].Steps[i][j].Asks {
					p.ask(i, j, list)
				}
			}
		}
	}
	return p
}

// ask adds what a kernel asks for after a phase.
func (p *plan) ask(i, j int, list asking) {
	q, err := p.rank.ask(list[[2]int{i, j}], p.rank.states[(i+1)%len(p.rank.states)])
	if err != nil {
		p.failed = err
		return
	}
	p.asks[[2]int{i, j}] = append(p.asks[[2]int{i, j}], q)
	p.requests = append(p.requests, q)
}

// all joins slots of all programs.
func (p *plan) all(f func(q *Program) []Slot) (slots []Slot) {
	for i := range p.programs {
		slots = append(slots, f(&p.programs[i])...)
	}
	return slots
}

// phases is how many phases a step has.
func (p *plan) phases(step int) (n int) {
	for i := range p.programs {
		n = max(n, len(p.programs[i].Steps[step]))
	}
	return n
}

// slots joins slots of a phase of all programs.
func (p *plan) slots(step, number int, f func(*Phase) []Slot) []Slot {
	return p.all(func(q *Program) []Slot {
		if number >= len(q.Steps[step]) {
			return nil
		}
		return f(&q.Steps[step][number])
	})
}

// borrow returns the request for slots.
func (p *plan) borrow(slots []Slot) *request {
	for _, b := range p.borrows {
		if slices.Equal(b.slots, slots) {
			return b.request
		}
	}
	q := p.rank.borrow(slots)
	p.borrows = append(p.borrows, borrowed{slots, q})
	p.requests = append(p.requests, q)
	return q
}

// finish binds the phases, when all ranks have agreed.
func (p *plan) finish() {
	r := p.rank
	for _, q := range p.requests {
		r.exchanges = append(r.exchanges, q.exchange)
	}
	for i := range r.states {
		r.states[i].returns = p.borrow(r.states[i].slots).exchange.reversed()
	}
	if r.interval > 1 {
		p.finishExpanded()
		return
	}
	for i := range p.programs[0].Steps {
		var list []phase
		for j := range p.phases(i) {
			list = append(list, p.bind(i, j))
		}
		r.phases = append(r.phases, list)
	}
}

// bind makes phase j of step i.
func (p *plan) bind(i, j int) phase {
	r := p.rank
	f := phase{number: j}
	marks := make([]bool, len(r.layout.Blocks))
	returned := p.slots(i, j, func(f *Phase) []Slot { return f.Return })
	back := p.borrow(returned).exchange.reversed()
	f.fetch = p.borrow(p.slots(i, j, func(f *Phase) []Slot { return f.Fetch })).exchange
	f.early = add(r.swap(f.early, i, j, p), back)
	if len(returned) == 0 {
		r.markGiven(marks, f.fetch)
		f.early = add(f.early, f.fetch)
	} else {
		// Work that writes to neighbours may write what is fetched anywhere.
		f.late = add(f.late, f.fetch)
	}
	for _, q := range p.asks[[2]int{i, j}] {
		f.late = add(f.late, q.exchange)
	}
	r.markTouching(marks, returned)
	r.markTouching(marks, p.slots(i, j, func(f *Phase) []Slot { return f.Reads }))
	f.arrange(r.layout.Blocks, marks)
	p.addWork(&f, i, j)
	return f
}

// arrange orders blocks, marked ones first.
func (f *phase) arrange(blocks []Block, marks []bool) {
	for _, border := range []bool{true, false} {
		for k, b := range blocks {
			if marks[k] == border {
				f.order = append(f.order, b)
			}
		}
		if border {
			f.border = len(f.order)
		}
	}
}

// swap adds what devices of a kind exchange after a phase that leaves something
// for others.
func (r *Rank) swap(list []*Exchange, i, j int, p *plan) []*Exchange {
	crosses := p.slots(i, j, func(f *Phase) []Slot { return append(slices.Clip(f.Return), f.Fetch...) })
	if r.peer == nil || len(crosses) == 0 {
		return list
	}
	return append(list, &Exchange{Peer: r.peer})
}

// add adds an exchange that has messages.
func add(list []*Exchange, x *Exchange) []*Exchange {
	if len(x.Messages) == 0 {
		return list
	}
	return append(list, x)
}

// markGiven marks the blocks with cells whose values are sent.
func (r *Rank) markGiven(marks []bool, x *Exchange) {
	for _, list := range x.Give {
		for _, s := range list {
			for _, c := range s.Cells {
				if int(c) < r.layout.Cells {
					marks[r.layout.BlockOf(c)] = true
				}
			}
		}
	}
}

// markTouching marks the blocks with cells that touch ghosts by slots.
func (r *Rank) markTouching(marks []bool, slots []Slot) {
	touched := make([]bool, len(r.offsets))
	for i := range slots {
		if k := slices.Index(r.offsets, slots[i].Offset); k >= 0 {
			touched[k] = true
		}
	}
	for _, c := range r.finder.crossings {
		if !touched[c.offset] {
			continue
		}
		p := &r.finder.all[c.piece]
		first, last := p.Local+c.x0-p.X0, p.Local+c.x1-1-p.X0
		for k := r.layout.BlockOf(first); k < len(marks) && r.layout.Blocks[k].First <= last; k++ {
			marks[k] = true
		}
	}
}

// addWork adds what the kernels do in phase j of step i.
func (p *plan) addWork(f *phase, i, j int) {
	var blocks []BlockWork
	for k, kernel := range p.rank.kernels {
		if j >= len(p.programs[k].Steps[i]) {
			continue
		}
		bound := &p.programs[k].Steps[i][j]
		f.name, f.every = bound.Name, max(1, bound.Every)
		switch w := kernel.Work(i, j).(type) {
		case nil:
		case BlockWork:
			blocks = append(blocks, w)
		default:
			f.work = append(f.work, w)
		}
		if bound.Reduce != nil {
			f.reductions = append(f.reductions, reducing{bound.Reduce, kernel.(Reducer), make([]int64, bound.Reduce.Values)})
		}
	}
	if len(blocks) > 0 {
		f.work = append(f.work, inTurn(blocks))
	}
}

// inTurn does several kinds of work on a block, one after the other.
func inTurn(list []BlockWork) BlockWork {
	if len(list) == 1 {
		return list[0]
	}
	return func(b *Block, worker int) {
		for _, w := range list {
			w(b, worker)
		}
	}
}
