package answers

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"carina/geometry"
	"carina/solver/airflow/wallshear"

	"gonum.org/v1/gonum/spatial/r3"
)

// CycleSamples are how many samples of the wall are to be taken in a period.
const CycleSamples = 24

// mostTriangles bounds the memory of a WallSeries: at 400 bytes each for the meter and 160
// for the sums.
const mostTriangles = 400_000

// WallSeries is the shear stress on a wall over time: over the last whole period of a flow
// that has one, else over all time.
type WallSeries struct {
	wall   *wallshear.Wall
	meter  *wallshear.Meter
	period float64 // in seconds, 0 for none
	// Shear is that of the last sample.
	Shear []r3.Vec
	state wallState
}

// wallState is what goes on from a checkpoint.
type wallState struct {
	Now, Last wallshear.Series
	// Cycle is the period under way, and Whole tells whether it was seen from its beginning.
	Cycle int64
	Whole bool
	At    float64 // time of the last sample, negative without
}

// NewWallSeries prepares it for a surface and the cells that were made from it.
func NewWallSeries(g *geometry.Grid, surface *geometry.Prepared, period float64) (*WallSeries, error) {
	s := &WallSeries{wall: wallshear.NewWall(surface, g.Spacing), period: period, state: wallState{At: -1}}
	if n := len(s.wall.Triangles); n > mostTriangles || g.Cells() > math.MaxInt32 {
		return nil, fmt.Errorf("the wall has %d triangles, and its shear stress is followed over time on %d at most", n, mostTriangles)
	}
	s.meter = wallshear.NewMeter(s.wall, g)
	s.Shear = make([]r3.Vec, len(s.wall.Triangles))
	return s, nil
}

// Add adds a sample of the velocity of all cells, in m/s, at a time in seconds, under a
// dynamic viscosity in Pa·s.
func (s *WallSeries) Add(time float64, velocity *[3][]float32, viscosity float64) {
	s.meter.Measure(velocity, viscosity, s.Shear)
	st := &s.state
	if time <= st.At {
		// The flow has gone back, and another way.
		*st = wallState{At: -1}
	}
	if s.period > 0 {
		const rounding = 1e-9
		number, part := math.Modf(time/s.period + rounding)
		begun := part*CycleSamples < 1.5
		switch cycle := int64(number); {
		case st.At < 0:
			st.Cycle, st.Whole = cycle, begun
		case cycle > st.Cycle:
			if st.Whole {
				st.Now, st.Last = st.Last, st.Now
			}
			st.Now, st.Cycle, st.Whole = wallshear.Series{}, cycle, begun
		}
	}
	st.At = time
	st.Now.Add(s.Shear)
}

// Series is what is known over time.
func (s *WallSeries) Series() *wallshear.Series {
	if s.state.Last.Samples > 0 {
		return &s.state.Last
	}
	return &s.state.Now
}

// Mean is the mean of the last sample's stress by area, Peak what it exceeds on 1 %.
func (s *WallSeries) Mean() (mean, peak float64) {
	size := make([]float64, len(s.Shear))
	for t, v := range s.Shear {
		size[t] = r3.Norm(v)
	}
	f := wallshear.Sum(s.wall, s.meter.Known, size, func(int) bool { return true })
	return f.Mean, f.Peak
}

// Save returns what Load goes on from.
func (s *WallSeries) Save() []byte {
	var data bytes.Buffer
	// Numbers are always written to memory.
	_ = gob.NewEncoder(&data).Encode(s.state)
	return data.Bytes()
}

// Load goes on from what was saved of the same wall.
func (s *WallSeries) Load(data []byte) error {
	var st wallState
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&st); err != nil {
		return fmt.Errorf("reading the wall's stress of a checkpoint: %w", err)
	}
	for _, one := range []*wallshear.Series{&st.Now, &st.Last} {
		if n := len(one.Size); one.Samples < 0 || len(one.Sum) != n || len(one.Largest) != n || n != 0 && n != len(s.Shear) || (n == 0) != (one.Samples == 0) {
			return errors.New("the wall's stress of a checkpoint is of another wall")
		}
	}
	s.state = st
	return nil
}
