package mesh

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Coarsest is the distance between neighbouring coordinates, as a share of a
// triangle's side, from which on shapes suffer.
const Coarsest = 0.003

// samples are how many vertices or triangles stand for all.
const samples = 4096

// Apart is how far apart the numbers are that single precision tells from each other
// at the farthest vertex.
func (b *Builder) Apart() float64 {
	low, high := b.Mesh.Bounds()
	farthest := max(math.Abs(low.X), math.Abs(low.Y), math.Abs(low.Z), math.Abs(high.X), math.Abs(high.Y), math.Abs(high.Z))
	const digits = 24 // of a binary mantissa
	return math.Ldexp(farthest, 1-digits)
}

// Coarseness is Apart as a share of a usual triangle's mean side.
func (b *Builder) Coarseness() float64 {
	var sides []float64
	for t := 0; t < len(b.Mesh.Triangles); t += 1 + len(b.Mesh.Triangles)/samples {
		if mean, _ := b.Mesh.Sides(t); mean > 0 {
			sides = append(sides, mean)
		}
	}
	if len(sides) == 0 {
		return 0
	}
	slices.Sort(sides)
	return b.Apart() / sides[len(sides)/2]
}

// NoteCoarse remarks that coordinates lost digits.
func (b *Builder) NoteCoarse(coarse float64) {
	b.Note("the coordinates lie so far from their origin that they lost digits: the places that they can tell apart are %.2g %% of a triangle's side from each other, so that volume and shape are not to be relied on; move the surface to the origin and export it again", 100*coarse)
}

// CheckFarthest refuses a vertex that lies a million times as far from the middle
// of all as half of them do, which is no shape but a mistake.
func (b *Builder) CheckFarthest() error {
	vertices := b.Mesh.Vertices
	var axes [3][]float64
	for i := 0; i < len(vertices); i += 1 + len(vertices)/samples {
		v := vertices[i]
		axes[0], axes[1], axes[2] = append(axes[0], v.X), append(axes[1], v.Y), append(axes[2], v.Z)
	}
	middle := r3.Vec{X: median(axes[0]), Y: median(axes[1]), Z: median(axes[2])}
	var apart []float64
	for i := 0; i < len(vertices); i += 1 + len(vertices)/samples {
		apart = append(apart, r3.Norm(r3.Sub(vertices[i], middle)))
	}
	const most = 1e6
	limit := most * median(apart)
	if limit == 0 {
		return nil
	}
	for i, t := range b.Mesh.Triangles {
		for _, corner := range t.V {
			if v := vertices[corner]; !(r3.Norm(r3.Sub(v, middle)) <= limit) {
				return fmt.Errorf("triangle %d has a corner at %g, %g, %g, more than a million times as far away as the others are from each other: correct it, or %s", i+1, v.X, v.Y, v.Z, ExportAgain)
			}
		}
	}
	return nil
}

// median is the lower one of two; it sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
