package cuda

import (
	"fmt"
	"sync/atomic"

	"carina/solver/airflow"
	"carina/solver/transport"
)

// limited is the fraction of all cells in which the recursive operator's limiter
// acts, nil where it cannot.
func (s *Solver) limited() (*float64, error) {
	threshold, ok := s.flow.LimitedStress()
	if !ok {
		return nil, nil
	}
	var count atomic.Int64
	err := s.gather(s.observer("stress", stressTraceless), 1, [][]uint64{s.reals(1)}, func(_ int64, cell []float32) {
		if float64(cell[0]) > threshold {
			count.Add(1)
		}
	})
	if err != nil {
		return nil, err
	}
	sum := []int64{count.Load()}
	if err := s.reduce(transport.Sum, sum); err != nil {
		return nil, fmt.Errorf("counting the cells in which the limiter acts: %w", err)
	}
	fraction := float64(sum[0]) / float64(s.flow.Domain.CellCount())
	return &fraction, nil
}

// grain is that of the flow in all cells, nil where they are very many or this
// process holds a part of them alone.
func (s *Solver) grain() (*float64, error) {
	if s.transport != nil || s.flow.Domain.CellCount() > airflow.GrainCells {
		return nil, nil
	}
	fields, err := s.Fields()
	if err != nil {
		return nil, err
	}
	grain := airflow.Grain(s.flow.Domain.Grid, fields)
	return &grain, nil
}
