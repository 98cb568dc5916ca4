package page

import (
	"fmt"

	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"
)

// OfPartition is a page of the cells of a grid, coloured by their owners in a partition.
func OfPartition(g *geometry.Grid, p *balance.Partition) (*Page, error) {
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	return &Page{
		Grid: g, Axes: p.Source.Axes, Segments: segments, Cuboids: p.Cuboids, Owners: p.Owners,
		Subtitle: fmt.Sprintf("%s + %s: %s on %s, heaviest %.3f of its share",
			terminal.Line(p.Method.Decompose), terminal.Line(p.Method.Balance), quantity.GroupedCount(len(p.Cuboids), "cuboid"), quantity.Count(len(p.Ranks), "rank"), p.Quality.WorkMaxOverMean),
	}, nil
}
