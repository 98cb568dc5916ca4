package expression

import (
	"fmt"
	"strings"
)

// syntax is how a language writes statements: formats of the beginning of a
// definition, a product, a square root and a maximum.
type syntax struct{ define, multiply, squareRoot, maximum, end string }

// Go writes the program's varying part as Go statements in the generic type
// T. input names the source of input i, and table that of entry i of the
// table. The results are the expressions of the outputs.
func (p *Program) Go(input, table func(i int) string) (statements string, outputs []string) {
	// The conversion forbids fusing with a following addition.
	return p.write(syntax{"v%d := ", "T(%s * %s)", "squareRoot(%s)", "maximum(%s, %s)", "\n"}, input, table)
}

// C is Go in the language C, in the type real; products may be fused with
// additions.
func (p *Program) C(input, table func(i int) string) (statements string, outputs []string) {
	return p.write(syntax{"const real v%d = ", "%s * %s", "square_root(%s)", "maximum(%s, %s)", ";\n"}, input, table)
}

func (p *Program) write(s syntax, input, table func(i int) string) (statements string, outputs []string) {
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
		fmt.Fprintf(&b, s.define, i)
		switch n.Operation {
		case Input:
			b.WriteString(input(n.A))
		case Add:
			fmt.Fprintf(&b, "%s + %s", name(n.A), name(n.B))
		case Subtract:
			fmt.Fprintf(&b, "%s - %s", name(n.A), name(n.B))
		case Multiply:
			fmt.Fprintf(&b, s.multiply, name(n.A), name(n.B))
		case Divide:
			fmt.Fprintf(&b, "%s / %s", name(n.A), name(n.B))
		case Maximum:
			fmt.Fprintf(&b, s.maximum, name(n.A), name(n.B))
		case SquareRoot:
			fmt.Fprintf(&b, s.squareRoot, name(n.A))
		}
		b.WriteString(s.end)
	}
	for _, o := range p.Outputs {
		outputs = append(outputs, name(int(o)))
	}
	return b.String(), outputs
}
