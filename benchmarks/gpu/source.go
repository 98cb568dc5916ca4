package gpu

import (
	"context"
	"fmt"

	"carina/geometry"
	"carina/geometry/generate"
)

// sparse voxelizes the surface that was asked for, or a generated airway, with
// that many cells.
func sparse(ctx context.Context, o *Options, cells int64) (*geometry.Grid, error) {
	surface, err := readSurface(o)
	if err != nil {
		return nil, err
	}
	settings := o.settings()
	grid, err := geometry.Voxelize(ctx, surface, geometry.Options{FluidCells: cells, Directions: settings.Directions()})
	if err != nil {
		return nil, fmt.Errorf("voxelizing the airway: %w", err)
	}
	return grid, nil
}

func readSurface(o *Options) (*geometry.Surface, error) {
	if o.Surface != "" {
		return geometry.ReadSurface(o.Surface, o.Unit)
	}
	surface, _, err := generate.Airway(generate.AirwayOptions{Generations: 11})
	if err != nil {
		return nil, fmt.Errorf("generating an airway: %w", err)
	}
	return surface, nil
}
