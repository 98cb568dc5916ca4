package expression

// Operation is what a node of a program does.
type Operation uint8

// The operations. All of them are correctly rounded on every processor; fused
// multiply-adds are not among them on purpose.
const (
	Input Operation = iota
	Parameter
	Constant
	Add
	Subtract
	Multiply
	Divide
	SquareRoot
	// Maximum is a where a > b, else b: what the instructions of x86 give, numbers
	// that are none included.
	Maximum
	// Minimum is a where a < b, else b.
	Minimum
	// Select is c where a < b, else d.
	Select
	// PowerOfTwo is the number whose bits are those of a, moved up to where the
	// exponent is; see Exponential.
	PowerOfTwo
)

// operandCounts is how many operands operations have.
var operandCounts = [...]int{Add: 2, Subtract: 2, Multiply: 2, Divide: 2, SquareRoot: 1, Maximum: 2, Minimum: 2, Select: 4, PowerOfTwo: 1}

// Node is one value of a program.
type Node struct {
	Operation Operation
	// A to D are the operands of arithmetic operations. Of an Input or Parameter, A
	// is its number.
	A, B, C, D int
	// Value is that of a Constant, Single that in single precision.
	Value, Single float64
}

// Operands lists those of an arithmetic operation.
func (n *Node) Operands() []int {
	all := [...]int{n.A, n.B, n.C, n.D}
	return append([]int(nil), all[:operandCounts[n.Operation]]...)
}

// Program is straight-line code from inputs and parameters to outputs.
// Operands stand before the nodes that use them.
type Program struct {
	Nodes      []Node
	Parameters []string
	Outputs    []Value
	// Literal keeps operations that change nothing, such as products with 1, and sums
	// and products that differ in the order of their operands, as they are written.
	Literal bool

	known map[Node]int
	cuts  []int // numbers of nodes with which stages begin
}

// Value is the number of a node.
type Value int

// New returns an empty program.
func New() *Program { return &Program{known: map[Node]int{}} }

// node adds a node unless the program has the same one already.
func (p *Program) node(n Node) Value {
	if i, ok := p.known[n]; ok {
		return Value(i)
	}
	p.known[n] = len(p.Nodes)
	p.Nodes = append(p.Nodes, n)
	return Value(len(p.Nodes) - 1)
}

func (p *Program) binary(o Operation, a, b Value) Value {
	return p.node(Node{Operation: o, A: int(a), B: int(b)})
}

// commutative is binary where a and b may change places.
func (p *Program) commutative(o Operation, a, b Value) Value {
	if i, ok := p.known[Node{Operation: o, A: int(b), B: int(a)}]; ok && !p.Literal {
		return Value(i)
	}
	return p.binary(o, a, b)
}

// is tells whether a value is a constant of so much.
func (p *Program) is(a Value, v float64) bool {
	n := &p.Nodes[a]
	return !p.Literal && n.Operation == Constant && n.Value == v && n.Single == v
}

// Cut begins a stage: many cells are taken through one stage before the next one begins, so
// that each is short enough for a processor to work on several cells at once. Stages read
// inputs anew: no output lies where an input does.
func (p *Program) Cut() { p.cuts = append(p.cuts, len(p.Nodes)) }

// Stages is how many stages there are.
func (p *Program) Stages() int { return len(p.cuts) + 1 }

// stages lists the stages of nodes.
func (p *Program) stages() []int {
	list, stage := make([]int, len(p.Nodes)), 0
	for i := range list {
		for stage < len(p.cuts) && p.cuts[stage] <= i {
			stage++
		}
		list[i] = stage
	}
	return list
}

// Input is input number i.
func (p *Program) Input(i int) Value { return p.node(Node{Operation: Input, A: i}) }

// Parameter is the parameter of the given name.
func (p *Program) Parameter(name string) Value {
	for i, known := range p.Parameters {
		if known == name {
			return p.node(Node{Operation: Parameter, A: i})
		}
	}
	p.Parameters = append(p.Parameters, name)
	return p.node(Node{Operation: Parameter, A: len(p.Parameters) - 1})
}

// Constant is a number, rounded to the precision of the generated code.
func (p *Program) Constant(v float64) Value { return p.constants(v, v) }

// constants is a number that is another one in single precision.
func (p *Program) constants(double, single float64) Value {
	return p.node(Node{Operation: Constant, Value: double, Single: single})
}

// Add is a + b; a where b is the constant 0 and the other way round.
func (p *Program) Add(a, b Value) Value {
	switch {
	case p.is(b, 0):
		return a
	case p.is(a, 0):
		return b
	}
	return p.commutative(Add, a, b)
}

// Subtract is a − b.
func (p *Program) Subtract(a, b Value) Value {
	if p.is(b, 0) {
		return a
	}
	return p.binary(Subtract, a, b)
}

// Multiply is a·b; the other one where one is the constant 1.
func (p *Program) Multiply(a, b Value) Value {
	switch {
	case p.is(b, 1):
		return a
	case p.is(a, 1):
		return b
	}
	return p.commutative(Multiply, a, b)
}

// Divide is a/b.
func (p *Program) Divide(a, b Value) Value {
	if p.is(b, 1) {
		return a
	}
	return p.binary(Divide, a, b)
}

// Maximum is the larger of a and b, b where one of them is no number.
func (p *Program) Maximum(a, b Value) Value { return p.binary(Maximum, a, b) }

// Minimum is the smaller of a and b, b where one of them is no number.
func (p *Program) Minimum(a, b Value) Value { return p.binary(Minimum, a, b) }

// SquareRoot is √a.
func (p *Program) SquareRoot(a Value) Value { return p.node(Node{Operation: SquareRoot, A: int(a)}) }

// Select is c where a < b, else d.
func (p *Program) Select(a, b, c, d Value) Value {
	x, y := &p.Nodes[a], &p.Nodes[b]
	switch {
	case c == d:
		return c
	case x.Operation == Constant && y.Operation == Constant && (x.Value < y.Value) == (float32(x.Single) < float32(y.Single)):
		if x.Value < y.Value {
			return c
		}
		return d
	}
	return p.node(Node{Operation: Select, A: int(a), B: int(b), C: int(c), D: int(d)})
}

// Negative is −a, 0 of 0 and −0.
func (p *Program) Negative(a Value) Value { return p.Subtract(p.Constant(0), a) }

// Absolute is |a|.
func (p *Program) Absolute(a Value) Value { return p.Maximum(a, p.Negative(a)) }

// Sum adds terms pairwise, as a tree.
func (p *Program) Sum(terms ...Value) Value {
	for len(terms) > 1 {
		var next []Value
		for i := 0; i+1 < len(terms); i += 2 {
			next = append(next, p.Add(terms[i], terms[i+1]))
		}
		if len(terms)%2 == 1 {
			next = append(next, terms[len(terms)-1])
		}
		terms = next
	}
	return terms[0]
}

// SignedSum adds the terms with coefficient 1 and subtracts those with
// coefficient −1; coefficient 0 leaves a term out. At least one coefficient
// must be 1.
func (p *Program) SignedSum(coefficients []int, terms []Value) Value {
	var plus, minus []Value
	for i, c := range coefficients {
		switch c {
		case 1:
			plus = append(plus, terms[i])
		case -1:
			minus = append(minus, terms[i])
		}
	}
	if len(minus) == 0 {
		return p.Sum(plus...)
	}
	return p.Subtract(p.Sum(plus...), p.Sum(minus...))
}
