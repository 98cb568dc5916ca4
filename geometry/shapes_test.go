package geometry

import (
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

func boxSurface(low, high r3.Vec) *Surface { return &Surface{Mesh: *meshtest.Box(low, high)} }

func sphereSurface(center r3.Vec, radius float64, n int) *Surface {
	return &Surface{Mesh: *meshtest.Sphere(center, radius, n)}
}

func tubeSurface(a, b r3.Vec, radius float64, n, rings int, open bool) *Surface {
	return &Surface{Mesh: *meshtest.Tube(a, b, radius, n, rings, open)}
}

func cubes(n [3]int, full map[[3]int]bool) *Surface { return &Surface{Mesh: *meshtest.Cubes(n, full)} }

func divided(s *Surface, torn bool) *Surface { return &Surface{Mesh: *meshtest.Divided(&s.Mesh, torn)} }
