package balancebench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"carina/geometry"
	"carina/geometry/generate"
)

// generators makes the surfaces that have names of their own.
var generators = map[string]func() (*geometry.Surface, []geometry.Opening, error){
	"cavity": func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.Cavity(generate.CavityOptions{})
	},
	"bifurcation": func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.Bifurcation(generate.BifurcationOptions{})
	},
	"bifurcation-large": func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.BifurcationLarge(generate.BifurcationOptions{})
	},
	"airway": func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.Airway(generate.AirwayOptions{Generations: 6})
	},
}

// Grid voxelizes a surface with about so many fluid cells: cavity,
// bifurcation, bifurcation-large or airway, which are generated, or an STL
// file in millimetres. It returns a short name for tables too.
func Grid(ctx context.Context, name string, fluidCells int64) (string, *geometry.Grid, error) {
	var surface *geometry.Surface
	var err error
	short := name
	if generator, ok := generators[name]; ok {
		surface, _, err = generator()
	} else {
		short = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		surface, err = geometry.ReadSurface(name, 0)
	}
	if err != nil {
		return short, nil, fmt.Errorf("benchmark surface %s: %w", name, err)
	}
	grid, err := geometry.Voxelize(ctx, surface, geometry.Options{FluidCells: fluidCells})
	if err != nil {
		return short, nil, fmt.Errorf("benchmark surface %s: %w", name, err)
	}
	return short, grid, nil
}
