package generate

import (
	"errors"
	"fmt"
	"math"

	"carina/geometry"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// PipeOptions says what pipe to make.
type PipeOptions struct {
	// Diameter in metres, 18 mm by default.
	Diameter float64
	// Length in metres, five diameters by default.
	Length float64
	// Segments is the number of edges around the pipe, 64 by default.
	Segments int
}

// Pipe makes a straight round pipe along the z axis, with its inlet at the
// origin, and returns its closed surface and its two ends.
func Pipe(o PipeOptions) (*geometry.Surface, []geometry.Opening, error) {
	if o.Diameter == 0 {
		o.Diameter = weibelA[0].diameter
	}
	if o.Length == 0 {
		o.Length = 5 * o.Diameter
	}
	if o.Segments == 0 {
		o.Segments = defaultSegments
	}
	if err := checkTube(o.Diameter, o.Length, o.Segments); err != nil {
		return nil, nil, fmt.Errorf("cannot generate a pipe: %w", err)
	}
	f := frame{side: r3.Vec{X: 1}, across: r3.Vec{Y: 1}, along: r3.Vec{Z: 1}}
	res := resolution{trunkSegments: o.Segments, trunkRadius: o.Diameter / 2}
	return sweep(newTrunk(f, o.Diameter/2, o.Length, res))
}

// Limits of the number of edges around a trunk.
const (
	fewestSegments = 8
	mostSegments   = 256
)

// checkTube refuses dimensions of a trunk that make no tube.
func checkTube(diameter, length float64, segments int) error {
	if !(diameter > 0) || math.IsInf(diameter, 0) {
		return fmt.Errorf("a diameter of %s: give a positive length", quantity.FormatLength(diameter))
	}
	if !(length > 0) || math.IsInf(length, 0) {
		return fmt.Errorf("a length of %s: give a positive length", quantity.FormatLength(length))
	}
	if segments < fewestSegments || segments > mostSegments {
		return fmt.Errorf("%d edges around the trunk: choose %d to %d", segments, fewestSegments, mostSegments)
	}
	if segments%2 != 0 {
		return errors.New("an odd number of edges around the trunk: choose an even one")
	}
	return nil
}
