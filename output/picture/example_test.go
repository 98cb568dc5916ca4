package picture_test

import (
	"fmt"
	"os"
	"path/filepath"

	"carina/geometry"
	"carina/output"
	"carina/output/picture"
)

// plate is one rank's half of a plate of 4×1×4 cells with air rising in it.
func plate(rank int) *output.Piece {
	p := &output.Piece{
		Frame: output.Frame{Spacing: 1e-3, Size: [3]int32{4, 1, 4}},
		Rank:  rank, Ranks: 2,
	}
	for z := range int32(4) {
		x := int32(2 * rank)
		p.Runs = append(p.Runs, geometry.Run{X0: x, X1: x + 2, Z: z})
		for range 2 {
			p.Pressure = append(p.Pressure, 4-float32(z))
			p.Velocity = append(p.Velocity, [3]float32{0, 0, 0.5})
		}
	}
	return p
}

// Every rank draws its cells; one puts the layers together and writes the
// picture.
func ExampleWriteFlow() {
	views := picture.Views(plate(0).Frame)
	layers := make([][]*picture.Layer, len(views))
	for rank := range 2 {
		drawn, err := picture.Render(plate(rank))
		if err != nil {
			fmt.Println(err)
			return
		}
		for v := range views {
			layers[v] = append(layers[v], drawn[v])
		}
	}
	var composites []*picture.Layer
	for v := range views {
		all, err := picture.Composite(layers[v])
		if err != nil {
			fmt.Println(err)
			return
		}
		composites = append(composites, all)
	}
	dir, err := os.MkdirTemp("", "carina")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flow.png")
	fmt.Println(picture.WriteFlow(path, composites, picture.FlowPicture{Title: "Flow of air"}))
	// Output: <nil>
}
