package expression

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// interpreter computes Go statements with numbers of so many bits of fraction, each
// operation rounded once. It is vague where a number is too small for these bits.
type interpreter struct {
	bits      uint
	least     float64
	variables map[string]*big.Float
	lists     map[string][]float64
	vague     bool
}

func (i *interpreter) number() *big.Float { return new(big.Float).SetPrec(i.bits) }

func (i *interpreter) statements(text string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+text+"}\n", 0)
	if err != nil {
		panic(err)
	}
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		a := s.(*ast.AssignStmt)
		i.variables[a.Lhs[0].(*ast.Ident).Name] = i.value(a.Rhs[0])
	}
}

func (i *interpreter) expression(text string) float64 {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(err)
	}
	v, _ := i.value(e).Float64()
	return v
}

func (i *interpreter) value(e ast.Expr) (v *big.Float) {
	switch e := e.(type) {
	case *ast.Ident:
		return i.variables[e.Name]
	case *ast.IndexExpr:
		k, _ := strconv.Atoi(e.Index.(*ast.BasicLit).Value)
		return i.number().SetFloat64(i.lists[e.X.(*ast.Ident).Name][k])
	case *ast.BinaryExpr:
		v = i.number()
		a, b := i.value(e.X), i.value(e.Y)
		map[token.Token]func(a, b *big.Float) *big.Float{token.ADD: v.Add, token.SUB: v.Sub, token.MUL: v.Mul, token.QUO: v.Quo}[e.Op](a, b)
	case *ast.CallExpr:
		var list []*big.Float
		for _, a := range e.Args {
			list = append(list, i.value(a))
		}
		v = i.call(e.Fun.(*ast.Ident).Name, list)
	}
	if size := math.Abs(approximate(v)); v.Sign() != 0 && size < i.least || math.IsInf(size, 0) {
		i.vague = true
	}
	return v
}

func (i *interpreter) call(name string, list []*big.Float) *big.Float {
	which := func(first bool, a, b *big.Float) *big.Float {
		if first {
			return a
		}
		return b
	}
	switch name {
	case "T":
		return list[0]
	case "maximum":
		return which(list[0].Cmp(list[1]) > 0, list[0], list[1])
	case "minimum":
		return which(list[0].Cmp(list[1]) < 0, list[0], list[1])
	case "choose":
		return which(list[0].Cmp(list[1]) < 0, list[2], list[3])
	case "squareRoot":
		return i.number().Sqrt(list[0])
	}
	// powerOfTwo: whole numbers less the bias lie above 1.5·2^(bits−1).
	n := approximate(list[0]) - math.Ldexp(1.5, int(i.bits)-1) - map[uint]float64{53: 1023, 24: 127}[i.bits]
	return i.number().SetMantExp(big.NewFloat(1), int(n))
}

func approximate(v *big.Float) float64 {
	f, _ := v.Float64()
	return f
}

// Go's statements of random programs give, computed by an interpreter whose arithmetic
// is that of package big, the bits that the program itself gives.
func TestGoOfRandomPrograms(t *testing.T) {
	t.Run("double", func(t *testing.T) { testGo[float64](t, interpreter{bits: 53, least: 0x1p-1022}) })
	t.Run("single", func(t *testing.T) { testGo[float32](t, interpreter{bits: 24, least: 0x1p-126}) })
}

func testGo[T float32 | float64](t *testing.T, i interpreter) {
	check := func(t *rapid.T) (told bool) {
		p := randomProgram(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).IntN)
		inputs := make([]T, randomInputs)
		for k := range inputs {
			inputs[k] = T(rapid.Float64Range(-10, 10).Draw(t, "input"))
		}
		i.variables, i.vague = map[string]*big.Float{}, false
		i.lists = map[string][]float64{"f": wide(inputs), "t": wide(EvaluateTable[T](p, randomParameters))}
		statements, outputs := p.Go(variable("f"), variable("t"))
		i.statements(statements)
		want := EvaluateIn(p, inputs, randomParameters)
		for k, text := range outputs {
			if got := i.expression(text); !i.vague && got != float64(want[k]) {
				t.Fatalf("output %d is %g, want %g:\n%s%s", k, got, want[k], statements, text)
			}
		}
		return !i.vague
	}
	rapid.Check(t, func(t *rapid.T) { check(t) })
	// The same in every run, so that chance does not decide.
	told := 0
	for seed := range 40 {
		if rapid.Custom(check).Example(seed) {
			told++
		}
	}
	if told < 8 {
		t.Errorf("only %d of 40 programs have no tiny numbers", told)
	}
}

