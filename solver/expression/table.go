package expression

import "math"

// Table lists the values that depend on parameters and constants alone and
// are operands of values that do not, or outputs. Generated code reads them
// from a table that is computed once by EvaluateTable.
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
		if uniform[i] || n.Operation < Add || !reached[i] {
			continue
		}
		use(n.A)
		if n.Operation != SquareRoot {
			use(n.B)
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
		switch n.Operation {
		case Input:
		case Parameter, Constant:
			uniform[i] = true
		case SquareRoot:
			uniform[i] = uniform[n.A]
		default:
			uniform[i] = uniform[n.A] && uniform[n.B]
		}
	}
	return uniform
}

// EvaluateTable computes the values of Table in the arithmetic of T, every
// operation rounded to T.
func EvaluateTable[T float32 | float64](p *Program, parameters map[string]float64) []T {
	uniform := p.uniform()
	values := make([]T, len(p.Nodes))
	for i, n := range p.Nodes {
		if !uniform[i] {
			continue
		}
		switch n.Operation {
		case Parameter:
			values[i] = T(parameters[p.Parameters[n.A]])
		case Constant:
			values[i] = T(n.Value)
		case Add:
			values[i] = values[n.A] + values[n.B]
		case Subtract:
			values[i] = values[n.A] - values[n.B]
		case Multiply:
			values[i] = values[n.A] * values[n.B]
		case Divide:
			values[i] = values[n.A] / values[n.B]
		case Maximum:
			values[i] = values[n.B]
			if values[n.A] > values[n.B] {
				values[i] = values[n.A]
			}
		case SquareRoot:
			values[i] = T(math.Sqrt(float64(values[n.A])))
		}
	}
	table := p.Table()
	out := make([]T, len(table))
	for i, v := range table {
		out[i] = values[v]
	}
	return out
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
		if n := p.Nodes[i]; reached[i] && n.Operation >= Add {
			reached[n.A] = true
			if n.Operation != SquareRoot {
				reached[n.B] = true
			}
		}
	}
	return reached
}
