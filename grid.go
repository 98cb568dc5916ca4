package carina

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"

	"gonum.org/v1/gonum/spatial/r3"
)

// Grid fills the lumen of a surface with cells, as the case says.
func (c *Case) Grid(surface *geometry.Surface) (*geometry.Grid, error) {
	prepared, options, err := c.Prepare(surface, nil)
	if err != nil {
		return nil, err
	}
	grid, _, err := geometry.VoxelizePrepared(context.Background(), prepared, options)
	if err != nil {
		return nil, fmt.Errorf("voxelizing: %w", err)
	}
	return grid, nil
}

// Prepare makes a surface ready for geometry.VoxelizePrepared with the options
// that it returns. It refuses to gamble on the unit. Progress hears the share done
// of each stage; it may be nil.
func (c *Case) Prepare(surface *geometry.Surface, progress func(stage string, done float64)) (*geometry.Prepared, geometry.Options, error) {
	options, err := c.voxelOptions(surface.Unit)
	if err != nil {
		return nil, options, err
	}
	options.Progress = progress
	prepared, err := geometry.Prepare(surface, options)
	if err != nil {
		return nil, options, err
	}
	guess := geometry.WeighUnit(surface, prepared)
	return prepared, options, guess.Refuse(surface)
}

// ReadSurface reads the surface in the unit that the case says, or guesses it.
func (c *SurfaceCase) ReadSurface() (*geometry.Surface, error) {
	scale := 1.0
	if c.Scale != 0 {
		scale = c.Scale
	}
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("a scale of %g makes no surface: give a factor above zero, such as 0.05", scale)
	}
	unit := geometry.UnknownUnit
	if c.Unit != "" {
		var err error
		if unit, err = geometry.ParseUnit(c.Unit); err != nil {
			return nil, err
		}
	}
	if c.Label < 0 {
		return nil, fmt.Errorf("there is no label %d: give a number above 0", c.Label)
	}
	return geometry.Reading{Unit: unit, Scale: scale, Label: c.Label}.File(c.Surface)
}

// ReadGrid reads the grid file that the case names in place of a surface. What is settled
// there the case must leave open.
func (c *SurfaceCase) ReadGrid() (*geometry.Grid, error) {
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"unit", c.Unit != ""}, {"scale", c.Scale != 0}, {"label", c.Label != 0}, {"spacing", c.Spacing != ""}, {"fluid-cells", c.FluidCells != 0}, {"voxelizer", c.Voxelizer != ""},
		{"directions", c.Directions != 0}, {"inlet", c.Inlet != 0}, {"opening", len(c.Openings) > 0},
		{"role", len(c.Roles) > 0}, {"drop-opening", len(c.DropOpenings) > 0}, {"merge-openings", len(c.MergeOpenings) > 0}, {"extend-openings", c.ExtendOpenings != ""},
	} {
		if option.given {
			return nil, fmt.Errorf("%s is a grid file, where %s is settled: leave that out, or give the surface", c.Surface, option.name)
		}
	}
	return geometry.ReadGrid(c.Surface)
}

// voxelOptions are what the case says of the grid; centres of openings are in the
// surface's unit.
func (c *Case) voxelOptions(unit geometry.Unit) (geometry.Options, error) {
	o := geometry.Options{
		FluidCells: c.FluidCells, Inlet: c.Inlet, Method: geometry.Method(c.Voxelizer),
		DropOpenings: c.DropOpenings, MergeOpenings: c.MergeOpenings, Roles: map[int]geometry.Role{},
	}
	for number, role := range c.Roles {
		o.Roles[number] = geometry.Role(role)
	}
	if c.Spacing != "" {
		var err error
		if o.Spacing, err = quantity.Length.ParsePositive(c.Spacing); err != nil {
			return o, fmt.Errorf("spacing: %w", err)
		}
		const finest, coarsest = 1e-9, 1e3 // metres
		if o.Spacing < finest || o.Spacing > coarsest {
			return o, fmt.Errorf("a spacing of %s cannot be meant: give one from 1nm to 1000m", c.Spacing)
		}
	}
	settings, err := c.Settings()
	if err != nil {
		return o, err
	}
	o.Directions = settings.Directions()
	if c.Directions != 0 {
		o.Directions = c.Directions
	}
	if err := c.extension(&o); err != nil {
		return o, err
	}
	const widest = 1e3 // metres
	for i, opening := range c.Openings {
		if err := c.checkOpening(i); err != nil {
			return o, err
		}
		radius, err := quantity.Length.ParsePositive(opening.Radius)
		if err != nil {
			return o, fmt.Errorf("opening %d (%s): %w", i+1, opening.Name, err)
		}
		if radius > widest {
			return o, fmt.Errorf("opening %d (%s) cannot have a radius of %s: give one of at most 1000m", i+1, opening.Name, opening.Radius)
		}
		x := opening.Center
		center := r3.Scale(float64(unit), r3.Vec{X: x[0], Y: x[1], Z: x[2]})
		o.Openings = append(o.Openings, geometry.Disc{Center: center, Radius: radius, Name: opening.Name})
	}
	return o, nil
}

// checkOpening refuses an opening placed by hand whose name or centre cannot be
// meant.
func (c *SurfaceCase) checkOpening(i int) error {
	const farthest, longest = 1e12, 1024
	opening := &c.Openings[i]
	if len(opening.Center) != 3 {
		return fmt.Errorf("opening %d (%s) has a centre of %s: give x, y and z", i+1, opening.Name, quantity.Count(len(opening.Center), "number"))
	}
	for _, x := range opening.Center {
		if !(math.Abs(x) <= farthest) {
			return fmt.Errorf("opening %d (%s) has the coordinate %g: give numbers from %g to %g", i+1, opening.Name, x, -farthest, farthest)
		}
	}
	if len(opening.Name) > longest {
		return fmt.Errorf("the name of opening %d has %d bytes: give one of at most %d", i+1, len(opening.Name), longest)
	}
	if terminal.Line(opening.Name) != opening.Name {
		return fmt.Errorf("the name of opening %d is %q, which holds a line end or another control character: leave that out", i+1, opening.Name)
	}
	for j := range i {
		if opening.Name != "" && c.Openings[j].Name == opening.Name {
			return fmt.Errorf("openings %d and %d are both named %s: give each a name of its own", j+1, i+1, opening.Name)
		}
	}
	return nil
}

// extension reads how far openings are lengthened: 2D for two diameters, or a
// length.
func (c *SurfaceCase) extension(o *geometry.Options) error {
	if c.ExtendOpenings == "" {
		return nil
	}
	if number, found := strings.CutSuffix(c.ExtendOpenings, "D"); found {
		diameters, err := strconv.ParseFloat(number, 64)
		if err != nil || !(diameters > 0) || diameters > 1e3 {
			return fmt.Errorf("openings cannot be lengthened by %q: write a multiple of their diameter such as 2D, or a length such as 10mm", c.ExtendOpenings)
		}
		o.ExtendDiameters = diameters
		return nil
	}
	var err error
	if o.ExtendLength, err = quantity.Length.ParsePositive(c.ExtendOpenings); err != nil {
		return fmt.Errorf("extending openings: %w", err)
	}
	return nil
}
