package expression

import (
	"fmt"
	"strings"
)

// language is how statements are written: formats of the beginning of a
// definition, its end, and of operations with their operands in order.
type language struct {
	define, end string
	operations  [PowerOfTwo + 1]string
}

var (
	// The conversion forbids fusing with a following addition.
	goLanguage = language{"v%d := ", "\n", [...]string{
		Add: "%s + %s", Subtract: "%s - %s", Multiply: "T(%s * %s)", Divide: "%s / %s", SquareRoot: "squareRoot(%s)",
		Maximum: "maximum(%s, %s)", Minimum: "minimum(%s, %s)", Select: "choose(%s, %s, %s, %s)", PowerOfTwo: "powerOfTwo(%s)",
	}}
	cLanguage = language{"const real v%d = ", ";\n", [...]string{
		Add: "%s + %s", Subtract: "%s - %s", Multiply: "%s * %s", Divide: "%s / %s", SquareRoot: "square_root(%s)",
		Maximum: "maximum(%s, %s)", Minimum: "minimum(%s, %s)", Select: "choose(%s, %s, %s, %s)", PowerOfTwo: "power_of_two(%s)",
	}}
)

// Go writes the program's varying part as Go statements in the generic type
// T. input names the source of input i, and table that of entry i of the
// table. The results are the expressions of the outputs. Helpers has the
// functions that statements call.
func (p *Program) Go(input, table func(i int) string) (statements string, outputs []string) {
	return p.write(&goLanguage, input, table)
}

// C is Go in the language C, in the type real, with the functions of package
// device's device.h; products may be fused with additions.
func (p *Program) C(input, table func(i int) string) (statements string, outputs []string) {
	return p.write(&cLanguage, input, table)
}

// ExactC is C with products that are not fused, so that the bits are those of
// other processors.
func (p *Program) ExactC(input, table func(i int) string) (statements string, outputs []string) {
	exact := cLanguage
	exact.operations[Multiply] = "product(%s, %s)"
	return p.write(&exact, input, table)
}

func (p *Program) write(l *language, input, table func(i int) string) (statements string, outputs []string) {
	uniform, reached := p.uniform(), p.reached()
	entry := map[int]int{}
	for i, v := range p.Table() {
		entry[int(v)] = i
	}
	name := func(i int) string {
		if uniform[i] {
			return table(entry[i])
		}
		return fmt.Sprintf("v%d", i)
	}
	var b strings.Builder
	for i, n := range p.Nodes {
		if uniform[i] || !reached[i] {
			continue
		}
		fmt.Fprintf(&b, l.define, i)
		if n.Operation == Input {
			b.WriteString(input(n.A))
		} else {
			var operands []any
			for _, operand := range n.Operands() {
				operands = append(operands, name(operand))
			}
			fmt.Fprintf(&b, l.operations[n.Operation], operands...)
		}
		b.WriteString(l.end)
	}
	for _, o := range p.Outputs {
		outputs = append(outputs, name(int(o)))
	}
	return b.String(), outputs
}

// helpers are the functions that Go's statements call, by operation.
var helpers = map[Operation]string{
	SquareRoot: `// squareRoot is correctly rounded in both precisions.
func squareRoot[T float32 | float64](v T) T { return T(math.Sqrt(float64(v))) }
`,
	Maximum: `// maximum is a where a > b, else b.
func maximum[T float32 | float64](a, b T) T {
	if a > b {
		return a
	}
	return b
}
`,
	Minimum: `// minimum is a where a < b, else b.
func minimum[T float32 | float64](a, b T) T {
	if a < b {
		return a
	}
	return b
}
`,
	Select: `// choose is x where a < b, else y.
func choose[T float32 | float64](a, b, x, y T) T {
	if a < b {
		return x
	}
	return y
}
`,
	PowerOfTwo: `// powerOfTwo moves the lowest bits to where the exponent is.
func powerOfTwo[T float32 | float64](v T) T {
	if unsafe.Sizeof(v) == 4 {
		return T(math.Float32frombits(math.Float32bits(float32(v)) << 23))
	}
	return T(math.Float64frombits(math.Float64bits(float64(v)) << 52))
}
`,
}

// Helpers returns the Go functions that the statements of programs call.
func Helpers(programs ...*Program) string {
	var b strings.Builder
	for o := SquareRoot; o <= PowerOfTwo; o++ {
		if text, has := helpers[o]; has && uses(programs, o) {
			b.WriteString("\n" + text)
		}
	}
	return b.String()
}

func uses(programs []*Program, o Operation) bool {
	for _, p := range programs {
		varying, reached := p.Varying(), p.reached()
		for i := range p.Nodes {
			if p.Nodes[i].Operation == o && varying[i] && reached[i] {
				return true
			}
		}
	}
	return false
}

// CHelpers are the functions that C's statements call, beside those of package
// device's device.h.
const CHelpers = `
template <typename T> DEVICE T minimum(T a, T b) { return a < b ? a : b; }
template <typename T> DEVICE T choose(T a, T b, T x, T y) { return a < b ? x : y; }
#ifdef __CUDACC__
DEVICE float product(float a, float b) { return __fmul_rn(a, b); }
DEVICE double product(double a, double b) { return __dmul_rn(a, b); }
#else
template <typename T> DEVICE T product(T a, T b) { return a * b; }
#endif
DEVICE float power_of_two(float v)
{
	int bits;
	memcpy(&bits, &v, 4);
	bits = int(unsigned(bits) << 23);
	memcpy(&v, &bits, 4);
	return v;
}
DEVICE double power_of_two(double v)
{
	long long bits;
	memcpy(&bits, &v, 8);
	bits = (long long)((unsigned long long)bits << 52);
	memcpy(&v, &bits, 8);
	return v;
}
`
