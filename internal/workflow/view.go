package workflow

import (
	"context"
	"fmt"
	"path/filepath"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/output/page"
)

// PageOf makes a page on which a surface, a grid or a partition can be looked
// at and turned around. Of the case it takes the file, which is that of the
// surface, grid or partition, the axes and, of a surface, unit and scale.
func PageOf(ctx context.Context, c *carina.Case) (*page.Page, error) {
	axes, err := geometry.ParseAxes(c.Axes)
	if err != nil {
		return nil, err
	}
	shown, err := pageOf(ctx, c)
	if err != nil {
		return nil, err
	}
	shown.Title = terminal.Line(filepath.Base(c.Surface))
	if axes != geometry.UnknownAxes {
		shown.Axes = axes
	}
	return shown, admitPage(shown)
}

func pageOf(ctx context.Context, c *carina.Case) (*page.Page, error) {
	path := c.Surface
	kind, err := KindOf(path)
	if err != nil {
		return nil, err
	}
	switch kind {
	case SurfaceFile:
		return surfacePage(c)
	case GridFile:
		g, err := LoadGrid(ctx, c, nil, nil)
		if err != nil {
			return nil, err
		}
		return &page.Page{Grid: g.Grid, Subtitle: fmt.Sprintf("%s fluid cells", quantity.Grouped(g.Grid.Cells()))}, nil
	case PartitionFile:
		p, g, err := carina.ReadPartition(path)
		if err != nil {
			return nil, err
		}
		return partitionPage(p, g)
	}
	return nil, fmt.Errorf("%s is a %s file: give a surface, a grid or a partition", path, kind)
}

func surfacePage(c *carina.Case) (*page.Page, error) {
	surface, prepared, _, err := prepareSurface(c, nil)
	if err != nil {
		return nil, err
	}
	subtitle := surfaceSubtitle(len(surface.Triangles), len(prepared.Openings))
	if words := geometry.DoubtWords(prepared.Openings); words != "" {
		subtitle += "; " + words
	}
	return &page.Page{Surface: prepared.Surface, Openings: prepared.Openings, Subtitle: subtitle}, nil
}

func partitionPage(p *balance.Partition, g *geometry.Grid) (*page.Page, error) {
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	return &page.Page{
		Grid: g, Axes: p.Source.Axes, Segments: segments, Cuboids: p.Cuboids, Owners: p.Owners,
		Subtitle: fmt.Sprintf("%s + %s: %s on %s, heaviest %.3f of its share",
			terminal.Line(p.Method.Decompose), terminal.Line(p.Method.Balance), quantity.GroupedCount(len(p.Cuboids), "cuboid"), quantity.Count(len(p.Ranks), "rank"), p.Quality.WorkMaxOverMean),
	}, nil
}
