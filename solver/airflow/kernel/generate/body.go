package main

import (
	"bytes"
	"fmt"
	"log"

	"carina/solver/airflow/collision"
	"carina/solver/expression"
	"carina/solver/lattice"
)

const bodiesComment = `// Bodies of arithmetic, each a macro for the kernels of every kind of window.
// Its parameters are macros that load and store a population: given the number
// of populations, that of the population, of the opposite one, and a register.
// The other lines are defined in window_amd64.h and the instruction set's file.
`

// writeBodies returns the macros of all variants' arithmetic for a target.
func writeBodies(t target) []byte {
	var b bytes.Buffer
	b.WriteString(header + bodiesComment)
	for _, v := range collision.Variants() {
		v.Scaled = t.scaled
		actions, slots := schedule(v.Program(), t.registers)
		if slots > scratchSlots {
			log.Fatalf("%s on %s needs %d scratch slots", v.Identifier(), t.name, slots)
		}
		fmt.Fprintf(&b, "\n#define %s(LOAD, STORE, LOAD_REST, STORE_REST)", bodyName(v))
		w := &bodyWriter{Buffer: &b, letter: t.letter, q: v.Set.Q}
		for _, a := range actions {
			w.action(a)
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// bodyName is the name of a variant's macro.
func bodyName(v collision.Variant) string {
	v.Scaled = false
	return v.Identifier()
}

// bodyWriter writes the lines of a macro.
type bodyWriter struct {
	*bytes.Buffer
	letter string // of the registers' names
	q      int
}

func (w *bodyWriter) line(format string, a ...any) { fmt.Fprintf(w, " \\\n\t"+format, a...) }

// register is the name of a register.
func (w *bodyWriter) register(i int) string { return fmt.Sprint(w.letter, i) }

// action writes one step of a schedule.
func (w *bodyWriter) action(a action) {
	switch {
	case a.load:
		w.line("FILL(%d, %s)", a.b, w.register(a.to))
	case a.spill:
		w.line("SPILL(%s, %d)", w.register(a.a), a.b)
	case a.store:
		// What leaves along a direction goes to where the opposite one arrives.
		w.population("STORE", lattice.Opposite(a.output), a.a)
	case a.node.Operation == expression.Input:
		w.population("LOAD", a.node.A, a.to)
	default:
		w.arithmetic(a)
	}
}

// population writes the load or store of a population.
func (w *bodyWriter) population(what string, i, r int) {
	if i == 0 {
		w.line("%s_REST(%s)", what, w.register(r))
		return
	}
	w.line("%s(%d, %d, %d, %s)", what, w.q, i, lattice.Opposite(i), w.register(r))
}

var operationNames = map[expression.Operation]string{
	expression.Add: "ADD", expression.Subtract: "SUBTRACT", expression.Multiply: "MULTIPLY", expression.Divide: "DIVIDE",
	expression.Maximum: "MAXIMUM", expression.SquareRoot: "ROOT",
}

// arithmetic writes one operation.
func (w *bodyWriter) arithmetic(a action) {
	name, to := operationNames[a.node.Operation], w.register(a.to)
	if a.node.Operation == expression.SquareRoot {
		w.line("%s %s, %s", name, w.register(a.a), to)
		return
	}
	first := w.register(a.a)
	if a.aTable {
		// Only what does not commute has its constant first.
		w.line("COPY(%d, %s)", a.a, to)
		first = to
	}
	switch {
	case a.bSlot:
		w.line("%s SPILLED(%d), %s, %s", name, a.b, first, to)
	case a.bTable:
		w.line("%s_CONSTANT(%d, %s, %s)", name, a.b, first, to)
	default:
		w.line("%s %s, %s, %s", name, w.register(a.b), first, to)
	}
}
