package expression

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
	// Number is that of an input, an output, a scratch slot or an entry of the table.
	Number int
}

// Deed is what an action does.
type Deed uint8

// The deeds.
const (
	// Compute computes a node into To.
	Compute Deed = iota
	// Load brings an input to To, Fill what is in a scratch slot, Copy an entry of
	// the table.
	Load
	Fill
	Copy
	// Spill puts From[0] into a scratch slot, Store lets it leave as an output.
	Spill
	Store
)

// What registers and slots hold besides values: nothing, or an entry of the table for
// one action.
const none, temporary = -1, -2

// scheduler turns a program into actions for a machine with few registers.
// Values that do not fit are kept in scratch slots; the one whose next use is
// furthest away goes first (Belady 1966).
type scheduler struct {
	program *Program
	table   map[int]int
	varying []bool
	order   []int   // node numbers; outputs are −1−number
	uses    [][]int // positions in order at which a node is used
	actions []Action
	inReg   []int // register of a node or none
	inSlot  []int // scratch slot of a node or none
	holds   []int // node in a register, temporary or none
	slots   []int // node in a scratch slot or none
	pinned  map[int]bool
	at      int
}

// Schedule returns the actions that compute a program with so many registers and the
// number of scratch slots they use.
func Schedule(p *Program, registers int) ([]Action, int) {
	s := &scheduler{program: p, table: map[int]int{}, varying: p.Varying()}
	for i, v := range p.Table() {
		s.table[int(v)] = i
	}
	done := make([]bool, len(p.Nodes))
	reached := p.reached()
	for o, v := range p.Outputs {
		s.visit(int(v), done)
		if o == 0 {
			// An output may lie where an input lay: all are read before one is written.
			for i := range p.Nodes {
				if p.Nodes[i].Operation == Input && reached[i] {
					s.visit(i, done)
				}
			}
		}
		s.order = append(s.order, -1-o)
	}
	s.uses = make([][]int, len(p.Nodes))
	for at, n := range s.order {
		for _, operand := range s.operands(n) {
			s.uses[operand] = append(s.uses[operand], at)
		}
	}
	for range p.Nodes {
		s.inReg, s.inSlot = append(s.inReg, none), append(s.inSlot, none)
	}
	for range registers {
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
func (s *scheduler) operands(n int) (varying []int) {
	list := []int{}
	if n < 0 {
		list = append(list, int(s.program.Outputs[-1-n]))
	} else {
		list = s.program.Nodes[n].Operands()
	}
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
		s.actions = append(s.actions, Action{Does: Store, Number: -1 - n, From: [4]int{s.register(value)}})
		s.release(value)
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
		act.From[1], act.Spilled = s.inSlot[b], true
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
		s.actions = append(s.actions, Action{Does: Fill, To: to, Number: s.inSlot[value]})
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
	if s.inSlot[value] < 0 {
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
