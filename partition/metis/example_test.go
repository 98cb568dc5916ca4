package metis_test

import (
	"fmt"
	"strings"

	"carina/partition/metis"
)

// A graph in the METIS format: three vertices in a row, edge weights 7 and 9.
func ExampleRead() {
	g, err := metis.Read(strings.NewReader("% a path\n3 2 1\n2 7\n1 7 3 9\n2 9\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Vertices(), "vertices,", g.Edges(), "edges")
	// Output: 3 vertices, 2 edges
}
