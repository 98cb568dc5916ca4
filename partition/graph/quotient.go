package graph

// Tie connects a part to another, To, by edges of so much weight.
type Tie struct {
	To     int32 // the other part
	Weight int64 // of the edges between both
}

// Quotient lists for each part those it has edges to, in the order in which
// its vertices touch them.
func Quotient(g *Graph, part []int32, k int) [][]Tie {
	adjacent := make([][]Tie, k)
	weight := make([]int64, k)
	for p, vertices := range VerticesByPart(part, k) {
		for _, v := range vertices {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				q := part[g.Neighbours[e]]
				if int(q) == p {
					continue
				}
				if weight[q] == 0 {
					adjacent[p] = append(adjacent[p], Tie{To: q})
				}
				weight[q] += g.EdgeWeight(e)
			}
		}
		for i, t := range adjacent[p] {
			adjacent[p][i].Weight, weight[t.To] = weight[t.To], 0
		}
	}
	return adjacent
}

// VerticesByPart lists the vertices of each part.
func VerticesByPart(part []int32, k int) [][]int32 {
	members := make([][]int32, k)
	for v, p := range part {
		members[p] = append(members[p], int32(v))
	}
	return members
}
