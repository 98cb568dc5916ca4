// Command generate writes the kernels of a thermal gas.
package main

import (
	"log"

	"carina/solver/stencil/generate"
	"carina/solver/thermal/arithmetic"
)

func main() {
	if err := generate.Write(".", "thermal", arithmetic.Updates()...); err != nil {
		log.Fatal(err)
	}
}
