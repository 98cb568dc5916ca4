package geometry

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/spatial/r3"
)

func ExampleDiagnose() {
	// The same tube without its ends, every other triangle turned over.
	tube := tubeSurface(r3.Vec{}, r3.Vec{Z: 10e-3}, 1e-3, 64, 20, true)
	for i := 0; i < len(tube.Triangles); i += 2 {
		v := &tube.Triangles[i].V
		v[1], v[2] = v[2], v[1]
	}
	d, err := Diagnose(tube, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Verdict)
	// Output:
	// The surface can be mended: 1280 triangles turned over, 2 open ends capped; 2 openings found, air is guessed to enter through number 1 (inlet); inside is told from outside by crossings along rows.
}

func ExampleVoxelize() {
	// A tube 10 mm long and 2 mm wide, with flat ends.
	tube := tubeSurface(r3.Vec{}, r3.Vec{Z: 10e-3}, 1e-3, 64, 20, false)
	g, err := Voxelize(context.Background(), tube, Options{Spacing: 0.1e-3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range g.Openings {
		fmt.Printf("%d %s %s %.2f mm²\n", o.Number, o.Name, o.Role, o.Area*1e6)
	}
	// Output:
	// 1 inlet inlet 3.14 mm²
	// 2 outlet_02 outlet 3.14 mm²
}
