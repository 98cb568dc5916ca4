package expression

import "slices"

// Action is one step of a schedule.
type Action struct {
	// Does tells what is done; the others say with what.
	Does Deed
	// Node is what Compute does.
	Node Node
	// To and From are registers, From those of the operands of a Compute in order.
	To   int
	From [4]int
	// Spilled tells that the second operand is in the scratch slot of that number,
	// FirstTable and SecondTable that the operand is an entry of the table.
	Spilled, FirstTable, SecondTable bool
	// Kept tells that the slot is one that stages share.
	Kept bool
	// Number is that of an input, an output, a slot or an entry of the table.
	Number int
}

// Deed is what an action does.
type Deed uint8

// The deeds.
const (
	// Compute computes a node into To.
	Compute Deed = iota
	// Load brings an input to To, Fill what is in a slot, Copy an entry of the table.
	Load
	Fill
	Copy
	// Spill puts From[0] into a slot, Store lets it leave as an output.
	Spill
	Store
)

// Schedule is a program as actions for a machine.
type Schedule struct {
	// Stages are their actions.
	Stages [][]Action
	// Slots is how many scratch slots a stage uses, Kept how many slots have what later
	// stages read.
	Slots, Kept int
}

// What registers and slots hold besides values: nothing, or an entry of the table for
// one action.
const none, temporary = -1, -2

// scheduler turns a stage of a program into actions for a machine with few registers.
// Values that do not fit are kept in scratch slots; the one whose next use is
// furthest away goes first (Belady 1966).
type scheduler struct {
	*scheduled
	stage   int
	order   []entry
	uses    [][]int // positions in order at which a node is used
	actions []Action
	inReg   []int // register of a node or none
	inSlot  []int // scratch slot of a node or none
	holds   []int // node in a register, temporary or none
	slots   []int // node in a scratch slot or none
	pinned  map[int]bool
	at      int
}

// scheduled is the program of schedulers.
type scheduled struct {
	program   *Program
	table     map[int]int
	varying   []bool
	stages    []int // of nodes
	kept      []int // slot of a node that later stages read, or none
	registers int
}

// entry is what is done in turn: a node is computed, kept, or leaves as an output.
type entry struct {
	node   int
	does   Deed
	output int
}

// NewSchedule returns the actions that compute a program with so many registers.
func NewSchedule(p *Program, registers int) (schedule Schedule) {
	d := &scheduled{program: p, table: map[int]int{}, varying: p.Varying(), stages: p.stages(), registers: registers}
	for i, v := range p.Table() {
		d.table[int(v)] = i
	}
	schedule.Kept = d.keep()
	for stage := range len(p.cuts) + 1 {
		best := d.inTurn(stage, (*scheduler).lazily)
		if len(p.cuts) > 0 {
			if other := d.inTurn(stage, (*scheduler).eagerly); len(other.actions) < len(best.actions) {
				best = other
			}
		}
		if len(best.actions) > 0 {
			schedule.Stages, schedule.Slots = append(schedule.Stages, best.actions), max(schedule.Slots, len(best.slots))
		}
	}
	return schedule
}

// keep gives slots to values that later stages read, and tells how many there are. Inputs are
// read anew.
func (d *scheduled) keep() (slots int) {
	d.kept = make([]int, len(d.program.Nodes))
	for i := range d.kept {
		d.kept[i] = none
	}
	reached := d.program.reached()
	for i := range d.program.Nodes {
		for _, operand := range d.program.Nodes[i].Operands() {
			if reached[i] && d.varying[operand] && d.kept[operand] < 0 && d.stages[operand] < d.stages[i] && !d.isInput(operand) {
				d.kept[operand] = slots
				slots++
			}
		}
	}
	return slots
}

func (d *scheduled) isInput(n int) bool { return d.program.Nodes[n].Operation == Input }

