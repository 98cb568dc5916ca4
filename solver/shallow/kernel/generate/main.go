// Command generate writes the kernels of shallow water.
package main

import (
	"log"

	"carina/solver/shallow/scheme"
	"carina/solver/stencil/generate"
)

func main() {
	if err := generate.Write(".", "kernel", scheme.Cells(false), scheme.Cells(true), scheme.Sides(), scheme.Face(false), scheme.Face(true), scheme.Inflow(), scheme.Rates(), scheme.Heun(false), scheme.Heun(true), scheme.Euler(false), scheme.Euler(true), scheme.Record()); err != nil {
		log.Fatal(err)
	}
}
