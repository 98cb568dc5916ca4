package expression

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every operation does what its name says, with its operands in order.
func TestOperations(t *testing.T) {
	for name, c := range map[string]struct {
		make func(p *Program, a, b Value) Value
		want float64
	}{
		"sum":         {(*Program).Add, 7},
		"difference":  {(*Program).Subtract, 3},
		"product":     {(*Program).Multiply, 10},
		"quotient":    {(*Program).Divide, 2.5},
		"maximum":     {(*Program).Maximum, 5},
		"minimum":     {(*Program).Minimum, 2},
		"less":        {func(p *Program, a, b Value) Value { return p.Select(b, a, a, b) }, 5},
		"not less":    {func(p *Program, a, b Value) Value { return p.Select(a, b, a, b) }, 2},
		"negative":    {func(p *Program, a, _ Value) Value { return p.Negative(a) }, -5},
		"absolute":    {func(p *Program, a, b Value) Value { return p.Absolute(p.Subtract(b, a)) }, 3},
		"other order": {func(p *Program, a, b Value) Value { return p.Maximum(b, a) }, 5},
		"root":        {func(p *Program, a, _ Value) Value { return p.SquareRoot(a) }, math.Sqrt(5)},
	} {
		p := New()
		p.Outputs = []Value{c.make(p, p.Input(1), p.Input(0))}
		if got := p.Evaluate([]float64{2, 5}, nil)[0]; got != c.want {
			t.Errorf("%s of inputs: %g, want %g", name, got, c.want)
		}
		p = New()
		p.Outputs = []Value{c.make(p, p.Parameter("five"), p.Constant(2))}
		if got := EvaluateTable[float64](p, map[string]float64{"five": 5}); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s in the table: %g, want %g", name, got, c.want)
		}
	}
}

// Sums have all their terms, and coefficients tell which are subtracted.
func TestSums(t *testing.T) {
	for n := 1; n < 12; n++ {
		p := New()
		var terms []Value
		inputs, coefficients := make([]float64, n), make([]int, n)
		var plain, signed float64
		for i := range n {
			terms = append(terms, p.Input(i))
			inputs[i] = math.Ldexp(1, i)
			coefficients[i] = 1 - i%3
			plain += inputs[i]
			signed += float64(coefficients[i]) * inputs[i]
		}
		p.Outputs = []Value{p.Sum(terms...), p.SignedSum(coefficients, terms)}
		if got := p.Evaluate(inputs, nil); got[0] != plain || got[1] != signed {
			t.Errorf("%d terms: %g, want %g and %g", n, got, plain, signed)
		}
	}
}

// The same value is computed once, and what no output needs is not written.
func TestSource(t *testing.T) {
	p := New()
	a, b := p.Input(0), p.Input(1)
	half := p.Multiply(p.Constant(0.5), p.Parameter("rate"))
	difference := p.Subtract(a, b)
	if again := p.Subtract(a, b); again != difference {
		t.Errorf("the same difference is the values %d and %d", difference, again)
	}
	p.Divide(b, a) // not needed
	p.Outputs = []Value{p.Divide(p.Multiply(half, difference), p.SquareRoot(p.Maximum(a, b))), half}
	input := func(i int) string { return fmt.Sprintf("f[%d]", i) }
	table := func(i int) string { return fmt.Sprintf("t[%d]", i) }
	got, outputs := p.Go(input, table)
	want := "v0 := f[0]\nv1 := f[1]\nv5 := v0 - v1\nv7 := T(t[0] * v5)\nv8 := maximum(v0, v1)\nv9 := squareRoot(v8)\nv10 := v7 / v9\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Go (−want, +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"v10", "t[0]"}, outputs); diff != "" {
		t.Errorf("outputs (−want, +got):\n%s", diff)
	}
	if c, _ := p.C(input, table); !strings.Contains(c, "const real v7 = t[0] * v5;\n") {
		t.Errorf("C is\n%s", c)
	}
	if got := EvaluateTable[float32](p, map[string]float64{"rate": 0.3}); len(got) != 1 || got[0] != 0.5*float32(0.3) {
		t.Errorf("the table is %v", got)
	}
}
