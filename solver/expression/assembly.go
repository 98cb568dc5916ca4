package expression

import (
	"fmt"
	"strings"
)

// Assembler writes schedules as lines of assembly, each a macro with the name of what it
// does: ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM and MINIMUM with their operands in the
// order of Go's assembler, followed by the target; the same names with _CONSTANT and the
// number of an entry of the table, the first operand and the target; ROOT, POWER and
// SELECT; and COPY(entry, to), FILL(slot, to), SPILL(from, slot) and SPILLED(slot), which are
// RECALL, KEEP and KEPT of what stages share.
type Assembler struct {
	// Letter begins the registers' names.
	Letter string
	// Load and Store write the macro that brings an input to a register, or lets a
	// register leave as an output.
	Load, Store func(number int, register string) string
}

var macros = [...]string{Add: "ADD", Subtract: "SUBTRACT", Multiply: "MULTIPLY", Divide: "DIVIDE", SquareRoot: "ROOT",
	Maximum: "MAXIMUM", Minimum: "MINIMUM", Select: "SELECT", PowerOfTwo: "POWER"}

// NewLine goes on with a macro's body on another line.
const NewLine = " \\\n\t"

// Lines are those of a macro's body.
func (a *Assembler) Lines(actions []Action) string {
	var b strings.Builder
	line := func(format string, list ...any) { fmt.Fprintf(&b, NewLine+format, list...) }
	for i := range actions {
		act := &actions[i]
		switch act.Does {
		case Load:
			line("%s", a.Load(act.Number, a.register(act.To)))
		case Store:
			line("%s", a.Store(act.Number, a.register(act.From[0])))
		case Fill:
			line("%s(%d, %s)", named(act, "FILL", "RECALL"), act.Number, a.register(act.To))
		case Copy:
			line("COPY(%d, %s)", act.Number, a.register(act.To))
		case Spill:
			line("%s(%s, %d)", named(act, "SPILL", "KEEP"), a.register(act.From[0]), act.Number)
		default:
			a.compute(act, line)
		}
	}
	return b.String()
}

// named is the name of what is done with a slot of a stage, or of all.
func named(act *Action, own, shared string) string {
	if act.Kept {
		return shared
	}
	return own
}

func (a *Assembler) register(i int) string { return fmt.Sprint(a.Letter, i) }

// compute writes one operation.
func (a *Assembler) compute(act *Action, line func(format string, list ...any)) {
	name, to, first := macros[act.Node.Operation], a.register(act.To), a.register(act.From[0])
	switch operandCounts[act.Node.Operation] {
	case 1:
		line("%s %s, %s", name, first, to)
		return
	case 4:
		line("%s(%s, %s, %s, %s, %s)", name, first, a.register(act.From[1]), a.register(act.From[2]), a.register(act.From[3]), to)
		return
	}
	if act.FirstTable {
		// Only what does not commute has its constant first.
		line("COPY(%d, %s)", act.From[0], to)
		first = to
	}
	switch {
	case act.Spilled:
		line("%s %s(%d), %s, %s", name, named(act, "SPILLED", "KEPT"), act.From[1], first, to)
	case act.SecondTable:
		line("%s_CONSTANT(%d, %s, %s)", name, act.From[1], first, to)
	default:
		line("%s %s, %s, %s", name, a.register(act.From[1]), first, to)
	}
}
