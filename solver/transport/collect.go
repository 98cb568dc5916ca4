package transport

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
)

// Collect returns what every rank says, by rank, on all ranks. All call it
// together. Without a transport there is only one rank.
func Collect(t Transport, own string) ([]string, error) {
	if t == nil {
		return []string{own}, nil
	}
	lengths := make([]int64, t.Size())
	lengths[t.Rank()] = int64(len(own))
	if err := t.Reduce(Sum, lengths); err != nil {
		return nil, fmt.Errorf("collecting what the ranks say: %w", err)
	}
	const bytes = 8 // of a value
	first, values := 0, 0
	for rank, length := range lengths {
		if rank == t.Rank() {
			first = values
		}
		values += (int(length) + bytes - 1) / bytes
	}
	all := make([]int64, values)
	padded := append([]byte(own), make([]byte, bytes)...)
	for i := 0; i < len(own); i += bytes {
		all[first+i/bytes] = int64(binary.LittleEndian.Uint64(padded[i:]))
	}
	if err := t.Reduce(Sum, all); err != nil {
		return nil, fmt.Errorf("collecting what the ranks say: %w", err)
	}
	texts := make([]string, t.Size())
	for rank, length := range lengths {
		var text []byte
		for range (length + bytes - 1) / bytes {
			text = binary.LittleEndian.AppendUint64(text, uint64(all[0]))
			all = all[1:]
		}
		texts[rank] = string(text[:length])
	}
	return texts, nil
}

// Alike tells which ranks say the same as this one, which is nil where all do, and
// whether all do. All call it together. A rank holds a bit for each rank at most.
func Alike(t Transport, own string) (rank func(rank int) bool, all bool, err error) {
	sum := fnv.New64a()
	sum.Write([]byte(own))
	hash := int64(sum.Sum64() >> 1)
	ends := []int64{hash, -hash}
	if err := t.Reduce(Max, ends); err != nil {
		return nil, false, fmt.Errorf("comparing what the ranks say: %w", err)
	}
	highest, lowest := ends[0], -ends[1]
	if highest == lowest {
		return nil, true, nil
	}
	const digits = 63 // of a number that is not negative
	mine := make([]int64, t.Size()/digits+1)
	for said := lowest; ; {
		same := make([]int64, len(mine))
		if hash == said {
			same[t.Rank()/digits] = 1 << (t.Rank() % digits)
		}
		// The next that is said, or none.
		next := []int64{math.MaxInt64}
		if hash > said {
			next[0] = hash
		}
		if err := t.Reduce(Sum, same); err != nil {
			return nil, false, fmt.Errorf("comparing what the ranks say: %w", err)
		}
		if hash == said {
			mine = same
		}
		if said == highest {
			break
		}
		if err := t.Reduce(Min, next); err != nil {
			return nil, false, fmt.Errorf("comparing what the ranks say: %w", err)
		}
		said = next[0]
	}
	return func(rank int) bool { return mine[rank/digits]>>(rank%digits)&1 == 1 }, false, nil
}
