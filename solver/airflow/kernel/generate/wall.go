package main

import (
	"log"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// Roundings of conversions to 16 bits: the usual one, and that of dithered numbers.
const toNearestEven, towardsZero = operand.U8(0), operand.U8(3)

// writeWalls returns the assembly of an instruction set's correctors and
// reflectors and of sums of populations, with AVX2 that of conversions too, and their
// Go declarations.
func writeWalls(m machine) (assembly, stubs []byte) {
	ctx := build.NewContext()
	for _, t := range targets {
		if t.name == m.name {
			writeCorrect(ctx, m, t.storage)
			writeReflect(ctx, m, t.storage)
			if t.storage.name != half {
				for _, set := range sets {
					writeMoments(ctx, m, t.storage, set)
				}
			}
		}
	}
	if m.name == avx2.name {
		writeConversions(ctx)
	}
	file, err := ctx.Result()
	if err == nil {
		err = pass.Compile.Execute(file)
	}
	if err != nil {
		log.Fatalf("assembling for %s: %v", m.name, err)
	}
	config := printer.Config{Argv: []string{"carina/solver/airflow/kernel/generate"}, Pkg: "kernel"}
	print := func(p printer.Printer) []byte {
		source, err := p.Print(file)
		if err != nil {
			log.Fatalf("writing assembly for %s: %v", m.name, err)
		}
		return source
	}
	return print(printer.NewGoAsm(config)), print(printer.NewStubs(config))
}
