package partition

// gainQueue is a 4-ary heap of vertices by gain, largest first; ties
// depend on what was done to it only. Positions are kept per vertex, so that
// gains can be changed and vertices removed.
type gainQueue struct {
	vertex   []int32
	gain     []int64
	position []int32 // per vertex, -1 if absent
}

func newGainQueue(n int) *gainQueue {
	q := &gainQueue{position: make([]int32, n)}
	for v := range q.position {
		q.position[v] = -1
	}
	return q
}

func (q *gainQueue) empty() bool           { return len(q.vertex) == 0 }
func (q *gainQueue) contains(v int32) bool { return q.position[v] >= 0 }

// top returns the vertex of largest gain and that gain.
func (q *gainQueue) top() (int32, int64) { return q.vertex[0], q.gain[0] }

// set inserts v or changes its gain.
func (q *gainQueue) set(v int32, gain int64) {
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

// remove takes v out.
func (q *gainQueue) remove(v int32) {
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

func (q *gainQueue) clear() {
	for _, v := range q.vertex {
		q.position[v] = -1
	}
	q.vertex, q.gain = q.vertex[:0], q.gain[:0]
}

func (q *gainQueue) up(at int, v int32, gain int64) {
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

func (q *gainQueue) down(at int, v int32, gain int64) {
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

func (q *gainQueue) put(at int, v int32, gain int64) {
	q.vertex[at], q.gain[at] = v, gain
	q.position[v] = int32(at)
}
