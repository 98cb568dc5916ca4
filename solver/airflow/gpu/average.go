package gpu

import (
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// average is the mean of fields over time, on the device.
type average struct {
	observations int
	means        device.Address
	ambient      float64 // the mean of the ambient pressure, in Pa
}

// StartAverage begins a new mean over time of the fields. It stays on the device.
func (s *bound) StartAverage() error {
	if s.average == nil {
		means, err := s.part.Allocate(s.part.cellBytes(), nil)
		if err != nil {
			return err
		}
		s.average = &average{means: means}
	}
	s.average.observations, s.average.ambient = 0, 0
	return nil
}

// fieldBytes are those of a cell in kernel fields.
const fieldBytes = 4 * fieldNumbers

// AddToAverage adds the fields of the present step, if there is a mean.
func (s *bound) AddToAverage() error {
	if s.average == nil {
		return nil
	}
	p := s.part
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	s.average.observations++
	s.average.ambient += (s.ambient() - s.average.ambient) / float64(s.average.observations)
	arguments := append(device.Words(uint64(s.average.means)), s.fieldArguments(s.average.observations)...)
	return p.observe(s.observer("fields", fieldsMean), tileRange{p.order, 0, len(p.Numbers)}, s.plainRates(), arguments)
}

// Average returns the mean fields since StartAverage, or nil if there are no
// samples.
func (s *bound) Average() (*airflow.Fields, error) {
	if s.average == nil || s.average.observations == 0 {
		return nil, nil
	}
	return s.download(s.average.means, s.average.ambient)
}

// download returns the fields that lie in memory for all tiles, in the order of
// their numbers, under an ambient pressure.
func (s *bound) download(from device.Address, ambient float64) (*airflow.Fields, error) {
	p, fields := s.part, airflow.NewFields(s.layout.Fluid)
	portion := min(len(p.Numbers), fieldTiles)
	cells := make([]float32, portion*tiling.Cells*fieldNumbers)
	index := newTileIndex(s.tiles)
	for first := 0; first < len(p.Numbers); first += portion {
		tiles := p.Sorted[first:min(first+portion, len(p.Numbers))]
		part := cells[:len(tiles)*tiling.Cells*fieldNumbers]
		if err := p.Device.Download(device.BytesOf(part), from+device.Address(first)*tiling.Cells*fieldBytes); err != nil {
			return nil, err
		}
		s.scatter(part, fieldNumbers, tiles, index, s.fieldsOf(fields, ambient))
	}
	return fields, nil
}
