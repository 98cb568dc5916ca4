package main

import "carina/solver/expression"

// action is one step of a schedule: either a node is computed into register
// to, or (store) output number output leaves from register a.
type action struct {
	node   expression.Node
	load   bool // bring the value in scratch slot b to register to
	spill  bool // put register a into scratch slot b
	store  bool
	output int
	// to, a and b are registers; bSlot means that operand b is in a scratch
	// slot, aTable and bTable that the operand is a table entry.
	to, a, b       int
	bSlot          bool
	aTable, bTable bool
}

// scheduler turns a program into actions for a machine with few registers.
// Values that do not fit are kept in scratch slots; the one whose next use is
// furthest away goes first (Belady 1966).
type scheduler struct {
	program *expression.Program
	table   map[int]int
	varying []bool
	order   []int   // node numbers; outputs are −1−number
	uses    [][]int // positions in order at which a node is used
	actions []action
	inReg   []int // register of a node or −1
	inSlot  []int // scratch slot of a node or −1
	holds   []int // node in a register or −1
	slots   []int // node in a scratch slot or −1
	pinned  map[int]bool
	at      int
}

// schedule returns the actions and the number of scratch slots they use.
func schedule(p *expression.Program, registers int) ([]action, int) {
	s := &scheduler{program: p, table: map[int]int{}, varying: p.Varying()}
	for i, v := range p.Table() {
		s.table[int(v)] = i
	}
	done := make([]bool, len(p.Nodes))
	for o, v := range p.Outputs {
		s.visit(int(v), done)
		s.order = append(s.order, -1-o)
	}
	s.uses = make([][]int, len(p.Nodes))
	for at, n := range s.order {
		for _, operand := range s.operands(n) {
			s.uses[operand] = append(s.uses[operand], at)
		}
	}
	for range p.Nodes {
		s.inReg, s.inSlot = append(s.inReg, -1), append(s.inSlot, -1)
	}
	for range registers {
		s.holds = append(s.holds, -1)
	}
	for s.at = range s.order {
		s.emit(s.order[s.at])
	}
	return s.actions, len(s.slots)
}

// visit orders the nodes that node n needs, depth first.
func (s *scheduler) visit(n int, done []bool) {
	if done[n] || !s.varying[n] {
		return
	}
	done[n] = true
	for _, operand := range s.operands(n) {
		s.visit(operand, done)
	}
	s.order = append(s.order, n)
}

// operands lists the varying operands of an entry of order.
func (s *scheduler) operands(n int) []int {
	if n < 0 {
		return []int{int(s.program.Outputs[-1-n])}
	}
	node := s.program.Nodes[n]
	list := node.Operands()
	varying := list[:0]
	for _, operand := range list {
		if s.varying[operand] {
			varying = append(varying, operand)
		}
	}
	return varying
}

// emit adds the actions for one entry of order.
func (s *scheduler) emit(n int) {
	s.pinned = map[int]bool{}
	if n < 0 {
		value := int(s.program.Outputs[-1-n])
		s.actions = append(s.actions, action{store: true, output: -1 - n, a: s.register(value)})
		s.release(value)
		return
	}
	node := s.program.Nodes[n]
	act := action{node: node}
	operands := s.operands(n)
	if node.Operation >= expression.Add {
		a, b := node.A, node.B
		commutes := node.Operation == expression.Add || node.Operation == expression.Multiply
		if node.Operation == expression.SquareRoot {
			act.a = s.register(a)
		} else {
			if commutes && (!s.varying[a] || s.varying[b] && s.inReg[a] < 0 && s.inReg[b] >= 0) {
				a, b = b, a
			}
			s.place(&act, a, b)
		}
	}
	// A table entry comes into the target before b is read, and making room
	// for the target may fill a slot that has become free: then the operands
	// must be held until there is room.
	early := act.aTable || act.bSlot
	if early {
		act.to = s.free()
		s.holds[act.to] = n
	}
	for _, operand := range operands {
		s.release(operand)
	}
	if !early {
		act.to = s.free()
	}
	s.holds[act.to] = n
	s.inReg[n] = act.to
	s.actions = append(s.actions, act)
}

// place fills the operands of a binary action.
func (s *scheduler) place(act *action, a, b int) {
	if !s.varying[a] {
		act.a, act.aTable = s.table[a], true
	} else {
		act.a = s.register(a)
	}
	switch {
	case !s.varying[b]:
		act.b, act.bTable = s.table[b], true
	case s.inReg[b] >= 0:
		act.b = s.inReg[b]
	default:
		act.b, act.bSlot = s.inSlot[b], true
	}
	if s.varying[b] && s.inReg[b] >= 0 {
		s.pinned[s.inReg[b]] = true
	}
}

// register makes sure that a value is in a register.
func (s *scheduler) register(value int) int {
	if s.inReg[value] < 0 {
		to := s.free()
		s.actions = append(s.actions, action{load: true, to: to, b: s.inSlot[value]})
		s.inReg[value], s.holds[to] = to, value
	}
	s.pinned[s.inReg[value]] = true
	return s.inReg[value]
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
	if uses := s.uses[value]; uses[len(uses)-1] > s.at {
		return
	}
	if r := s.inReg[value]; r >= 0 {
		s.holds[r], s.inReg[value] = -1, -1
		delete(s.pinned, r)
	}
	if slot := s.inSlot[value]; slot >= 0 {
		s.slots[slot], s.inSlot[value] = -1, -1
	}
}

// free returns a register that holds nothing, after moving the value whose
// next use is furthest away to a scratch slot if need be.
func (s *scheduler) free() int {
	victim, furthest := -1, -1
	for r, value := range s.holds {
		if value < 0 {
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
	if s.inSlot[value] < 0 {
		slot := 0
		for slot < len(s.slots) && s.slots[slot] >= 0 {
			slot++
		}
		if slot == len(s.slots) {
			s.slots = append(s.slots, 0)
		}
		s.slots[slot], s.inSlot[value] = value, slot
		s.actions = append(s.actions, action{spill: true, a: victim, b: slot})
	}
	s.holds[victim], s.inReg[value] = -1, -1
	return victim
}
