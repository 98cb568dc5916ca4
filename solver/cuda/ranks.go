package cuda

import (
	"fmt"
	"math/bits"
	"os"
	"strconv"

	"carina/solver/airflow"
	"carina/solver/transport"
)

// ranks is how many share the flow, in this process or in others.
func (s *Solver) ranks() int {
	if s.transport != nil {
		return s.transport.Size()
	}
	return len(s.parts)
}

// Rank is the number of this process's rank, or of the first of several.
func (s *Solver) Rank() int { return s.parts[0].subdomain.rank }

// reduce combines values over all processes.
func (s *Solver) reduce(op transport.Operation, values []int64) error {
	if s.transport == nil || len(values) == 0 {
		return nil
	}
	return s.transport.Reduce(op, values)
}

// fromAll returns what the parts of all processes have found.
func (s *Solver) fromAll(own [][foundWords]uint64) ([][foundWords]uint64, error) {
	if s.transport == nil {
		return own, nil
	}
	values := make([]int64, s.ranks()*foundWords)
	for i, p := range s.parts {
		for k, v := range own[i] {
			values[p.subdomain.rank*foundWords+k] = int64(v)
		}
	}
	if err := s.reduce(transport.Sum, values); err != nil {
		return nil, fmt.Errorf("collecting what the ranks have found: %w", err)
	}
	all := make([][foundWords]uint64, s.ranks())
	for i, v := range values {
		all[i/foundWords][i%foundWords] = uint64(v)
	}
	return all, nil
}

// together returns an error on all ranks if there is one on any.
func (s *Solver) together(failed error) error { return transport.Agree(s.transport, failed) }

// rankSummaries describes the load of all ranks.
func (s *Solver) rankSummaries() ([]airflow.RankSummary, error) {
	const numbers = 3
	values := make([]int64, numbers*s.ranks())
	for _, p := range s.parts {
		own := values[numbers*p.subdomain.rank:]
		for _, tile := range p.tiles {
			own[0] += int64(bits.OnesCount64(s.tiles.fluid[tile]))
		}
		own[1], own[2] = p.needs(), int64(s.seconds*1e9)
	}
	if err := s.reduce(transport.Sum, values); err != nil {
		return nil, fmt.Errorf("collecting the load of the ranks: %w", err)
	}
	devices, err := s.deviceNames()
	if err != nil {
		return nil, err
	}
	list := make([]airflow.RankSummary, s.ranks())
	for i := range list {
		v := values[numbers*i:]
		list[i] = airflow.RankSummary{FluidCells: v[0], Bytes: v[1], Device: devices[i]}
		if s.steps > 0 {
			list[i].StepSeconds = float64(v[2]) / 1e9 / float64(s.steps)
		}
		if work := s.flow.Domain.Work; i < len(work) {
			list[i].Work = work[i]
		}
	}
	return list, nil
}

// deviceNames are those of the devices by rank: a process has one rank or all.
func (s *Solver) deviceNames() ([]string, error) {
	if s.transport != nil {
		return transport.Collect(s.transport, s.parts[0].device.name())
	}
	names := make([]string, len(s.parts))
	for i, p := range s.parts {
		names[i] = p.device.name()
	}
	return names, nil
}

// localRank is the number of this process among those of the host, as MPI
// libraries and batch systems tell it.
func localRank(t transport.Transport) int {
	for _, name := range []string{"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n >= 0 {
			return n
		}
	}
	return t.Rank()
}