// inTurn is a stage in an order.
func (d *scheduled) inTurn(stage int, order func(s *scheduler)) *scheduler {
	s := &scheduler{scheduled: d, stage: stage, uses: make([][]int, len(d.program.Nodes))}
	order(s)
	for at, e := range s.order {
		for _, operand := range s.operands(e) {
			s.uses[operand] = append(s.uses[operand], at)
		}
	}
	for range d.program.Nodes {
		s.inReg, s.inSlot = append(s.inReg, none), append(s.inSlot, none)
	}
	for range d.registers {
		s.holds = append(s.holds, none)
	}
	for s.at = range s.order {
		s.emit(s.order[s.at])
		for r, value := range s.holds {
			if value == temporary {
				s.holds[r] = none
			}
		}
	}
	return s
}

// ends lists what leaves the stage: outputs and what is kept.
func (s *scheduler) ends() (list []entry) {
	for o, v := range s.program.Outputs {
		if s.stages[v] == s.stage {
			list = append(list, entry{int(v), Store, o})
		}
	}
	for n := range s.program.Nodes {
		if s.stages[n] == s.stage && s.kept[n] >= 0 {
			list = append(list, entry{node: n, does: Spill})
		}
	}
	return list
}

// lazily orders nodes so that each is computed for what needs it.
func (s *scheduler) lazily() {
	done := make([]bool, len(s.program.Nodes))
	reached := s.program.reached()
	for i, end := range s.ends() {
		s.visit(end.node, done)
		if i == 0 && len(s.program.cuts) == 0 {
			// An output may lie where an input lay: all are read before one is written.
			for i := range s.program.Nodes {
				if s.isInput(i) && reached[i] {
					s.visit(i, done)
				}
			}
		}
		s.order = append(s.order, end)
	}
}

// visit orders the nodes that node n needs, depth first.
func (s *scheduler) visit(n int, done []bool) {
	if done[n] || !s.varying[n] || !s.here(n) {
		return
	}
	done[n] = true
	for _, operand := range s.program.Nodes[n].Operands() {
		s.visit(operand, done)
	}
	s.order = append(s.order, entry{node: n})
}

// here tells whether a node is computed in the stage.
func (s *scheduler) here(n int) bool { return s.stages[n] == s.stage || s.isInput(n) }

// eagerly orders the nodes that are computed lazily so that each is computed as soon as its
// operands are there.
func (s *scheduler) eagerly() {
	s.lazily()
	list, size := s.order, len(s.program.Nodes)
	waits, users, ends := make([]bool, size), make([][]int, size), make([][]entry, size)
	s.order = nil
	for _, e := range list {
		switch {
		case e.does == Compute:
			waits[e.node] = true
			for _, operand := range s.operands(e) {
				users[operand] = append(users[operand], e.node)
			}
		case s.varying[e.node]:
			ends[e.node] = append(ends[e.node], e)
		default:
			s.order = append(s.order, e)
		}
	}
	var compute func(n int)
	compute = func(n int) {
		if !waits[n] || slices.ContainsFunc(s.program.Nodes[n].Operands(), func(o int) bool { return waits[o] }) {
			return
		}
		waits[n] = false
		s.order = append(append(s.order, entry{node: n}), ends[n]...)
		for _, user := range users[n] {
			compute(user)
		}
	}
	for n := range size {
		compute(n)
	}
}

// operands lists the varying operands of an entry of order.
func (s *scheduler) operands(e entry) (varying []int) {
	list := []int{e.node}
	if e.does == Compute {
		list = s.program.Nodes[e.node].Operands()
	}
	for _, operand := range list {
		if s.varying[operand] {
			varying = append(varying, operand)
		}
	}
	return varying
}

