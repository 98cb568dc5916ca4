package workflow

import (
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
	lengths := make([]int64, g.transport.Size())
	lengths[rank] = int64(len(payload))
	if err := g.transport.Reduce(transport.Sum, lengths); err != nil {
		return fmt.Errorf("collecting the results: %w", err)
	}
	if rank != 0 {
		if len(payload) == 0 {
			return nil
		}
		return g.transport.Send(0, payload)
	}
	g.payloads = make([][]byte, len(lengths))
	g.payloads[0] = payload
	for from := 1; from < len(lengths); from++ {
		g.payloads[from] = make([]byte, lengths[from])
		if lengths[from] == 0 {
			continue
		}
		if err := g.transport.Receive(from, g.payloads[from]); err != nil {
			return fmt.Errorf("collecting the results of rank %d: %w", from, err)
		}
	}
	return nil
}

func (g *transportGather) all() [][]byte { return g.payloads }
