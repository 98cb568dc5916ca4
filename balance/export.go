package balance

import (
	"bufio"
	"fmt"
	"io"

	"carina/cuboid"
	"carina/geometry"
	"carina/partition/graph"
	"carina/partition/metis"
)

// Weighted returns the graph the balancers saw: a vertex per cuboid, weighted
// by work, and an edge weighted by bytes where populations cross. It needs the
// grid to find what crosses.
func (p *Partition) Weighted(g *geometry.Grid) (*graph.Graph, error) {
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	return Graph(&p.Cost, p.Counts, p.Cost.Crossings(segments)), nil
}

// WriteMETIS writes a weighted graph as metis.Write does.
func WriteMETIS(w io.Writer, g *graph.Graph) error { return metis.Write(w, g) }

// WriteMETISParts writes the owners as METIS, KaHIP and others do: one number
// per line, in the order of the vertices.
func (p *Partition) WriteMETISParts(w io.Writer) error { return metis.WriteParts(w, p.Owners) }

// WriteOpenLB writes the cuboids and owners as OpenLB's XML: a CuboidGeometry
// as its own writeToFile makes it (extent in lattice nodes, origin the position
// of the first node, weight the number of fluid cells) and a LoadBalancer in
// the heuristic mode with the measured ratio of full to empty cells. OpenLB has
// no element for owners; they stand in Rank elements, which it ignores.
func (p *Partition) WriteOpenLB(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "<?xml version=\"1.0\"?>\n<XMLContent>\n")
	whole := cuboid.Cuboid{Max: p.Grid.Size}
	fmt.Fprintf(b, "<CuboidGeometry dimension=\"3\" %s>\n", p.openLBCuboid(whole, p.Grid.FluidCells))
	for i, c := range p.Cuboids {
		fmt.Fprintf(b, "<Cuboid %s />\n", p.openLBCuboid(c, p.Counts[i].Fluid))
	}
	fmt.Fprint(b, "</CuboidGeometry>\n<LoadBalancer mode=\"Heuristic\">\n")
	if p.Cost.Empty > 0 {
		fmt.Fprintf(b, "<RatioFullEmpty>%.6g</RatioFullEmpty>\n", p.Cost.Fluid/p.Cost.Empty)
	}
	owned := make([][]int, len(p.Ranks))
	for i, o := range p.Owners {
		owned[o] = append(owned[o], i)
	}
	for r, cuboids := range owned {
		fmt.Fprintf(b, "<Rank id=\"%d\">", r)
		for i, c := range cuboids {
			fmt.Fprintf(b, "%s%d", []string{"", " "}[min(i, 1)], c)
		}
		fmt.Fprint(b, "</Rank>\n")
	}
	fmt.Fprint(b, "</LoadBalancer>\n</XMLContent>\n")
	return b.Flush()
}

// openLBCuboid returns the attributes of a cuboid.
func (p *Partition) openLBCuboid(c cuboid.Cuboid, weight int64) string {
	s := c.Size()
	var node [3]float64
	for axis := range node {
		node[axis] = p.Grid.Origin[axis] + (float64(c.Min[axis])+0.5)*p.Grid.Spacing
	}
	return fmt.Sprintf("extent=\"%d %d %d \" origin=\"%.16e %.16e %.16e \" deltaR=\"%.16e\" weight=\"%d\" refinementLevel=\"0\"",
		s[0], s[1], s[2], node[0], node[1], node[2], p.Grid.Spacing, weight)
}
