package refine

// Queue is a 4-ary heap of vertices by gain, largest first; ties
// depend on what was done to it only. Positions are kept per vertex, so that
// gains can be changed and vertices removed.
type Queue struct {
	vertex   []int32
	gain     []int64
	position []int32 // per vertex, -1 if absent
}

// NewQueue returns an empty queue for vertices 0..n-1.
func NewQueue(n int) *Queue {
	q := &Queue{position: make([]int32, n)}
	for v := range q.position {
		q.position[v] = -1
	}
	return q
}

// Empty tells whether no vertex is queued.
func (q *Queue) Empty() bool           { return len(q.vertex) == 0 }
func (q *Queue) contains(v int32) bool { return q.position[v] >= 0 }

// Top returns the vertex of largest gain and that gain.
func (q *Queue) Top() (int32, int64) { return q.vertex[0], q.gain[0] }

// Set inserts v or changes its gain.
func (q *Queue) Set(v int32, gain int64) {
	at := int(q.position[v])
	if at < 0 {
		q.vertex = append(q.vertex, v)
		q.gain = append(q.gain, gain)
		q.up(len(q.vertex)-1, v, gain)
		return
	}
	if gain > q.gain[at] {
		q.up(at, v, gain)
	} else if gain < q.gain[at] {
		q.down(at, v, gain)
	}
}

// Remove takes v out.
func (q *Queue) Remove(v int32) {
	at := int(q.position[v])
	q.position[v] = -1
	last := len(q.vertex) - 1
	w, gain := q.vertex[last], q.gain[last]
	old := q.gain[at]
	q.vertex, q.gain = q.vertex[:last], q.gain[:last]
	if at == last {
		return
	}
	if gain > old {
		q.up(at, w, gain)
	} else {
		q.down(at, w, gain)
	}
}

// Clear takes all vertices out.
func (q *Queue) Clear() {
	for _, v := range q.vertex {
		q.position[v] = -1
	}
	q.vertex, q.gain = q.vertex[:0], q.gain[:0]
}

func (q *Queue) up(at int, v int32, gain int64) {
	for at > 0 {
		parent := (at - 1) / 4
		if q.gain[parent] >= gain {
			break
		}
		q.put(at, q.vertex[parent], q.gain[parent])
		at = parent
	}
	q.put(at, v, gain)
}

func (q *Queue) down(at int, v int32, gain int64) {
	for {
		first := 4*at + 1
		if first >= len(q.vertex) {
			break
		}
		best := first
		for child := first + 1; child < min(first+4, len(q.vertex)); child++ {
			if q.gain[child] > q.gain[best] {
				best = child
			}
		}
		if q.gain[best] <= gain {
			break
		}
		q.put(at, q.vertex[best], q.gain[best])
		at = best
	}
	q.put(at, v, gain)
}

func (q *Queue) put(at int, v int32, gain int64) {
	q.vertex[at], q.gain[at] = v, gain
	q.position[v] = int32(at)
}