func wide[T float32 | float64](list []T) (wide []float64) {
	for _, v := range list {
		wide = append(wide, float64(v))
	}
	return wide
}

// Powers of e are those of package math, to some units in the last place; beyond what
// is normal they are bounded, and what is no number stays so.
func TestExponential(t *testing.T) {
	p := New()
	p.Outputs = []Value{p.Exponential(p.Input(0))}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-700, 700).Draw(t, "x")
		if got, want := p.Evaluate([]float64{x}, nil)[0], math.Exp(x); math.Abs(got-want) > 4e-16*want {
			t.Errorf("e to the %g is %g, want %g", x, got, want)
		}
		y := float32(x / 9)
		if got, want := EvaluateIn(p, []float32{y}, nil)[0], math.Exp(float64(y)); math.Abs(float64(got)-want) > 2e-7*want {
			t.Errorf("single precision: e to the %g is %g, want %g", y, got, want)
		}
	})
	for x, bounds := range map[float64][2]float64{math.Inf(-1): {0, 1e-300}, -1e6: {0, 1e-300}, 1e6: {1e300, math.MaxFloat64}, math.Inf(1): {1e300, math.MaxFloat64}} {
		if got := p.Evaluate([]float64{x}, nil)[0]; !(got > bounds[0] && got <= bounds[1]) {
			t.Errorf("e to the %g is %g", x, got)
		}
	}
	if got := p.Evaluate([]float64{math.NaN()}, nil)[0]; !math.IsNaN(got) {
		t.Errorf("e to what is no number is %g", got)
	}
}

// What changes nothing is left out, and what is known by another order of operands is
// found, unless a program is to be literal.
func TestFolding(t *testing.T) {
	for _, literal := range []bool{false, true} {
		p := New()
		p.Literal = literal
		a, b, zero, one := p.Input(0), p.Input(1), p.Constant(0), p.Constant(1)
		for name, pair := range map[string][2]Value{
			"a + 0": {p.Add(a, zero), a}, "0 + a": {p.Add(zero, a), a}, "a − 0": {p.Subtract(a, zero), a}, "a·1": {p.Multiply(a, one), a}, "1·a": {p.Multiply(one, a), a},
			"a/1": {p.Divide(a, one), a}, "b + a": {p.Add(a, b), p.Add(b, a)}, "b·a": {p.Multiply(a, b), p.Multiply(b, a)},
		} {
			if (pair[0] == pair[1]) == literal {
				t.Errorf("literal %t: %s is value %d, beside %d", literal, name, pair[0], pair[1])
			}
		}
		if p.Subtract(a, b) == p.Subtract(b, a) {
			t.Error("a − b is b − a")
		}
	}
	p := New()
	a, b := p.Input(0), p.Input(1)
	if c, d := p.Select(p.Constant(0), p.Constant(1), a, b), p.Select(p.Constant(1), p.Constant(0), a, b); c != a || d != b {
		t.Errorf("choices between constants are %d and %d", c, d)
	}
	if same := p.Select(a, b, a, a); same != a {
		t.Errorf("a choice between a and a is %d", same)
	}
}

// A tabulator computes the table of new parameters in the same memory.
func TestTabulator(t *testing.T) {
	p := New()
	p.Outputs = []Value{p.Multiply(p.Input(0), p.Add(p.Parameter("p"), p.Constant(1)))}
	tabulator := NewTabulator[float64](p)
	tabulator.Set("unknown", 7)
	for _, v := range []float64{1, 5} {
		tabulator.Set("p", v)
		if got := tabulator.Table(); len(got) != 1 || got[0] != v+1 {
			t.Errorf("the table for %g is %v", v, got)
		}
	}
	if n := testing.AllocsPerRun(10, func() { tabulator.Table() }); n != 0 {
		t.Errorf("a table allocates %g times", n)
	}
}
