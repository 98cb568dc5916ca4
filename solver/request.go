package solver

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"carina/solver/transport"
)

// location is a value: of an array by local cell, or a place in other memory.
type location struct{ array, cell int32 }

// wanted is a value of another rank and where it belongs here.
type wanted struct {
	owner int32
	// array and global tell the owner what is wanted; of an ask, −1−array is the
	// value of the state.
	array  int32
	global int64
	to     location
}

// request is what a rank wants of others in one exchange.
type request struct {
	list []wanted
	// state is where asked values lie, nil for values of arrays.
	state *state
	// answers is where they go, nil for arrays.
	answers []byte
	// exchange is what follows, from owners to borrowers.
	exchange *Exchange
}

// sortByPlace orders a list as both sides know it and leaves each value once.
func sortByPlace(list []wanted) []wanted {
	order := func(a, b wanted) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.array, b.array), cmp.Compare(a.global, b.global))
	}
	slices.SortFunc(list, order)
	return slices.CompactFunc(list, func(a, b wanted) bool { return order(a, b) == 0 })
}

// borrow lists the neighbours' slots that own cells touch.
func (r *Rank) borrow(slots []Slot) *request {
	cells := make([]int, len(r.finder.offsets)) // that cross at each
	for _, c := range r.finder.crossings {
		cells[c.offset] += int(c.x1 - c.x0)
	}
	all := 0
	for i := range slots {
		if k := slices.Index(r.finder.offsets, slots[i].Offset); k >= 0 {
			all += cells[k]
		}
	}
	q := &request{list: make([]wanted, 0, all)}
	for i := range slots {
		s := &slots[i]
		if s.own() {
			continue
		}
		array := r.array(s.Field) + int32(s.Value)
		for _, c := range r.finder.crossings {
			if r.finder.offsets[c.offset] != s.Offset {
				continue
			}
			other := &r.finder.all[c.other]
			if r.isPeer(other.Owner) {
				continue
			}
			r.finder.eachNumber(c.other, c.x, c.x+c.x1-c.x0, func(from, to, ghost int32) {
				for x := from; x < to; x++ {
					q.list = append(q.list, wanted{other.Owner, array, other.Global + int64(x-other.X0), location{array, ghost + x - from}})
				}
			})
		}
	}
	q.list = sortByPlace(q.list)
	return q
}

// refresh lists values of some arrays in all ghosts, as sortByPlace does.
func (r *Rank) refresh(arrays []int32) *request {
	q := &request{}
	all := r.finder.all
	ghosts := slices.Clone(r.finder.ghost)
	owner := func(g ghostPiece) int32 { return all[g.piece].Owner }
	slices.SortStableFunc(ghosts, func(g, h ghostPiece) int { return cmp.Compare(owner(g), owner(h)) })
	for len(ghosts) > 0 {
		n := 1
		for n < len(ghosts) && owner(ghosts[n]) == owner(ghosts[0]) {
			n++
		}
		for _, array := range arrays {
			for _, g := range ghosts[:n] {
				p := &all[g.piece]
				for x := g.x0; x < g.x1; x++ {
					q.list = append(q.list, wanted{p.Owner, array, p.Global + int64(x-p.X0), location{array, g.local + x - g.x0}})
				}
			}
		}
		ghosts = ghosts[n:]
	}
	return q
}

// ask lists values of the state of cells.
func (r *Rank) ask(a asked, s *state) (*request, error) {
	q := &request{state: s, answers: a.answers}
	if a.again {
		return nil, errors.New("a kernel asks twice after one phase of a step: let it ask for all at once")
	}
	for i, ask := range a.asks {
		p := holding(r.finder.all, ask.Cell)
		if p == nil || p.Owner == r.layout.Rank {
			return nil, fmt.Errorf("cell %d was asked for, which is not another rank's", ask.Cell)
		}
		q.list = append(q.list, wanted{p.Owner, -1 - ask.Value, ask.Cell, location{-1, int32(i)}})
	}
	slices.SortStableFunc(q.list, func(a, b wanted) int { return cmp.Compare(a.owner, b.owner) })
	return q, nil
}

// run is wanted values of one array in a row of cells.
type run struct{ array, global, count int64 }

const runWords = int(unsafe.Sizeof(run{}) / 8)

// runs makes a list shorter.
func runs(list []wanted) (short []run) {
	for _, w := range list {
		if n := len(short); n > 0 && short[n-1].array == int64(w.array) && short[n-1].global+short[n-1].count == w.global {
			short[n-1].count++
			continue
		}
		short = append(short, run{int64(w.array), w.global, 1})
	}
	return short
}

