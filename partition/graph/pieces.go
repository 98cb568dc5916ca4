package graph

// Pieces lists the connected pieces of all parts.
func Pieces(g *Graph, parts []int32) [][]int32 {
	n := g.Vertices()
	seen := make([]bool, n)
	queue := make([]int32, 0, n)
	var pieces [][]int32
	for v := range n {
		if seen[v] {
			continue
		}
		begin := len(queue)
		queue = append(queue, int32(v))
		seen[v] = true
		for at := begin; at < len(queue); at++ {
			u := queue[at]
			for _, x := range g.NeighboursOf(u) {
				if !seen[x] && parts[x] == parts[u] {
					seen[x] = true
					queue = append(queue, x)
				}
			}
		}
		pieces = append(pieces, queue[begin:len(queue):len(queue)])
	}
	return pieces
}
