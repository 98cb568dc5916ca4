package vtk

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/geometry"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// several is a piece of more than a block of numbers.
func several() *output.Piece {
	p := &output.Piece{Frame: output.Frame{Origin: r3.Vec{X: -0.1, Y: 0.2, Z: 3}, Spacing: 1e-3, Size: [3]int32{90, 70, 40}}, Ranks: 1}
	for z := range p.Size[2] {
		for y := range p.Size[1] {
			from := (3*y + 5*z) % 17
			p.Runs = append(p.Runs, geometry.Run{X0: from, X1: from + 20, Y: y, Z: z}, geometry.Run{X0: from + 20, X1: 80, Y: y, Z: z})
		}
	}
	for i := range p.Cells() {
		p.Pressure = append(p.Pressure, float32(math.Sin(float64(i))))
		p.Velocity = append(p.Velocity, [3]float32{float32(i), float32(-i), 0.5})
	}
	return p
}

// What is written is read, cell by cell.
func TestReadCells(t *testing.T) {
	p := several()
	path := filepath.Join(t.TempDir(), "piece.vtu")
	if err := WriteVTU(path, p); err != nil {
		t.Fatal(err)
	}
	var want []Cell
	for _, r := range p.Runs {
		for x := r.X0; x < r.X1; x++ {
			want = append(want, Cell{x, r.Y, r.Z, p.Pressure[len(want)], p.Velocity[len(want)]})
		}
	}
	n := 0
	if err := ReadCells(path, p.Frame, func(c Cell) error {
		if n >= len(want) || c != want[n] {
			t.Fatalf("cell %d is %+v", n, c)
		}
		n++
		return nil
	}); err != nil || n != len(want) {
		t.Fatalf("%d of %d cells: %v", n, len(want), err)
	}
	both := filepath.Join(filepath.Dir(path), "both.pvtu")
	if err := WritePVTU(both, p.Frame, 0, []string{path, path}); err != nil {
		t.Fatal(err)
	}
	if err := ReadPieces(both, p.Frame, func(Cell) error { n--; return nil }); err != nil || n != -len(want) {
		t.Errorf("%d cells are left of twice as many: %v", n, err)
	}
	stop := errors.New("stop")
	if err := ReadCells(path, p.Frame, func(Cell) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped with %v", err)
	}
	// Files that are cut off, changed or of another grid are refused.
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	small := p.Frame
	small.Size[0] = 40
	for name, c := range map[string]struct {
		text  string
		frame output.Frame
	}{
		"no data":      {strings.Split(string(data), "<AppendedData")[0], p.Frame},
		"cut off":      {string(data[:len(data)/2]), p.Frame},
		"zeros":        {string(data[:4000]) + strings.Repeat("\x00", len(data)-4000), p.Frame},
		"another grid": {string(data), small},
		"no velocity":  {strings.Replace(string(data), `Name="velocity"`, `Name="velocitx"`, 1), p.Frame},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := ReadCells(path, c.frame, func(Cell) error { return nil }); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
