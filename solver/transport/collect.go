package transport

import (
	"encoding/binary"
	"fmt"
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
