package balancebench

import (
	"context"
	"time"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/solver"
	"carina/solver/transport"
)

// alone is the transport of a rank that is timed without the others: what it
// sends to a rank comes back as if from there. It counts the bytes.
type alone struct {
	rank, size int
	sent       map[int]int64
	exchanges  int64
}

var _ transport.Transport = (*alone)(nil)

func newAlone(rank, size int) *alone {
	return &alone{rank: rank, size: size, sent: make(map[int]int64)}
}

func (a *alone) Rank() int { return a.rank }
func (a *alone) Size() int { return a.size }

// Exchange returns every message to its sender.
func (a *alone) Exchange(messages []transport.Message) error {
	for _, m := range messages {
		copy(m.Receive, m.Send)
		a.sent[m.Peer] += int64(len(m.Send))
	}
	a.exchanges++
	return nil
}

func (a *alone) Reduce(transport.Operation, []int64) error { return nil }
func (a *alone) Send(int, []byte) error                    { return nil }
func (a *alone) Receive(int, []byte) error                 { return nil }
func (a *alone) Abort(error)                               {}

// settings are those of the measured runs: double precision, as in the
// source, TRT, half-way walls, one thread per rank.
func settings() solver.Settings {
	s := solver.DefaultSettings()
	s.Precision = solver.Double
	s.Wall = solver.BounceBack
	s.Workers = 1
	return s
}

// timeSparse returns the seconds of one step of one rank of a domain with the
// solver's own kernels, and the bytes per step it sends to every other rank.
func timeSparse(ctx context.Context, domain *solver.Domain, rank, repetitions int) (float64, map[int]int64, error) {
	t := newAlone(rank, domain.Ranks)
	r, err := solver.NewRank(domain, settings(), t)
	if err != nil {
		return 0, nil, err
	}
	defer r.Close()
	const steps = 2 // an even and an odd one
	if err := r.Advance(ctx, steps, nil); err != nil {
		return 0, nil, err
	}
	best := 0.0
	for range repetitions {
		n := int64(steps)
		for {
			begin := time.Now()
			if err := r.Advance(ctx, n, nil); err != nil {
				return 0, nil, err
			}
			if elapsed := time.Since(begin); elapsed > 2*time.Millisecond {
				if t := elapsed.Seconds() / float64(n); best == 0 || t < best {
					best = t
				}
				break
			}
			n *= 2
		}
	}
	for peer := range t.sent {
		t.sent[peer] /= t.exchanges
	}
	return best, t.sent, nil
}

// domainOf prepares the solver's domain for a partition.
func domainOf(g *geometry.Grid, p *balance.Partition) (*solver.Domain, error) {
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	return &solver.Domain{Grid: g, Segments: segments, Owners: p.Owners, Ranks: len(p.Ranks)}, nil
}

// ownedCuboids lists the cuboids of every rank.
func ownedCuboids(p *balance.Partition) [][]cuboid.Cuboid {
	list := make([][]cuboid.Cuboid, len(p.Ranks))
	for i, c := range p.Cuboids {
		list[p.Owners[i]] = append(list[p.Owners[i]], c)
	}
	return list
}
