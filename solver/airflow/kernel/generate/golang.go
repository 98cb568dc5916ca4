package main

import (
	"bytes"
	"fmt"
	"strings"

	"carina/solver/airflow/collision"
	"carina/solver/lattice"
)

// writeGo returns the plain Go kernels.
func writeGo() []byte {
	var b bytes.Buffer
	b.WriteString(header + "package kernel\n\n")
	b.WriteString("func locals[T Real]() map[string]Local[T] {\nreturn map[string]Local[T]{\n")
	for _, v := range collision.Variants() {
		fmt.Fprintf(&b, "%q: %s[T],\n", v.Identifier(), v.Identifier())
	}
	b.WriteString("}\n}\n")
	for _, v := range collision.Variants() {
		writeLocal(&b, v)
	}
	return b.Bytes()
}

func writeLocal(b *bytes.Buffer, v collision.Variant) {
	fmt.Fprintf(b, "\nfunc %s[T Real](f []T, stride, n int, t *Table[T]) {\n", v.Identifier())
	for i := range v.Set.Q {
		fmt.Fprintf(b, "f%d := f[%d*stride:][:n]\n", i, i)
	}
	statements, outputs := v.Program().Go(
		func(i int) string { return fmt.Sprintf("f%d[j]", i) },
		func(i int) string { return fmt.Sprintf("t[%d]", i) })
	fmt.Fprintf(b, "for j := range n {\n%s", statements)
	for i, out := range outputs {
		fmt.Fprintf(b, "f%d[j] = %s\n", lattice.Opposite(i), strings.TrimSpace(out))
	}
	b.WriteString("}\n}\n")
}
