package opening

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"

	"carina/internal/machine"
	"carina/internal/quantity"
)

// Waveform is a factor over time.
type Waveform interface {
	// Factor is the factor at a time in seconds.
	Factor(time float64) float64
}

var (
	_ Waveform = Sine{}
	_ Waveform = Breathing{}
	_ Waveform = (*Table)(nil)
	_ Waveform = Linear{}
)

// Sine is mean + amplitude·sin(2πt/period).
type Sine struct{ Period, Mean, Amplitude float64 }

// Factor is the factor at a time in seconds.
func (s Sine) Factor(time float64) float64 {
	return s.Mean + s.Amplitude*math.Sin(2*math.Pi*time/s.Period)
}

// Breathing is a cycle of half a sine in and half a sine out. What is breathed
// in is breathed out; the peak of inspiration is one.
type Breathing struct {
	// Period is in seconds, Inspiration its part that is inspiration.
	Period, Inspiration float64
}

// Factor is the factor at a time in seconds.
func (b Breathing) Factor(time float64) float64 {
	phase := math.Mod(time/b.Period, 1)
	if phase < b.Inspiration {
		return math.Sin(math.Pi * phase / b.Inspiration)
	}
	expiration := 1 - b.Inspiration
	return -b.Inspiration / expiration * math.Sin(math.Pi*(phase-b.Inspiration)/expiration)
}

// Linear is a constant plus slope times another waveform.
type Linear struct {
	Of              Waveform
	Slope, Constant float64
}

// Factor is the factor at a time in seconds.
func (l Linear) Factor(time float64) float64 { return l.Slope*l.Of.Factor(time) + l.Constant }

// Alike tells whether two waveforms are known to be the same at all times.
func Alike(a, b Waveform) bool { return reflect.DeepEqual(a, b) }

// ShortestPeriod is the shortest in which a waveform goes there and back, in
// seconds, and infinite where that is not known.
func ShortestPeriod(w Waveform) float64 {
	period := math.Inf(1)
	switch w := w.(type) {
	case Sine:
		if w.Amplitude != 0 {
			period = w.Period
		}
	case Breathing:
		period = 2 * w.Period * min(w.Inspiration, 1-w.Inspiration)
	case Linear:
		return ShortestPeriod(w.Of)
	case *Table:
		if w.Periodic {
			period = w.Times[len(w.Times)-1] - w.Times[0]
		}
	}
	if period > 0 {
		return period
	}
	return math.Inf(1)
}

// SharpestBend is the largest sudden change of the slope of a breath, in 1/s; 0 for smooth
// waveforms and for tables, whose bends are as sharp as they were sampled.
func SharpestBend(w Waveform) float64 {
	switch w := w.(type) {
	case Breathing:
		in, out := w.Inspiration, 1-w.Inspiration
		return math.Abs(math.Pi / w.Period * (1/in - in/(out*out)))
	case Linear:
		return math.Abs(w.Slope) * SharpestBend(w.Of)
	}
	return 0
}

// Period is after how long a waveform repeats itself, in seconds: 0 for a constant one
// or none, infinite where that is not known.
func Period(w Waveform) float64 {
	switch w := w.(type) {
	case nil:
		return 0
	case Sine:
		if w.Amplitude == 0 {
			return 0
		}
		return w.Period
	case Breathing:
		return w.Period
	case Linear:
		if w.Slope == 0 {
			return 0
		}
		return Period(w.Of)
	case *Table:
		if w.Periodic {
			return w.Times[len(w.Times)-1] - w.Times[0]
		}
	}
	return math.Inf(1)
}

// extremes are the smallest and the largest factor of a waveform; of one of an
// unknown kind, minus one and one.
func extremes(w Waveform) (low, high float64) {
	switch w := w.(type) {
	case nil:
		return 1, 1
	case Sine:
		swing := math.Abs(w.Amplitude)
		return w.Mean - swing, w.Mean + swing
	case Breathing:
		return -w.Inspiration / (1 - w.Inspiration), 1
	case Linear:
		low, high = bounds(w.Of, w.Slope)
		return low + w.Constant, high + w.Constant
	case *Table:
		return slices.Min(w.Values), slices.Max(w.Values)
	}
	return -1, 1
}

// bounds are those over time of a waveform times a value.
func bounds(w Waveform, value float64) (low, high float64) {
	a, b := extremes(w)
	return min(a*value, b*value), max(a*value, b*value)
}

// Table joins values by straight lines. After the last time it stays constant
// or, if Periodic, begins again.
type Table struct {
	Times, Values []float64
	Periodic      bool
}

// Factor is the factor at a time in seconds.
func (t *Table) Factor(time float64) float64 {
	n := len(t.Times)
	if period := t.Times[n-1] - t.Times[0]; t.Periodic && period > 0 {
		time = t.Times[0] + math.Mod(math.Mod(time-t.Times[0], period)+period, period)
	}
	i := sort.SearchFloat64s(t.Times, time)
	switch {
	case i == 0:
		return t.Values[0]
	case i == n:
		return t.Values[n-1]
	}
	part := (time - t.Times[i-1]) / (t.Times[i] - t.Times[i-1])
	return t.Values[i-1] + part*(t.Values[i]-t.Values[i-1])
}

// ReadTable reads a table from CSV: time in seconds and factor in each row.
// A first row that holds no numbers is a heading.
func ReadTable(r io.Reader) (*Table, error) {
	text, err := machine.Text(r)
	if err != nil {
		return nil, err
	}
	reader := csv.NewReader(text)
	reader.FieldsPerRecord = 2
	reader.TrimLeadingSpace = true
	reader.Comment = '#'
	t := &Table{}
	for row := 1; ; row++ {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the waveform: %w; give a time and a factor in each row, with a comma between them", err)
		}
		time, errTime := quantity.Number(fields[0])
		value, errValue := quantity.Number(fields[1])
		switch {
		case row == 1 && errTime != nil && errValue != nil:
			if err := checkHeading(fields); err != nil {
				return nil, err
			}
			continue
		case errTime != nil || errValue != nil || strings.Contains(fields[0]+fields[1], "_") || math.IsNaN(time+value) || math.IsInf(time+value, 0):
			return nil, fmt.Errorf("row %d of the waveform is %q; give a time and a factor", row, fields)
		case len(t.Times) > 0 && time == t.Times[len(t.Times)-1]:
			return nil, fmt.Errorf("row %d of the waveform is at %g s like the row before it; give one factor for each time", row, time)
		case len(t.Times) > 0 && time < t.Times[len(t.Times)-1]:
			return nil, fmt.Errorf("row %d of the waveform goes back in time to %g s; sort it by time", row, time)
		}
		t.Times, t.Values = append(t.Times, time), append(t.Values, value)
	}
	if len(t.Times) == 0 {
		return nil, errors.New("the waveform is empty; give a time and a factor in each row")
	}
	return t, nil
}

// checkHeading refuses a heading that names other units than are read.
func checkHeading(fields []string) error {
	if unit, factor := quantity.Time.Stated(fields[0]); unit != "" && factor != 1 {
		return fmt.Errorf("the heading of the waveform says that times are in %s: write them in s", unit)
	}
	for _, kind := range []quantity.Kind{quantity.Flow, quantity.Pressure, quantity.Part} {
		if unit, _ := kind.Stated(fields[1]); unit != "" {
			return fmt.Errorf("the heading of the waveform says that its values are in %s: write factors, by which a flow or a pressure that is given beside it is multiplied", unit)
		}
	}
	return nil
}