// emit adds the actions for one entry of order.
func (s *scheduler) emit(e entry) {
	s.pinned = map[int]bool{}
	n := e.node
	if e.does != Compute {
		act := Action{Does: e.does, Number: e.output, From: [4]int{s.register(n)}}
		if e.does == Spill {
			act.Number, act.Kept = s.kept[n], true
		}
		s.actions = append(s.actions, act)
		s.release(n)
		return
	}
	node := s.program.Nodes[n]
	act := Action{Node: node, Number: node.A}
	operands := node.Operands()
	switch len(operands) {
	case 0:
		act.Does = Load
	case 2:
		a, b := node.A, node.B
		commutes := node.Operation == Add || node.Operation == Multiply
		if commutes && (!s.varying[a] || s.varying[b] && s.inReg[a] < 0 && s.inReg[b] >= 0) {
			a, b = b, a
		}
		s.place(&act, a, b)
	default:
		for i, operand := range operands {
			act.From[i] = s.register(operand)
		}
	}
	// A table entry comes into the target before the second operand is read, and making
	// room for the target may fill a slot that has become free: then the operands
	// must be held until there is room.
	early := act.FirstTable || act.Spilled
	if early {
		act.To = s.free()
		s.holds[act.To] = n
	}
	for _, operand := range operands {
		s.release(operand)
	}
	if !early {
		act.To = s.free()
	}
	s.holds[act.To] = n
	s.inReg[n] = act.To
	s.actions = append(s.actions, act)
}

// place fills the operands of a binary action.
func (s *scheduler) place(act *Action, a, b int) {
	if !s.varying[a] {
		act.From[0], act.FirstTable = s.table[a], true
	} else {
		act.From[0] = s.register(a)
	}
	switch {
	case !s.varying[b]:
		act.From[1], act.SecondTable = s.table[b], true
	case s.inReg[b] >= 0:
		act.From[1] = s.inReg[b]
	default:
		act.From[1], act.Kept = s.slot(b)
		act.Spilled = true
	}
	if s.varying[b] && s.inReg[b] >= 0 {
		s.pinned[s.inReg[b]] = true
	}
}

// register makes sure that a value is in a register: an entry of the table for one
// action.
func (s *scheduler) register(value int) int {
	if !s.varying[value] {
		to := s.free()
		s.actions = append(s.actions, Action{Does: Copy, To: to, Number: s.table[value]})
		s.holds[to], s.pinned[to] = temporary, true
		return to
	}
	if s.inReg[value] < 0 {
		to := s.free()
		number, kept := s.slot(value)
		s.actions = append(s.actions, Action{Does: Fill, To: to, Number: number, Kept: kept})
		s.inReg[value], s.holds[to] = to, value
	}
	s.pinned[s.inReg[value]] = true
	return s.inReg[value]
}

// slot is where a value is that is in no register, and whether stages share it.
func (s *scheduler) slot(value int) (number int, kept bool) {
	if s.here(value) {
		return s.inSlot[value], false
	}
	return s.kept[value], true
}

// nextUse is the next position at which a value is used, from the present on.
func (s *scheduler) nextUse(value int) int {
	for _, at := range s.uses[value] {
		if at >= s.at {
			return at
		}
	}
	return len(s.order)
}

// release frees what holds a value that is not used after the present.
func (s *scheduler) release(value int) {
	if uses := s.uses[value]; !s.varying[value] || uses[len(uses)-1] > s.at {
		return
	}
	if r := s.inReg[value]; r >= 0 {
		s.holds[r], s.inReg[value] = none, none
		delete(s.pinned, r)
	}
	if slot := s.inSlot[value]; slot >= 0 {
		s.slots[slot], s.inSlot[value] = none, none
	}
}

// free returns a register that holds nothing, after moving the value whose
// next use is furthest away to a scratch slot if need be.
func (s *scheduler) free() int {
	victim, furthest := -1, -1
	for r, value := range s.holds {
		if value == none {
			return r
		}
		if s.pinned[r] {
			continue
		}
		if next := s.nextUse(value); next > furthest {
			victim, furthest = r, next
		}
	}
	value := s.holds[victim]
	if s.inSlot[value] < 0 && s.here(value) {
		slot := 0
		for slot < len(s.slots) && s.slots[slot] >= 0 {
			slot++
		}
		if slot == len(s.slots) {
			s.slots = append(s.slots, none)
		}
		s.slots[slot], s.inSlot[value] = value, slot
		s.actions = append(s.actions, Action{Does: Spill, From: [4]int{victim}, Number: slot})
	}
	s.holds[victim], s.inReg[value] = none, none
	return victim
}
