// Command generate writes the kernels of shallow water.
package main

import (
	"log"

	"carina/solver/shallow/scheme"
	"carina/solver/stencil/generate"
)

func main() {
	if err := generate.Write(".", "kernel", scheme.Updates()...); err != nil {
		log.Fatal(err)
	}
}
