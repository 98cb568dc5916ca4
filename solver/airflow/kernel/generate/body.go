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
		schedule := expression.NewSchedule(v.Program(), t.registers)
		actions, slots := schedule.Stages[0], schedule.Slots
		if slots > scratchSlots-ditherSlots {
			log.Fatalf("%s on %s needs %d scratch slots", v.Identifier(), t.name, slots)
		}
		fmt.Fprintf(&b, "\n#define %s(LOAD, STORE, LOAD_REST, STORE_REST)", bodyName(v))
		b.WriteString(t.assembler(v.Set.Q).Lines(actions))
		b.WriteString("\n")
	}
	return b.Bytes()
}

// bodyName is the name of a variant's macro.
func bodyName(v collision.Variant) string {
	v.Scaled = false
	return v.Identifier()
}

// assembler writes bodies for q populations.
func (t target) assembler(q int) *expression.Assembler {
	population := func(what string, i int, register string) string {
		if i == 0 {
			return fmt.Sprintf("%s_REST(%s)", what, register)
		}
		return fmt.Sprintf("%s(%d, %d, %d, %s)", what, q, i, lattice.Opposite(i), register)
	}
	a := &expression.Assembler{
		Letter: t.letter,
		Load:   func(i int, register string) string { return population("LOAD", i, register) },
		// What leaves along a direction goes to where the opposite one arrives.
		Store: func(i int, register string) string { return population("STORE", lattice.Opposite(i), register) },
	}
	if t.storage.name == half {
		t.dither(a)
	}
	return a
}
