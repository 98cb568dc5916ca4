package balancebench

import (
	"fmt"
	"slices"
	"time"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/airflow"
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

// Exchange returns every message to its sender. One without content is none.
func (a *alone) Exchange(messages []transport.Message) error {
	var bytes int64
	for _, m := range messages {
		copy(m.Receive, m.Send)
		a.sent[m.Peer] += int64(len(m.Send))
		bytes += int64(len(m.Send))
	}
	if bytes > 0 {
		a.exchanges++
	}
	return nil
}

func (a *alone) Reduce(transport.Operation, []int64) error { return nil }
func (a *alone) Send(int, []byte) error                    { return nil }
func (a *alone) Receive(int, []byte) error                 { return nil }
func (a *alone) Abort(error)                               {}

// settings are the solver's own, for populations of so many bytes, with one
// thread per rank.
func settings(bytesPerPopulation int) (airflow.Settings, error) {
	s := airflow.DefaultSettings()
	s.Workers = 1
	for _, p := range airflow.Precisions {
		if s.Precision = p; p.Bytes() == bytesPerPopulation {
			return s, nil
		}
	}
	return s, fmt.Errorf("the solver has no populations of %d bytes: use a cost model with 4 or 8", bytesPerPopulation)
}

// timeSolver returns the seconds of the processor of one step of one rank of a
// domain with the solver's own kernels in a layout, the fastest of some series of
// steps, within about the given time or longer while that is not settled, and the
// bytes per step it sends to every other rank.
func timeSolver(domain *solver.Domain, rank int, layout balance.Layout, bytesPerPopulation int, all time.Duration) (float64, map[int]int64, error) {
	const (
		few, most = 3, 200 // pairs of steps of a series
		series    = 6
		warmUp    = 2 // pairs of steps, as Measure has them
	)
	set, err := settings(bytesPerPopulation)
	if err != nil {
		return 0, nil, err
	}
	set.Layout = layout
	t := newAlone(rank, domain.Ranks)
	r, err := airflow.NewRank(domain, set, t)
	if err != nil {
		return 0, nil, err
	}
	defer r.Close()
	// What is exchanged in setting up is no part of a step.
	clear(t.sent)
	t.exchanges = 0
	pairs := few
	var times []float64
	for start := time.Now(); len(times) < series || unsettled(times, start, all); {
		used := machine.ProcessorTime()
		clock, err := r.Measure(pairs)
		if err != nil {
			return 0, nil, err
		}
		times = append(times, (machine.ProcessorTime()-used).Seconds()/float64(2*(pairs+warmUp)))
		pairs = max(few, min(most, int(all.Seconds()/series/2/clock.Best)))
	}
	for peer := range t.sent {
		t.sent[peer] /= t.exchanges
	}
	return slices.Min(times), t.sent, nil
}

// domainOf prepares the solver's domain for a partition.
func domainOf(g *geometry.Grid, p *balance.Partition) (*solver.Domain, error) {
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	return &solver.Domain{Grid: g, Segments: segments, Owners: p.Owners, Boxes: p.Cuboids, Ranks: len(p.Ranks)}, nil
}

// ownedCuboids lists the cuboids of every rank.
func ownedCuboids(p *balance.Partition) [][]cuboid.Cuboid {
	list := make([][]cuboid.Cuboid, len(p.Ranks))
	for i, c := range p.Cuboids {
		list[p.Owners[i]] = append(list[p.Owners[i]], c)
	}
	return list
}
