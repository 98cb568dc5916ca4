package expression

import (
	"fmt"
	"strings"
)

// Go writes the program's varying part as Go statements in the generic type
// T. input names the source of input i, and table that of entry i of the
// table. The results are the expressions of the outputs.
func (p *Program) Go(input, table func(i int) string) (statements string, outputs []string) {
	uniform, reached := p.uniform(), p.Reached()
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
		fmt.Fprintf(&b, "v%d := ", i)
		switch n.Operation {
		case Input:
			b.WriteString(input(n.A))
		case Add:
			fmt.Fprintf(&b, "%s + %s", name(n.A), name(n.B))
		case Subtract:
			fmt.Fprintf(&b, "%s - %s", name(n.A), name(n.B))
		case Multiply:
			// The conversion forbids fusing with a following addition.
			fmt.Fprintf(&b, "T(%s * %s)", name(n.A), name(n.B))
		case Divide:
			fmt.Fprintf(&b, "%s / %s", name(n.A), name(n.B))
		case SquareRoot:
			fmt.Fprintf(&b, "squareRoot(%s)", name(n.A))
		}
		b.WriteByte('\n')
	}
	for _, o := range p.Outputs {
		outputs = append(outputs, name(int(o)))
	}
	return b.String(), outputs
}
