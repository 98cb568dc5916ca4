package expression

import "fmt"

// inputs, parameters and constants of random programs.
const randomInputs = 5

var randomParameters = map[string]float64{"p0": 0.3, "p1": -1.7, "p2": 2}

// randomProgram has operations of all kinds whose results are neither huge nor, save
// by luck, tiny. Draw gives a number from 0 to below n.
func randomProgram(draw func(n int) int) *Program {
	p := New()
	var values []Value
	for i := range randomInputs {
		values = append(values, p.Input(i))
	}
	for i := range randomParameters {
		values = append(values, p.Parameter(i))
	}
	for _, v := range []float64{0, 1, 0.1, -3} {
		values = append(values, p.Constant(v))
	}
	one := func() Value { return values[draw(len(values))] }
	bounded := func(v Value) Value { return p.Maximum(p.Minimum(v, p.Constant(100)), p.Constant(-100)) }
	for range 5 + draw(80) {
		var v Value
		switch draw(11) {
		case 0, 1:
			v = p.Add(one(), one())
		case 2, 3:
			v = p.Subtract(one(), one())
		case 4, 5:
			v = bounded(p.Multiply(one(), one()))
		case 6:
			v = bounded(p.Divide(one(), p.Add(p.Constant(0.5), p.Absolute(one()))))
		case 7:
			v = p.SquareRoot(p.Add(p.Constant(0.01), p.Absolute(one())))
		case 8:
			v = p.Select(one(), one(), one(), one())
		case 9:
			v = p.Maximum(one(), one())
		case 10:
			v = p.Exponential(p.Minimum(one(), p.Constant(3)))
		}
		values = append(values, v)
	}
	for range 1 + draw(20) {
		p.Outputs = append(p.Outputs, one())
	}
	return p
}

// variable names element i of a list in Go and in C.
func variable(list string) func(i int) string {
	return func(i int) string { return fmt.Sprintf("%s[%d]", list, i) }
}
