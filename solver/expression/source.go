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
	// limited and inverse, if any, are of three values of which the one nearest to zero is
	// taken, or none, and of a reciprocal.
	limited, inverse string
}

var (
	// The conversion forbids fusing with a following addition.
	goLanguage = language{define: "v%d := ", end: "\n", operations: [...]string{
		Add: "%s + %s", Subtract: "%s - %s", Multiply: "T(%s * %s)", Divide: "%s / %s", SquareRoot: "squareRoot(%s)",
		Maximum: "maximum(%s, %s)", Minimum: "minimum(%s, %s)", Select: "choose(%s, %s, %s, %s)", PowerOfTwo: "powerOfTwo(%s)",
	}}
	cLanguage = language{define: "const real v%d = ", end: ";\n", operations: [...]string{
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

// NativeC is ExactC with the instructions of GPUs for what is greater and less, for roots and
// for reciprocals. The bits are the same but where a number is none or a zero's sign is
// all that differs, if roots and reciprocals are of numbers from 1e-30 to 1e30.
func (p *Program) NativeC(input, table func(i int) string) (statements string, outputs []string) {
	native := cLanguage
	for o, format := range map[Operation]string{Multiply: "product(%s, %s)", Maximum: "greater(%s, %s)", Minimum: "lesser(%s, %s)", SquareRoot: "root(%s)"} {
		native.operations[o] = format
	}
	native.limited, native.inverse = "limited(%s, %s, %s)", "inverse(%s)"
	return p.write(&native, input, table)
}

// limited tells whether a value is that of three which is nearest to zero, or zero where
// they have not the same sign, and which these are.
func (p *Program) limited(n *Node) (three [3]int, is bool) {
	if n.Operation != Add {
		return three, false
	}
	outer, inner := [2]Operation{Maximum, Minimum}, [2]Operation{Minimum, Maximum}
	for i, part := range [2]*Node{&p.Nodes[n.A], &p.Nodes[n.B]} {
		if part.Operation != outer[i] || !p.is(Value(part.B), 0) {
			return three, false
		}
		last := &p.Nodes[part.A]
		if last.Operation != inner[i] || p.Nodes[last.A].Operation != inner[i] {
			return three, false
		}
		found := [3]int{p.Nodes[last.A].A, p.Nodes[last.A].B, last.B}
		if i > 0 && found != three {
			return three, false
		}
		three = found
	}
	return three, true
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
		three, limited := p.limited(&n)
		switch {
		case n.Operation == Input:
			b.WriteString(input(n.A))
		case l.limited != "" && limited:
			fmt.Fprintf(&b, l.limited, name(three[0]), name(three[1]), name(three[2]))
		case l.inverse != "" && n.Operation == Divide && p.is(Value(n.A), 1):
			fmt.Fprintf(&b, l.inverse, name(n.B))
		default:
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
DEVICE float greater(float a, float b) { return fmaxf(a, b); }
DEVICE double greater(double a, double b) { return fmax(a, b); }
DEVICE float lesser(float a, float b) { return fminf(a, b); }
DEVICE double lesser(double a, double b) { return fmin(a, b); }
// root and inverse are what the compiler makes of sqrtf and of division, without its paths
// for what is tiny or huge.
DEVICE float root(float x)
{
	float r;
	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	const float near = __fmul_rn(x, r);
	return __fmaf_rn(__fmaf_rn(-near, near, x), __fmul_rn(r, 0.5f), near);
}
DEVICE double root(double x) { return sqrt(x); }
DEVICE float inverse(float x)
{
	const float r = reciprocal(x);
	return __fmaf_rn(r, __fmaf_rn(-x, r, 1), r);
}
DEVICE double inverse(double x) { return 1 / x; }
#else
template <typename T> DEVICE T product(T a, T b) { return a * b; }
template <typename T> DEVICE T greater(T a, T b) { return a > b ? a : b; }
template <typename T> DEVICE T lesser(T a, T b) { return a < b ? a : b; }
DEVICE float root(float x) { return square_root(x); }
DEVICE double root(double x) { return square_root(x); }
template <typename T> DEVICE T inverse(T x) { return 1 / x; }
#endif
// limited is that of three numbers which is nearest to zero, or zero where they have not the
// same sign: as whole numbers positive ones are ordered as they are, and negative ones,
// without sign, by how far they are from zero.
DEVICE float limited(float a, float b, float c)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
	const int x = __float_as_int(a), y = __float_as_int(b), z = __float_as_int(c);
	const int positive = __vimin3_s32_relu(x, y, z);
	const int negative = min(int(__vimin3_u32(x, y, z)), 0);
	return __int_as_float(positive) + __int_as_float(negative);
#else
	return greater(lesser(lesser(a, b), c), 0.f) + lesser(greater(greater(a, b), c), 0.f);
#endif
}
DEVICE double limited(double a, double b, double c)
{
	return greater(lesser(lesser(a, b), c), 0.) + lesser(greater(greater(a, b), c), 0.);
}
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
