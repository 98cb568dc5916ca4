package expression

import "math"

// Exponential is eᵃ to some units in the last place, of the operations that all
// processors have: 2ⁿ times a polynomial of a − n ln 2, where n is the nearest
// whole number to a/ln 2. Beyond what normal numbers hold it is the least or the
// largest power that they do hold.
func (p *Program) Exponential(a Value) Value {
	// In double precision and in single, with so many bits of fraction: numbers from
	// 1.5·2^bits on are whole and have these, and the exponent's bias, as lowest bits.
	const doubleBits, singleBits, doubleBias, singleBias = 52, 23, 1023, 127
	// In this order what is no number stays so.
	a = p.Minimum(p.constants(709, 88), p.Maximum(p.constants(-708, -87), a))
	whole := p.constants(math.Ldexp(1.5, doubleBits)+doubleBias, math.Ldexp(1.5, singleBits)+singleBias)
	shifted := p.Add(p.Multiply(a, p.Constant(math.Log2E)), whole)
	n := p.Subtract(shifted, whole)
	// ln 2 in two parts, of which n times the first is exact (Sun's fdlibm).
	const high, low, highSingle, lowSingle = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 0x1.62e4p-1, math.Ln2 - 0x1.62e4p-1
	rest := p.Subtract(p.Subtract(a, p.Multiply(n, p.constants(high, highSingle))), p.Multiply(n, p.constants(low, lowSingle)))
	const terms = 13
	factor := 1.0
	for i := 2; i <= terms; i++ {
		factor *= float64(i)
	}
	sum := p.Constant(1 / factor)
	for i := terms; i > 0; i-- {
		factor /= float64(i)
		sum = p.Add(p.Multiply(sum, rest), p.Constant(1/factor))
	}
	return p.Multiply(sum, p.node(Node{Operation: PowerOfTwo, A: int(shifted)}))
}
