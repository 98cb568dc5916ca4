package solverbench

import (
	"context"
	"fmt"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/octree"
	"carina/solver"
)

// The names of the domains: a cube, an airway, and the airway in cuboids.
const (
	cavity       = "cavity"
	airway       = "airway"
	octreeAirway = "airway in octree cuboids"
	shrunkAirway = "airway in shrunk blocks"
)

// domain is where flow is computed.
type domain struct {
	*solver.Domain
	// name is what the case is called, decompose what cuboids it is cut into, if
	// it is.
	name, decompose string
}

// decompositions are the ways in which the airway is cut, by the domain's name.
var decompositions = map[string]struct {
	name    string
	cuboids func(ctx context.Context, g *geometry.Grid) ([]cuboid.Cuboid, error)
}{
	octreeAirway: {"octree+shrink", func(ctx context.Context, g *geometry.Grid) ([]cuboid.Cuboid, error) {
		return octree.Decompose(ctx, g, octree.Options{MinSide: octreeSide})
	}},
	shrunkAirway: {"shrink", func(_ context.Context, g *geometry.Grid) ([]cuboid.Cuboid, error) {
		return cuboid.Regular(cuboid.Box(g), int(min(shrunkBlocks, cuboid.Box(g).Cells())))
	}},
}

// makeDomains makes those of some variants, by name.
func makeDomains(ctx context.Context, o *Options, chosen []variant) (map[string]domain, error) {
	grid, err := voxelizeAirway(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("the airway to measure: %w", err)
	}
	domains := map[string]domain{
		cavity: {solver.WholeDomain(cube(o.Side)), cavity, ""},
		airway: {solver.WholeDomain(grid), airway, ""},
	}
	for _, v := range chosen {
		if _, made := domains[v.where]; made {
			continue
		}
		way := decompositions[v.where]
		cuboids, err := way.cuboids(ctx, grid)
		if err != nil {
			return nil, fmt.Errorf("cuboids of the %s: %w", v.where, err)
		}
		d, err := cut(grid, cuboids)
		if err != nil {
			return nil, fmt.Errorf("cutting the %s: %w", v.where, err)
		}
		domains[v.where] = domain{d, airway, way.name}
	}
	return domains, nil
}

// The cuboids of the airway in the dense layout: the smallest octree leaves have
// sides of 16 cells, blocks are as many as a few hundred ranks would be given.
const (
	octreeSide   = 16
	shrunkBlocks = 4096
)

// cube is a closed cube of side³ cells.
func cube(side int32) *geometry.Grid {
	g := &geometry.Grid{Spacing: 1e-4, Size: [3]int32{side, side, side}}
	for z := range side {
		for y := range side {
			g.Runs = append(g.Runs, geometry.Run{X0: 0, X1: side, Y: y, Z: z})
		}
	}
	return g
}

// voxelizeAirway voxelizes the airway with links in all directions.
func voxelizeAirway(ctx context.Context, o *Options) (*geometry.Grid, error) {
	var surface *geometry.Surface
	var err error
	if o.Surface != "" {
		surface, err = geometry.ReadSurface(o.Surface, o.Unit)
	} else {
		// Fine branches only where there are cells to fill them.
		generations := 11
		if o.FluidCells < 5e6 {
			generations = 5
		}
		surface, _, err = generate.Airway(generate.AirwayOptions{Generations: generations})
	}
	if err != nil {
		return nil, err
	}
	return geometry.Voxelize(ctx, surface, geometry.Options{FluidCells: o.FluidCells})
}

// cut is a grid in cuboids that are shrunk to their fluid cells, all of one
// rank.
func cut(grid *geometry.Grid, cuboids []cuboid.Cuboid) (*solver.Domain, error) {
	segments, err := cuboid.Label(grid, cuboids)
	if err != nil {
		return nil, err
	}
	cuboids = cuboid.Occupied(cuboids, segments, true)
	return &solver.Domain{Grid: grid, Segments: segments, Owners: make([]int32, len(cuboids)), Boxes: cuboids, Ranks: 1}, nil
}
