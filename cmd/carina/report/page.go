package report

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"carina"
	"carina/geometry"
	"carina/internal/machine"
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
	shown.Axes = cmp.Or(axes, shown.Axes)
	return shown, machine.AdmitFor("the page", shown.Memory(), "choose a larger spacing, fewer triangles or a machine with more memory")
}

func pageOf(ctx context.Context, c *carina.Case) (*page.Page, error) {
	path := c.Surface
	kind, err := KindOf(path)
	if err != nil {
		return nil, err
	}
	switch kind {
	case Surface:
		return surfacePage(c)
	case Grid:
		g, err := c.Voxelize(ctx, nil)
		if err != nil {
			return nil, err
		}
		return &page.Page{Grid: g.Grid, Subtitle: fmt.Sprintf("%s fluid cells", quantity.Grouped(g.Grid.Cells()))}, nil
	case Partition:
		p, g, err := carina.ReadPartition(path)
		if err != nil {
			return nil, err
		}
		return page.OfPartition(g, p)
	}
	if err := Expect(path, Surface, Grid, Partition); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s is no surface, grid or partition file", path)
}

func surfacePage(c *carina.Case) (*page.Page, error) {
	surface, prepared, err := prepared(c)
	if err != nil {
		return nil, err
	}
	subtitle := surfaceSubtitle(len(surface.Triangles), len(prepared.Openings))
	if words := geometry.DoubtWords(prepared.Openings, prepared.Perhaps); words != "" {
		subtitle += "; " + words
	}
	return &page.Page{Surface: prepared.Surface, Openings: prepared.Openings, Subtitle: subtitle, Axes: surface.Axes}, nil
}
