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
	// taken, or none, and of a reciprocal; positive of zero or, if that is more, what operations
	// give, as the function of that name says.
	limited, inverse string
	positive         map[Operation]string
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
	native.positive = map[Operation]string{Maximum: "greater_or_zero(%s, %s)", Minimum: "lesser_or_zero(%s, %s)",
		Subtract: "lesser_or_zero(%[1]s - %[2]s, %[1]s)", Add: "lesser_or_zero(%[1]s + %[2]s, %[1]s)"}
	return p.write(&native, input, table)
}

// limited tells whether a value is that of three which is nearest to zero, or zero where
// they have not the same sign, and which these are: either the least of positive ones added to
// the greatest of negative ones, or the third one bounded by these of the other two.
func (p *Program) limited(n *Node) (three [3]int, is bool) {
	if n.Operation != Add && n.Operation != Maximum {
		return three, false
	}
	upper, lower := &p.Nodes[n.A], &p.Nodes[n.B]
	last := none
	if n.Operation == Maximum {
		if upper.Operation != Minimum {
			return three, false
		}
		last, upper = upper.A, &p.Nodes[upper.B]
	}
	most, least := p.bounded(upper, Maximum, Minimum, last), p.bounded(lower, Minimum, Maximum, last)
	return most, most == least && most[0] != none
}

// bounded are the values of which one is taken by an operation, bounded by zero by another: three,
// or two before the last.
func (p *Program) bounded(n *Node, by, of Operation, last int) (three [3]int) {
	three[0] = none
	if n.Operation != by || !p.is(Value(n.B), 0) {
		return three
	}
	inner := &p.Nodes[n.A]
	if inner.Operation != of {
		return three
	}
	if last != none {
		return [3]int{inner.A, inner.B, last}
	}
	if first := &p.Nodes[inner.A]; first.Operation == of {
		three = [3]int{first.A, first.B, inner.B}
	}
	return three
}

// positive tells of a value that is zero or, if that is more, of what operation the result, and its
// operands: the greater or the lesser of two, or a difference or a sum of which the second one only
// makes it less.
func (p *Program) positive(n *Node) (of Operation, operands []int) {
	if n.Operation != Maximum || !p.is(Value(n.B), 0) {
		return Input, nil
	}
	inner := &p.Nodes[n.A]
	operands = []int{inner.A, inner.B}
	if by, is := map[Operation]Operation{Subtract: Maximum, Add: Minimum}[inner.Operation]; is {
		second := &p.Nodes[inner.B]
		if second.Operation != by || !p.is(Value(second.B), 0) {
			return Input, nil
		}
		operands[1] = second.A
	}
	return inner.Operation, operands
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
	// write writes operands by a format, if there is one and all have names.
	write := func(format string, operands ...int) bool {
		var names []any
		for _, operand := range operands {
			if _, is := entry[operand]; uniform[operand] && !is {
				return false
			}
			names = append(names, name(operand))
		}
		if format != "" {
			fmt.Fprintf(&b, format, names...)
		}
		return format != ""
	}
	for i, n := range p.Nodes {
		if uniform[i] || !reached[i] {
			continue
		}
		fmt.Fprintf(&b, l.define, i)
		three, limited := p.limited(&n)
		of, operands := p.positive(&n)
		switch {
		case n.Operation == Input:
			b.WriteString(input(n.A))
		case limited && write(l.limited, three[:]...):
		case operands != nil && write(l.positive[of], operands...):
		case n.Operation == Divide && p.is(Value(n.A), 1) && write(l.inverse, n.B):
		default:
			write(l.operations[n.Operation], n.Operands()...)
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
// As whole numbers positive ones are ordered as they are, and negative ones, without sign, by
// how far they are from zero. limited is that of three numbers which is nearest to zero, or zero
// where they have not the same sign; greater_or_zero and lesser_or_zero are of two, or zero if
// that is more.
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
DEVICE float limited(float a, float b, float c)
{
	const int x = __float_as_int(a), y = __float_as_int(b), z = __float_as_int(c);
	return __int_as_float(min(__vimin3_s32_relu(x, y, z), int(__vimin3_u32(x, y, z))));
}
DEVICE float greater_or_zero(float a, float b) { return __int_as_float(__vimax_s32_relu(__float_as_int(a), __float_as_int(b))); }
DEVICE float lesser_or_zero(float a, float b) { return __int_as_float(__vimin_s32_relu(__float_as_int(a), __float_as_int(b))); }
#else
DEVICE float limited(float a, float b, float c)
{
	return greater(lesser(lesser(a, b), c), 0.f) + lesser(greater(greater(a, b), c), 0.f);
}
DEVICE float greater_or_zero(float a, float b) { return greater(greater(a, b), 0.f); }
DEVICE float lesser_or_zero(float a, float b) { return greater(lesser(a, b), 0.f); }
#endif
DEVICE double greater_or_zero(double a, double b) { return greater(greater(a, b), 0.); }
DEVICE double lesser_or_zero(double a, double b) { return greater(lesser(a, b), 0.); }
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
