package generate

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// NozzleOptions says what nozzle to make.
type NozzleOptions struct {
	// Diameter of the pipes before and behind the throat in metres, 12 mm by
	// default; the throat has a third of it.
	Diameter float64
	// Length of the pipe before the cone and of that behind the throat, two and a
	// half and ten diameters by default.
	Inlet, Outlet float64
	// Segments is the number of edges around, 64 by default.
	Segments int
}

// Nozzle makes the nozzle with a sudden expansion of the FDA's first benchmark
// (Hariharan et al. 2011, J. Biomech. Eng. 133: 041002; Stewart et al. 2012): a
// pipe, a cone of 20° that leads to a throat of a third of the diameter and ten
// of its own long, and at once a pipe of the first diameter. It lies along z,
// which is zero at the expansion. It returns the closed surface and its two ends.
func Nozzle(o NozzleOptions) (*geometry.Surface, []geometry.Opening, error) {
	if o.Diameter == 0 {
		o.Diameter = 12e-3
	}
	if o.Inlet == 0 {
		o.Inlet = 2.5 * o.Diameter
	}
	if o.Outlet == 0 {
		o.Outlet = 10 * o.Diameter
	}
	if o.Segments == 0 {
		o.Segments = defaultSegments
	}
	for _, length := range []float64{o.Inlet, o.Outlet} {
		if err := checkTube(o.Diameter, length, o.Segments); err != nil {
			return nil, nil, fmt.Errorf("cannot generate a nozzle: %w", err)
		}
	}
	wide, throat := o.Diameter/2, o.Diameter/6
	start := -10 * o.Diameter / 3 // of the throat
	cone := start - (wide-throat)/math.Tan(math.Pi/18)
	stations := []struct{ z, radius float64 }{{cone - o.Inlet, wide}, {cone, wide}, {start, throat}, {0, throat}, {0, wide}, {o.Outlet, wide}}
	// Polygons of the circles' areas.
	scale := math.Sqrt(2 * math.Pi / (float64(o.Segments) * math.Sin(2*math.Pi/float64(o.Segments))))
	m := newBuilder()
	var rings [][]int32
	for _, s := range stations {
		ring := make([]int32, o.Segments+1)
		for i := range o.Segments {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(o.Segments))
			ring[i] = m.add(r3.Vec{X: s.radius * scale * cos, Y: s.radius * scale * sin, Z: s.z})
		}
		ring[o.Segments] = ring[0]
		rings = append(rings, ring)
	}
	for i := range len(rings) - 1 {
		m.strip(rings[i], rings[i+1])
	}
	last := len(rings) - 1
	ends := []geometry.Opening{
		{Number: 1, Name: "inlet", Role: geometry.Inlet, Center: r3.Vec{Z: stations[0].z}, Normal: r3.Vec{Z: -1}},
		{Number: 2, Name: "outlet", Role: geometry.Outlet, Center: r3.Vec{Z: stations[last].z}, Normal: r3.Vec{Z: 1}},
	}
	for i, ring := range [][]int32{rings[0], rings[last]} {
		ends[i].Area = math.Pi * wide * wide
		m.cap(ring, ends[i].Center, i == 0, ends[i].Name)
	}
	return &geometry.Surface{
		Mesh:       mesh.Mesh{Vertices: m.vertices, Triangles: m.triangles, Solids: m.solids},
		Unit:       geometry.Metre,
		UnitReason: "generated in metres",
	}, ends, nil
}
