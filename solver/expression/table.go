package expression

import (
	"math"
	"unsafe"
)

// Table lists the values that depend on parameters and constants alone and
// are operands of values that do not, or outputs. Generated code reads them
// from a table that is computed by EvaluateTable or a Tabulator.
func (p *Program) Table() []Value {
	uniform := p.uniform()
	var table []Value
	listed := make(map[int]bool)
	use := func(i int) {
		if uniform[i] && !listed[i] {
			listed[i] = true
			table = append(table, Value(i))
		}
	}
	reached := p.reached()
	for i, n := range p.Nodes {
		if uniform[i] || !reached[i] {
			continue
		}
		for _, operand := range n.Operands() {
			use(operand)
		}
	}
	for _, o := range p.Outputs {
		use(int(o))
	}
	return table
}

// uniform tells which nodes depend on parameters and constants alone.
func (p *Program) uniform() []bool {
	uniform := make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		uniform[i] = n.Operation != Input
		for _, operand := range n.Operands() {
			uniform[i] = uniform[i] && uniform[operand]
		}
	}
	return uniform
}

// Varying tells which nodes depend on inputs.
func (p *Program) Varying() []bool {
	varying := p.uniform()
	for i := range varying {
		varying[i] = !varying[i]
	}
	return varying
}

// reached tells which nodes the outputs depend on.
func (p *Program) reached() []bool {
	reached := make([]bool, len(p.Nodes))
	for _, o := range p.Outputs {
		reached[o] = true
	}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		if reached[i] {
			for _, operand := range p.Nodes[i].Operands() {
				reached[operand] = true
			}
		}
	}
	return reached
}

// Tabulator computes the table of a program again and again, without allocating.
type Tabulator[T float32 | float64] struct {
	program    *Program
	parameters []T // by number
	order      []int
	values     []T // by node
	entries    []Value
	table      []T
}

// NewTabulator prepares the table of a program.
func NewTabulator[T float32 | float64](p *Program) *Tabulator[T] {
	t := &Tabulator[T]{program: p, parameters: make([]T, len(p.Parameters)), values: make([]T, len(p.Nodes)), entries: p.Table()}
	for i, uniform := range p.uniform() {
		if uniform {
			t.order = append(t.order, i)
		}
	}
	t.table = make([]T, len(t.entries))
	return t
}

// Set gives a parameter its value; those that the program does not have are left
// out.
func (t *Tabulator[T]) Set(name string, value float64) {
	for i, known := range t.program.Parameters {
		if known == name {
			t.parameters[i] = T(value)
		}
	}
}

// Table is that of the parameters as they are set, in the arithmetic of T, every
// operation rounded to T. It is the same memory each time.
func (t *Tabulator[T]) Table() []T {
	for _, i := range t.order {
		t.values[i] = evaluate(&t.program.Nodes[i], t.values, nil, t.parameters)
	}
	for i, v := range t.entries {
		t.table[i] = t.values[v]
	}
	return t.table
}

// EvaluateTable is the table of a program for parameters.
func EvaluateTable[T float32 | float64](p *Program, parameters map[string]float64) []T {
	t := NewTabulator[T](p)
	for name, value := range parameters {
		t.Set(name, value)
	}
	return t.Table()
}

// Evaluate computes the outputs in float64, for tests.
func (p *Program) Evaluate(inputs []float64, parameters map[string]float64) []float64 {
	return EvaluateIn(p, inputs, parameters)
}

// EvaluateIn computes the outputs in the arithmetic of T, for tests.
func EvaluateIn[T float32 | float64](p *Program, inputs []T, parameters map[string]float64) []T {
	byNumber := make([]T, len(p.Parameters))
	for i, name := range p.Parameters {
		byNumber[i] = T(parameters[name])
	}
	values := make([]T, len(p.Nodes))
	for i := range p.Nodes {
		values[i] = evaluate(&p.Nodes[i], values, inputs, byNumber)
	}
	outputs := make([]T, len(p.Outputs))
	for i, o := range p.Outputs {
		outputs[i] = values[o]
	}
	return outputs
}

// evaluate computes a node from those before it.
func evaluate[T float32 | float64](n *Node, values, inputs, parameters []T) T {
	switch n.Operation {
	case Input:
		return inputs[n.A]
	case Parameter:
		return parameters[n.A]
	case Constant:
		if unsafe.Sizeof(T(0)) == 4 {
			return T(n.Single)
		}
		return T(n.Value)
	}
	a, b := values[n.A], values[n.B]
	switch n.Operation {
	case Add:
		return a + b
	case Subtract:
		return a - b
	case Multiply:
		return a * b
	case Divide:
		return a / b
	case Maximum:
		return choose(b, a, a, b)
	case Minimum:
		return choose(a, b, a, b)
	case Select:
		return choose(a, b, values[n.C], values[n.D])
	case PowerOfTwo:
		return powerOfTwo(a)
	default:
		return T(math.Sqrt(float64(a)))
	}
}

// choose is x where a < b, else y.
func choose[T float32 | float64](a, b, x, y T) T {
	if a < b {
		return x
	}
	return y
}

func powerOfTwo[T float32 | float64](a T) T {
	if unsafe.Sizeof(a) == 4 {
		return T(math.Float32frombits(math.Float32bits(float32(a)) << 23))
	}
	return T(math.Float64frombits(math.Float64bits(float64(a)) << 52))
}
