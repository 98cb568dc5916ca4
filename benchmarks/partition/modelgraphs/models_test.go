package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/partition/graph"
)

// Every model is a valid graph in one piece, with the hubs or the grid it is
// named for.
func TestModelsAreConnectedGraphs(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *graph.Graph
		hubs bool
	}{
		{"preferential", preferential(2000, 5, source()), true},
		{"rmat", rmat(10, 8000, source()), true},
		{"communities", communities(3000, 20, 14000, 0.7, source()), true},
		{"hyperbolic", hyperbolic(2000, 10, 2.7, source()), true},
		{"mesh", mesh(10), false},
	} {
		if err := c.g.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if n := reachable(c.g); n != c.g.Vertices() {
			t.Errorf("%s: %d of %d vertices hang together", c.name, n, c.g.Vertices())
		}
		mean := 2 * c.g.Edges() / c.g.Vertices()
		if got := largestDegree(c.g) > 10*mean; got != c.hubs {
			t.Errorf("%s: hubs %v, want %v", c.name, got, c.hubs)
		}
	}
}

func TestPreferentialAndMeshHaveTheirEdges(t *testing.T) {
	if got, want := preferential(2000, 5, source()).Edges(), 1995*5; got != want {
		t.Errorf("preferential: %d edges, want %d", got, want)
	}
	if got, want := mesh(10).Edges(), 3*9*10*10; got != want {
		t.Errorf("mesh: %d edges, want %d", got, want)
	}
}

// The networks are those of the records, which give their vertices and edges.
func TestGraphsAreThoseOfTheRecords(t *testing.T) {
	race.SkipArithmetic(t)
	records, err := os.ReadFile(filepath.Join("..", "..", "results", "partition.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range models {
		if m.name == "mesh" {
			continue
		}
		g := m.graph(stream(i))
		if want := fmt.Sprintf("| %d | %d |", g.Vertices(), g.Edges()); !strings.Contains(string(records), want) {
			t.Errorf("%s has %d vertices and %d edges, no such graph is in the records", m.name, g.Vertices(), g.Edges())
		}
	}
}

func source() *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }

func largestDegree(g *graph.Graph) (most int) {
	for v := range g.Vertices() {
		most = max(most, int(g.Offsets[v+1]-g.Offsets[v]))
	}
	return most
}

func reachable(g *graph.Graph) int {
	seen := make([]bool, g.Vertices())
	seen[0] = true
	reached := []int32{0}
	for i := 0; i < len(reached); i++ {
		v := reached[i]
		for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
			if !seen[u] {
				seen[u] = true
				reached = append(reached, u)
			}
		}
	}
	return len(reached)
}
