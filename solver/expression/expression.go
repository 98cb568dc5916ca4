package expression

import "math"

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
)

// Node is one value of a program.
type Node struct {
	Operation Operation
	// A and B are the operands of arithmetic operations. Of an Input or
	// Parameter, A is its number.
	A, B int
	// Value is that of a Constant.
	Value float64
}

// Program is straight-line code from inputs and parameters to outputs.
// Operands stand before the nodes that use them.
type Program struct {
	Nodes      []Node
	Parameters []string
	Outputs    []Value

	known map[Node]int
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
func (p *Program) Constant(v float64) Value { return p.node(Node{Operation: Constant, Value: v}) }

// Add is a + b.
func (p *Program) Add(a, b Value) Value { return p.node(Node{Operation: Add, A: int(a), B: int(b)}) }

// Subtract is a − b.
func (p *Program) Subtract(a, b Value) Value {
	return p.node(Node{Operation: Subtract, A: int(a), B: int(b)})
}

// Multiply is a·b.
func (p *Program) Multiply(a, b Value) Value {
	return p.node(Node{Operation: Multiply, A: int(a), B: int(b)})
}

// Divide is a/b.
func (p *Program) Divide(a, b Value) Value {
	return p.node(Node{Operation: Divide, A: int(a), B: int(b)})
}

// Maximum is the larger of a and b.
func (p *Program) Maximum(a, b Value) Value {
	return p.node(Node{Operation: Maximum, A: int(a), B: int(b)})
}

// SquareRoot is √a.
func (p *Program) SquareRoot(a Value) Value {
	return p.node(Node{Operation: SquareRoot, A: int(a)})
}

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

// Evaluate computes the outputs in float64, for tests.
func (p *Program) Evaluate(inputs []float64, parameters map[string]float64) []float64 {
	values := make([]float64, len(p.Nodes))
	for i, n := range p.Nodes {
		values[i] = evaluate(n, values, inputs, parameters, p.Parameters)
	}
	outputs := make([]float64, len(p.Outputs))
	for i, o := range p.Outputs {
		outputs[i] = values[o]
	}
	return outputs
}

func evaluate(n Node, values, inputs []float64, parameters map[string]float64, names []string) float64 {
	switch n.Operation {
	case Input:
		return inputs[n.A]
	case Parameter:
		return parameters[names[n.A]]
	case Constant:
		return n.Value
	case Add:
		return values[n.A] + values[n.B]
	case Subtract:
		return values[n.A] - values[n.B]
	case Multiply:
		return values[n.A] * values[n.B]
	case Divide:
		return values[n.A] / values[n.B]
	case Maximum:
		if values[n.A] > values[n.B] {
			return values[n.A]
		}
		return values[n.B]
	default:
		return math.Sqrt(values[n.A])
	}
}
