package cuda

import "carina/solver/airflow"

// average is the mean of fields over time, on the devices.
type average struct {
	observations int
	means        map[*part]address
}

// StartAverage begins a new average over time of the fields, with one sample
// every 50 steps. It stays on the devices.
func (s *Solver) StartAverage() error {
	if s.average == nil {
		s.average = &average{means: map[*part]address{}}
		for _, p := range s.parts {
			a, err := p.allocate(p.cellBytes(), nil)
			if err != nil {
				s.average = nil
				return err
			}
			s.average.means[p] = a
		}
	}
	s.average.observations = 0
	return nil
}

// fieldBytes are those of a cell in kernel fields.
const fieldBytes = 4 * fieldNumbers

// addToAverage adds the fields of the present step, if there is an average.
func (s *Solver) addToAverage() error {
	if s.average == nil {
		return nil
	}
	if err := s.requireComplete(); err != nil {
		return err
	}
	s.average.observations++
	program := s.observer("fields", fieldsMean)
	for _, p := range s.parts {
		arguments := append(words(uint64(s.average.means[p])), s.fieldArguments(s.average.observations)...)
		if err := p.observe(program, tileRange{p.order, 0, len(p.tiles)}, s.plainRates(), arguments); err != nil {
			return err
		}
	}
	return nil
}

// Average returns the mean fields since StartAverage by global number, or nil
// if there are no samples.
func (s *Solver) Average() (*airflow.Fields, error) {
	if s.average == nil || s.average.observations == 0 {
		return nil, nil
	}
	fields := airflow.NewFields(int(s.flow.Domain.Grid.Cells()))
	for _, p := range s.parts {
		if err := s.download(p, s.average.means[p], fieldsOf(fields)); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// download stores the fields that lie in memory for all tiles of a part, in
// the order of their numbers.
func (s *Solver) download(p *part, from address, store func(global int64, cell []float32)) error {
	portion := min(len(p.tiles), fieldTiles)
	cells := make([]float32, portion*tileCells*fieldNumbers)
	index := newTileIndex(s.tiles)
	for first := 0; first < len(p.tiles); first += portion {
		tiles := p.sorted[first:min(first+portion, len(p.tiles))]
		part := cells[:len(tiles)*tileCells*fieldNumbers]
		if err := p.device.download(bytesOf(part), from+address(first)*tileCells*fieldBytes); err != nil {
			return err
		}
		s.scatter(part, fieldNumbers, tiles, index, store)
	}
	return nil
}
