package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"carina/partition/graph"
	"gonum.org/v1/gonum/graph/graphs/gen"
	"gonum.org/v1/gonum/graph/simple"
)

// preferential lets every vertex choose as many others, each by its degree
// (Barabási and Albert, Emergence of scaling in random networks, 1999).
func preferential(vertices, choices int, r *rand.Rand) *graph.Graph {
	g := simple.NewUndirectedGraph()
	if err := gen.PreferentialAttachment(g, vertices, choices, r); err != nil {
		panic(err) // only without enough vertices for the choices
	}
	return largestPiece(g)
}

// rmat puts each edge into quarters of the adjacency matrix with the
// probabilities 0.57, 0.19, 0.19 and 0.05, down to one entry, and returns the
// largest piece (Chakrabarti, Zhan and Faloutsos, R-MAT, 2004; the
// probabilities are Graph500's).
func rmat(scale, edges int, r *rand.Rand) *graph.Graph {
	g := simple.NewUndirectedGraph()
	for range edges {
		var u, v int
		for range scale {
			p := r.Float64()
			u, v = 2*u, 2*v
			if p >= 0.57+0.19 {
				u++
			}
			if p >= 0.57 && p < 0.57+0.19 || p >= 0.57+0.19+0.19 {
				v++
			}
		}
		join(g, u, v)
	}
	return largestPiece(g)
}

// communities joins random vertices whose weights fall as a power of their
// rank (to the -2/3), the given share of the edges within one of the groups (a planted
// partition with the degrees of a network).
func communities(vertices, groups, edges int, within float64, r *rand.Rand) *graph.Graph {
	draw := func(n int) int {
		x := r.Float64()
		return int(float64(n) * x * x * x)
	}
	g := simple.NewUndirectedGraph()
	size := vertices / groups
	for range edges {
		u := draw(size)*groups + r.IntN(groups)
		v := draw(size)*groups + r.IntN(groups)
		if r.Float64() < within {
			v = v - v%groups + u%groups
		}
		join(g, u, v)
	}
	return largestPiece(g)
}

// hyperbolic puts vertices on a hyperbolic disk and joins those nearer than
// its radius, which is chosen for the mean degree, and returns the largest
// piece (Krioukov et al., Hyperbolic geometry of complex networks, 2010).
func hyperbolic(vertices int, degree, exponent float64, r *rand.Rand) *graph.Graph {
	alpha := (exponent - 1) / 2
	xi := alpha / (alpha - 0.5)
	radius := 2 * math.Log(2*xi*xi*float64(vertices)/(math.Pi*degree))
	type point struct{ cosh, x, y float64 }
	points := make([]point, vertices)
	for i := range points {
		at := math.Acosh(1+r.Float64()*(math.Cosh(alpha*radius)-1)) / alpha
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		points[i] = point{math.Cosh(at), math.Sinh(at) * cos, math.Sinh(at) * sin}
	}
	g := simple.NewUndirectedGraph()
	farthest := math.Cosh(radius)
	for u, p := range points {
		for v, q := range points[:u] {
			if p.cosh*q.cosh-p.x*q.x-p.y*q.y < farthest {
				join(g, u, v)
			}
		}
	}
	return largestPiece(g)
}

// mesh joins the vertices of a cube to their neighbours along the axes.
func mesh(side int) *graph.Graph {
	vertices := side * side * side
	g := &graph.Graph{Offsets: make([]int64, 1, vertices+1)}
	strides := [3]int{1, side, side * side}
	for v := range vertices {
		for _, stride := range slices.Backward(strides[:]) {
			if v/stride%side > 0 {
				g.Neighbours = append(g.Neighbours, int32(v-stride))
			}
		}
		for _, stride := range strides {
			if v/stride%side < side-1 {
				g.Neighbours = append(g.Neighbours, int32(v+stride))
			}
		}
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	return g
}
