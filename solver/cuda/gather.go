package cuda

import (
	"fmt"

	"carina/geometry"
	"carina/solver/airflow"
)

// OwnRun is a row of consecutive cells of this process.
type OwnRun struct {
	geometry.Run
	// First is the number of its first cell in the grid of this process, Whole
	// that in the whole geometry, where the grid is a share.
	First, Whole int64
}

// OwnRuns returns the cells of this process in the order of the grid's runs.
func (s *Solver) OwnRuns() []OwnRun {
	own := make([]bool, len(s.tiles.position))
	for _, p := range s.parts {
		for _, tile := range p.tiles {
			own[tile] = true
		}
	}
	var list []OwnRun
	starts, whole := s.starts(), s.flow.Domain.RunStarts()
	for i, r := range s.flow.Domain.Grid.Runs {
		tile := s.tiles.find(r.X0/tileSide, r.Y/tileSide, r.Z/tileSide)
		joins := false
		for x := r.X0; x < r.X1; tile++ {
			end := min(r.X1, x/tileSide*tileSide+tileSide)
			switch {
			case own[tile] && joins:
				list[len(list)-1].X1 = end
			case own[tile]:
				list = append(list, OwnRun{geometry.Run{X0: x, X1: end, Y: r.Y, Z: r.Z}, starts[i] + int64(x-r.X0), whole[i] + int64(x-r.X0)})
			}
			joins = own[tile]
			x = end
		}
	}
	return list
}

// Gather brings the fields of all processes, as Fields returns them, together
// on rank 0, for the whole geometry; the others get nil. Call it on all ranks.
func (s *Solver) Gather(own *airflow.Fields) (*airflow.Fields, error) {
	if s.transport == nil {
		return own, nil
	}
	var spans []int64 // first cell and number of each
	var values []float32
	for _, r := range s.OwnRuns() {
		n := int64(r.X1 - r.X0)
		spans = append(spans, r.Whole, n)
		for _, a := range arraysOf(own) {
			values = append(values, a[r.First:r.First+n]...)
		}
	}
	if s.Rank() != 0 {
		return nil, s.sendAll(0, bytesOf(spans), bytesOf(values))
	}
	all := airflow.NewFields(int(s.flow.Domain.CellCount()))
	place := func(spans []int64, values []float32) {
		for i := 0; i < len(spans); i += 2 {
			for _, a := range arraysOf(all) {
				values = values[copy(a[spans[i]:spans[i]+spans[i+1]], values):]
			}
		}
	}
	place(spans, values)
	for rank := 1; rank < s.ranks(); rank++ {
		received, err := s.receiveAll(rank)
		if err != nil {
			return nil, fmt.Errorf("receiving the fields of rank %d: %w", rank, err)
		}
		spans, values = make([]int64, len(received[0])/8), make([]float32, len(received[1])/4)
		copy(bytesOf(spans), received[0])
		copy(bytesOf(values), received[1])
		place(spans, values)
	}
	return all, nil
}

func arraysOf(f *airflow.Fields) [fieldNumbers][]float32 {
	return [fieldNumbers][]float32{f.Pressure, f.Velocity[0], f.Velocity[1], f.Velocity[2]}
}

// largestMessage keeps within what MPI counts.
const largestMessage = 1 << 30

// sendAll sends messages whose lengths the receiver does not know.
func (s *Solver) sendAll(rank int, messages ...[]byte) error {
	var lengths [2]int64
	for i, m := range messages {
		lengths[i] = int64(len(m))
	}
	if err := s.transport.Send(rank, bytesOf(lengths[:])); err != nil {
		return err
	}
	for _, m := range messages {
		for len(m) > 0 {
			n := min(len(m), largestMessage)
			if err := s.transport.Send(rank, m[:n]); err != nil {
				return err
			}
			m = m[n:]
		}
	}
	return nil
}

// receiveAll receives what sendAll sends.
func (s *Solver) receiveAll(rank int) (messages [2][]byte, err error) {
	var lengths [2]int64
	if err := s.transport.Receive(rank, bytesOf(lengths[:])); err != nil {
		return messages, err
	}
	for i, n := range lengths {
		messages[i] = make([]byte, n)
		for m := messages[i]; len(m) > 0; {
			n := min(len(m), largestMessage)
			if err := s.transport.Receive(rank, m[:n]); err != nil {
				return messages, err
			}
			m = m[n:]
		}
	}
	return messages, nil
}
