package carina

import (
	"errors"
	"fmt"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/results"
	"carina/solver/airflow"

	"gonum.org/v1/gonum/spatial/r3"
)

// series are what the case says of series and probes, the unit of the surface's coordinates
// being so many metres.
func (c *ResultsCase) series(unit float64) (s results.Series, err error) {
	for _, interval := range []struct {
		key, text string
		into      *results.Interval
	}{{"series", c.Series, &s.Every}, {"snapshots", c.Snapshots, &s.Fields}} {
		if interval.text == "" {
			continue
		}
		if *interval.into, err = results.ParseInterval(interval.text); err != nil {
			return s, fmt.Errorf("%s: %w", interval.key, err)
		}
	}
	if s.On() && c.Output == "" {
		return s, errors.New("series lie in the folder for results: name one with output")
	}
	names := map[string]bool{}
	for _, written := range c.Probes {
		p, err := written.probe(unit)
		switch {
		case written.Name == "":
			return s, errors.New("a probe has no name: write such as {name: throat, center: [1, 2, 3]}")
		case names[written.Name]:
			return s, fmt.Errorf("two probes are called %s: give each its own name", written.Name)
		case err != nil:
			return s, fmt.Errorf("probe %s: %w", written.Name, err)
		}
		names[written.Name] = true
		s.Probes = append(s.Probes, p)
	}
	if len(s.Probes) > 0 && !s.Every.On() {
		return s, errors.New("probes are told of in series: say how often with series, such as 1ms")
	}
	return s, nil
}

// probe reads one.
func (written *ProbeCase) probe(unit float64) (p results.Probe, err error) {
	p.Name = written.Name
	x, n := written.Center, written.Normal
	if len(x) != 3 {
		return p, fmt.Errorf("its center has %s: give x, y and z", quantity.Count(len(x), "coordinate"))
	}
	p.Center = r3.Scale(unit, r3.Vec{X: x[0], Y: x[1], Z: x[2]})
	if written.Radius == "" && n == nil {
		return p, nil
	}
	if len(n) != 3 || written.Radius == "" {
		return p, errors.New("a section has a normal of three numbers and a radius: give both, or neither for a point")
	}
	if p.Normal = (r3.Vec{X: n[0], Y: n[1], Z: n[2]}); p.Normal == (r3.Vec{}) {
		return p, errors.New("its normal is zero: give a direction such as [0, 0, 1]")
	}
	p.Radius, err = quantity.Length.ParsePositive(written.Radius)
	return p, err
}

// usualPhases are those into which a period is divided, mostPhases the most.
const usualPhases, mostPhases = 16, 1000

// averaging are the statistics that the case asks for of a flow with a period in seconds, 0
// or NaN without; nil for none.
func (c *ResultsCase) averaging(period float64) (*airflow.Averaging, error) {
	if !c.Statistics {
		if c.StatisticsFrom != "" || c.Phases != 0 {
			return nil, errors.New("statistics-from and phases are of statistics: add statistics: true, or --statistics, or leave them out")
		}
		return nil, nil
	}
	a := &airflow.Averaging{From: -1, Phases: 1}
	if c.StatisticsFrom != "" {
		var err error
		if a.From, err = quantity.Time.Parse(c.StatisticsFrom); err != nil || a.From < 0 {
			return nil, fmt.Errorf("statistics-from: %q is no time from 0 on: give one such as 0.5s", c.StatisticsFrom)
		}
	}
	switch {
	case c.Output == "":
		return nil, errors.New("statistics are written into the folder for results: name one with output")
	case c.Phases < 0 || c.Phases > mostPhases:
		return nil, fmt.Errorf("a period cannot be divided into %d phases: give 1 to %d", c.Phases, mostPhases)
	case c.Phases > 1 && !(period > 0):
		return nil, fmt.Errorf("the flow has no period to divide into %d phases: leave phases out, or give a waveform with a period", c.Phases)
	case c.Phases > 0:
		a.Phases = c.Phases
	case period > 0:
		a.Phases = usualPhases
	}
	return a, nil
}

// surfaceUnit is that of the surface's coordinates in metres, 1 where it is not known.
func (f *Flow) surfaceUnit() float64 {
	source := &f.from.partition.Source
	if source.Surface != nil {
		source = source.Surface
	}
	if unit, err := geometry.ParseUnit(source.Unit); err == nil {
		return float64(unit)
	}
	return 1
}
