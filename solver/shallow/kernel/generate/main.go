// Command generate writes the kernels of shallow water.
package main

import (
	"log"

	"carina/solver/shallow/scheme"
	"carina/solver/stencil/generate"
)

func main() {
	if err := generate.Write(".", "kernel", scheme.Rates(false), scheme.Rates(true), scheme.Euler(), scheme.Heun(false), scheme.Heun(true), scheme.Record()); err != nil {
		log.Fatal(err)
	}
}
