package vtk_test

import (
	"fmt"
	"os"
	"path/filepath"

	"carina/geometry"
	"carina/output"
	"carina/output/vtk"
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

// Every rank writes its cells; one file ties them together for ParaView.
func ExampleWriteVTU() {
	dir, err := os.MkdirTemp("", "carina")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	var sources []string
	for rank := range 2 {
		source := filepath.Join(dir, fmt.Sprintf("flow_%d.vtu", rank))
		if err := vtk.WriteVTU(source, plate(rank)); err != nil {
			fmt.Println(err)
			return
		}
		sources = append(sources, source)
	}
	if err := vtk.WritePVTU(filepath.Join(dir, "flow.pvtu"), plate(0).Frame, 0, sources); err != nil {
		fmt.Println(err)
		return
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	// Output:
	// flow.pvtu
	// flow_0.vtu
	// flow_1.vtu
}
