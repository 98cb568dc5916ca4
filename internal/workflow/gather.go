package workflow

import (
	"encoding/binary"
	"fmt"

	"carina/solver/transport"
)

// gather brings one payload from every rank together on rank 0.
type gather interface {
	// put hands in the payload of a rank; every rank calls it once.
	put(rank int, payload []byte) error
	// all returns the payloads by rank, on rank 0 after all have called put.
	all() [][]byte
}

// sharedGather is for ranks of one process. Ranks write to different places,
// and all is called when they have ended.
type sharedGather struct{ payloads [][]byte }

func newSharedGather(ranks int) *sharedGather {
	return &sharedGather{payloads: make([][]byte, ranks)}
}

func (g *sharedGather) put(rank int, payload []byte) error {
	g.payloads[rank] = payload
	return nil
}

func (g *sharedGather) all() [][]byte { return g.payloads }

// transportGather is for ranks of different processes.
type transportGather struct {
	transport transport.Transport
	payloads  [][]byte
}

func (g *transportGather) put(rank int, payload []byte) error {
	if rank != 0 {
		length := binary.NativeEndian.AppendUint64(nil, uint64(len(payload)))
		if err := g.transport.Send(0, length); err != nil {
			return fmt.Errorf("handing in the results: %w", err)
		}
		return g.transport.Send(0, payload)
	}
	g.payloads = make([][]byte, g.transport.Size())
	g.payloads[0] = payload
	for from := 1; from < len(g.payloads); from++ {
		var length [8]byte
		if err := g.transport.Receive(from, length[:]); err != nil {
			return fmt.Errorf("collecting the results of rank %d: %w", from, err)
		}
		g.payloads[from] = make([]byte, binary.NativeEndian.Uint64(length[:]))
		if err := g.transport.Receive(from, g.payloads[from]); err != nil {
			return fmt.Errorf("collecting the results of rank %d: %w", from, err)
		}
	}
	return nil
}

func (g *transportGather) all() [][]byte { return g.payloads }
