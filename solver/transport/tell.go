package transport

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"
)

// Tell gives other ranks words of a number that they do not know, by rank, and returns
// those that the others have for this one. All ranks call it together. A rank holds what
// it sends and gets, and a few numbers for others': nothing for each rank.
func Tell(t Transport, outgoing map[int][]int64) (incoming map[int][]int64, err error) {
	var notes []note
	for _, to := range slices.Sorted(maps.Keys(outgoing)) {
		if n := len(outgoing[to]); n > 0 && to != t.Rank() {
			notes = append(notes, note{int64(to), int64(t.Rank()), int64(n)})
		}
	}
	if notes, err = deliver(t, notes); err != nil {
		return nil, fmt.Errorf("telling other ranks how much comes: %w", err)
	}
	incoming = map[int][]int64{}
	if own := outgoing[t.Rank()]; len(own) > 0 {
		incoming[t.Rank()] = own
	}
	for _, n := range notes {
		incoming[int(n.from)] = make([]int64, n.words)
	}
	peers := slices.Collect(maps.Keys(incoming))
	peers = slices.AppendSeq(peers, maps.Keys(outgoing))
	slices.Sort(peers)
	var messages []Message
	for _, peer := range slices.Compact(peers) {
		if peer != t.Rank() {
			messages = append(messages, Message{peer, bytesOf(outgoing[peer]), bytesOf(incoming[peer])})
		}
	}
	return incoming, t.Exchange(messages)
}

// note says that a rank gets so many words from another.
type note struct{ to, from, words int64 }

// deliver brings notes to the ranks that they are for, in as many rounds as ranks have
// binary digits: in each a rank passes on those whose way on, in numbers of ranks, has
// that digit, as in the all-to-all of Bruck and others (1997).
func deliver(t Transport, notes []note) ([]note, error) {
	size, me := t.Size(), t.Rank()
	for step := 1; step < size; step *= 2 {
		kept, passed := notes[:0:0], []note(nil)
		for _, n := range notes {
			if (int(n.to)-me+size)%size&step == 0 {
				kept = append(kept, n)
			} else {
				passed = append(passed, n)
			}
		}
		to, from := (me+step)%size, (me-step+size)%size
		sent, received := []int64{int64(len(passed))}, make([]int64, 1)
		if err := t.Exchange([]Message{{Peer: to, Send: bytesOf(sent)}, {Peer: from, Receive: bytesOf(received)}}); err != nil {
			return nil, err
		}
		arrived := make([]note, received[0])
		if err := t.Exchange([]Message{{Peer: to, Send: bytesOf(passed)}, {Peer: from, Receive: bytesOf(arrived)}}); err != nil {
			return nil, err
		}
		notes = append(kept, arrived...)
	}
	return notes, nil
}

// bytesOf are the bytes of values in memory.
func bytesOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}