// agree tells the owners what this rank wants and learns what others want of it.
// All ranks call it together, with as many requests.
func (r *Rank) agree(requests []*request) error {
	for _, q := range requests {
		q.exchange = &Exchange{Transport: r.transport, Asks: q.state != nil}
	}
	outgoing := requestWords(requests)
	incoming, err := transport.Tell(r.transport, outgoing)
	if err != nil {
		return err
	}
	peers := slices.Collect(maps.Keys(incoming))
	peers = slices.AppendSeq(peers, maps.Keys(outgoing))
	slices.Sort(peers)
	for _, peer := range slices.Compact(peers) {
		words := incoming[peer]
		for _, q := range requests {
			var want []run
			if len(words) > 0 {
				n := int(words[0])
				if n > 0 {
					want = unsafe.Slice((*run)(unsafe.Pointer(&words[1])), n)
				}
				words = words[1+runWords*n:]
			}
			r.connect(q, int32(peer), want)
		}
	}
	return nil
}

// requestWords are the words that tell each owner what is wanted of it: for every request the
// number of runs, and these.
func requestWords(requests []*request) map[int][]int64 {
	words := map[int][]int64{}
	for _, q := range requests {
		for i := range q.list {
			words[int(q.list[i].owner)] = nil
		}
	}
	for owner := range words {
		for _, q := range requests {
			short := runs(q.of(int32(owner)))
			words[owner] = append(append(words[owner], int64(len(short))), unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(short))), runWords*len(short))...)
		}
	}
	return words
}

// of is what is wanted of a rank.
func (q *request) of(rank int32) []wanted {
	order := func(w wanted, rank int32) int { return cmp.Compare(w.owner, rank) }
	first, _ := slices.BinarySearchFunc(q.list, rank, order)
	end, _ := slices.BinarySearchFunc(q.list, rank+1, order)
	return q.list[first:end]
}

// connect adds what goes to and comes from a peer to a request's exchange.
func (r *Rank) connect(q *request, peer int32, want []run) {
	gives := 0
	for _, w := range want {
		gives += int(w.count)
	}
	take, give := make([]location, 0, len(q.of(peer))), make([]location, 0, gives)
	for _, w := range q.of(peer) {
		take = append(take, w.to)
	}
	for _, w := range want {
		for k := range w.count {
			cell, ok := r.layout.Local(w.global + k)
			switch {
			case !ok:
				panic(fmt.Sprintf("rank %d wants cell %d of rank %d, which does not have it", peer, w.global+k, r.layout.Rank))
			case w.array >= 0:
				give = append(give, location{int32(w.array), cell})
			default:
				give = append(give, q.state.locate(r.finder, w.global+k, cell, int(-1-w.array)))
			}
		}
	}
	if len(take)+len(give) == 0 {
		return
	}
	x := q.exchange
	x.Give, x.Take = append(x.Give, r.segments(give, q)), append(x.Take, r.segments(take, q))
	last := len(x.Give) - 1
	x.Messages = append(x.Messages, transport.Message{Peer: int(peer), Send: newMessage(x.Give[last]), Receive: newMessage(x.Take[last])})
}

// segments joins locations of one array, or of the answers of a request.
func (r *Rank) segments(list []location, q *request) (s []Segment) {
	for len(list) > 0 {
		one := Segment{Array: list[0].array}
		if one.Array < 0 {
			one.Bytes, one.Memory = q.state.kindBytes(), q.answers
		} else {
			one.Bytes = r.kinds[one.Array].Bytes()
		}
		n := slices.IndexFunc(list, func(l location) bool { return l.array != one.Array })
		if n < 0 {
			n = len(list)
		}
		same := func(l location, cell int32) bool { return l.cell == cell }
		if len(s) > 0 && slices.EqualFunc(list[:n], s[len(s)-1].Cells, same) {
			one.Cells = s[len(s)-1].Cells
		} else {
			one.Cells = make([]int32, n)
			for i := range one.Cells {
				one.Cells[i] = list[i].cell
			}
		}
		s, list = append(s, one), list[n:]
	}
	return s
}

// newMessage returns memory for segments, aligned for any value.
func newMessage(list []Segment) []byte {
	size := 0
	for _, s := range list {
		size += len(s.Cells) * s.Bytes
	}
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
}
