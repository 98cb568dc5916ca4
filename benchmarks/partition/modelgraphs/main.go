package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"carina/partition/graph"
	"carina/partition/metis"
)

// models are the graphs by name; each has its own stream of random numbers, so
// that another one more leaves them as they are.
var models = []struct {
	name  string
	graph func(r *rand.Rand) *graph.Graph
}{
	{"preferential", func(r *rand.Rand) *graph.Graph { return preferential(20000, 5, r) }},
	{"rmat", func(r *rand.Rand) *graph.Graph { return rmat(14, 120000, r) }},
	{"communities", func(r *rand.Rand) *graph.Graph { return communities(30000, 100, 140000, 0.7, r) }},
	{"hyperbolic", func(r *rand.Rand) *graph.Graph { return hyperbolic(20000, 10, 2.7, r) }},
	{"mesh", func(*rand.Rand) *graph.Graph { return mesh(100) }},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "modelgraphs:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("name one folder for the graphs")
	}
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	for i, m := range models {
		g := m.graph(stream(i))
		if err := write(filepath.Join(args[0], m.name+".graph"), g); err != nil {
			return err
		}
		fmt.Printf("%s: %d vertices, %d edges\n", m.name, g.Vertices(), g.Edges())
	}
	return nil
}

// stream is the random numbers of a model.
func stream(model int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(model))) }

func write(path string, g *graph.Graph) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return metis.Write(f, g)
}
