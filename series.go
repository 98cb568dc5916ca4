package carina

import (
	"errors"
	"fmt"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/results"

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
