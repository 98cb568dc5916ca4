package gpu

import (
	"fmt"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// average is the mean of fields over time, on the device.
type average struct {
	observations int
	means        device.Address
	ambient      float64 // the mean of the ambient pressure, in Pa
	running      bool
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
	s.average.observations, s.average.ambient, s.average.running = 0, 0, true
	return nil
}

// fieldBytes are those of a cell in kernel fields.
const fieldBytes = 4 * fieldNumbers

// AddToAverage adds the fields of the present step, if there is a mean.
func (s *bound) AddToAverage() error {
	if s.average == nil || !s.average.running {
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
	if s.average == nil || !s.average.running || s.average.observations == 0 {
		return nil, nil
	}
	return s.download(s.average.means, s.average.ambient)
}

// download returns the fields that lie in memory for all tiles, in the order of
// their numbers, under an ambient pressure.
func (s *bound) download(from device.Address, ambient float64) (*airflow.Fields, error) {
	fields := airflow.NewFields(s.layout.Fluid)
	store := s.fieldsOf(fields, ambient)
	return fields, s.eachFields(func(at device.Address, cells []float32, scatter scatter) error {
		if err := s.part.Device.Download(device.BytesOf(cells), from+at); err != nil {
			return err
		}
		scatter(store)
		return nil
	})
}

// scatter hands on the numbers of the cells of a portion.
type scatter func(store func(index int32, cell []float32))

// onPortion is told of a portion of the numbers of all tiles, in the order of the tiles'
// numbers, where they lie behind the first, room for them, and what hands them on.
type onPortion func(at device.Address, cells []float32, scatter scatter) error

// eachFields calls f for portions of the fields.
func (s *bound) eachFields(f onPortion) error { return s.eachNumbers(fieldNumbers, f) }

// eachNumbers calls f for portions of so many numbers of each cell.
func (s *bound) eachNumbers(width int, f onPortion) error {
	p := s.part
	portion := min(len(p.Numbers), fieldTiles)
	cells := make([]float32, portion*tiling.Cells*width)
	index := newTileIndex(s.tiles)
	for first := 0; first < len(p.Numbers); first += portion {
		tiles := p.Sorted[first:min(first+portion, len(p.Numbers))]
		part := cells[:len(tiles)*tiling.Cells*width]
		err := f(device.Address(4*width*first*tiling.Cells), part, func(store func(index int32, cell []float32)) {
			s.scatter(part, width, tiles, index, store)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// SaveBeside returns what is kept beside the populations.
func (s *bound) SaveBeside() ([]solver.Beside, error) {
	var k airflow.Remembered
	if a := s.average; a != nil && a.running {
		k.Mean, k.Fields = &airflow.Mean{Count: int64(a.observations), Ambient: a.ambient}, make([][fieldNumbers]float32, s.layout.Fluid)
		err := s.eachFields(func(at device.Address, cells []float32, scatter scatter) error {
			if err := s.part.Device.Download(device.BytesOf(cells), a.means+at); err != nil {
				return err
			}
			scatter(func(index int32, cell []float32) { copy(k.Fields[index][:], cell) })
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("fetching the mean: %w", err)
		}
	}
	if c := s.compared; c != nil && c.filled {
		memory := make([]byte, len(c.places)*3*realBytes(s.Bits))
		if len(memory) > 0 {
			if err := s.part.Device.Download(memory, c.before); err != nil {
				return nil, fmt.Errorf("fetching the sampled velocity: %w", err)
			}
		}
		k.Sample = make([][3]float64, len(c.places))
		for i, at := range c.places {
			for axis := range k.Sample[i] {
				k.Sample[i][axis] = s.part.real(memory, 3*int(at)+axis)
			}
		}
	}
	list, err := s.statistics.Beside()
	return append(k.Beside(), list...), err
}

// Relative returns the fields of the present step with pressures relative to the ambient
// one.
func (s *bound) Relative() (*airflow.Fields, error) {
	fields := airflow.NewFields(s.layout.Fluid)
	return fields, s.gather(s.observer("fields", fieldsNow), fieldNumbers, s.fieldArguments(0), s.fieldsOf(fields, 0))
}

// LoadBeside takes it over.
func (s *bound) LoadBeside(list []solver.Beside) error {
	list, err := s.statistics.LoadBeside(list)
	if err != nil {
		return err
	}
	k, err := airflow.RememberedOf(list)
	if err != nil {
		return err
	}
	if s.average != nil {
		s.average.running = false
	}
	if k.Mean != nil {
		if err := s.StartAverage(); err != nil {
			return err
		}
		s.average.observations, s.average.ambient = int(k.Mean.Count), k.Mean.Ambient
		err := s.eachFields(func(at device.Address, cells []float32, scatter scatter) error {
			clear(cells)
			scatter(func(index int32, cell []float32) { copy(cell, k.Fields[index][:]) })
			return s.part.Device.Upload(s.average.means+at, device.BytesOf(cells))
		})
		if err != nil {
			return err
		}
	}
	if s.compared != nil {
		s.compared.filled = false
	}
	if k.Sample == nil {
		return nil
	}
	if s.compared == nil {
		if s.compared, err = s.newCompared(); err != nil {
			return err
		}
	}
	c := s.compared
	numbers := make([]float64, 3*len(c.places))
	for i, at := range c.places {
		copy(numbers[3*at:], k.Sample[i][:])
	}
	if c.filled = true; len(numbers) == 0 {
		return nil
	}
	return s.part.Device.Upload(c.before, appendReals(nil, s.Bits, numbers...))
}
