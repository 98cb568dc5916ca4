package balance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/atomicfile"
	"gonum.org/v1/gonum/mat"
)

// The format and version of machine files.
const (
	machineFormat  = "carina machine"
	machineVersion = 1
)

// Machine is what was measured on one kind of computer; a machine file holds
// it as JSON.
type Machine struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Name is what the user calls the machine; Description says what it is.
	Name        string `json:"name"`
	Description string `json:"description"`
	// Costs has one cost model for every layout that was measured.
	Costs []Cost `json:"costs"`
	// Speeds are relative speeds of the machine's devices, if it has several
	// kinds; they can be given to Options.Speeds.
	Speeds []float64 `json:"speeds,omitempty"`
}

// NewMachine returns a machine to be filled with measured costs.
func NewMachine(name, description string) *Machine {
	return &Machine{Format: machineFormat, Version: machineVersion, Name: name, Description: description}
}

// Cost returns the cost model of a layout.
func (m *Machine) Cost(layout Layout) (Cost, error) {
	for _, c := range m.Costs {
		if c.Layout == layout {
			return c, nil
		}
	}
	return Cost{}, fmt.Errorf("balance: the machine file of %q has no figures for the %s layout: measure it with carina bench cost", m.Name, layout)
}

// WriteFile writes the machine file; it appears when it is complete.
func (m *Machine) WriteFile(name string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("balance: cannot write the machine file %s: %w", name, err)
	}
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// ReadMachine reads a machine file and checks its figures.
func ReadMachine(name string) (*Machine, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("balance: cannot read the machine file: %w", err)
	}
	m, err := parseMachine(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func parseMachine(text []byte) (*Machine, error) {
	m := &Machine{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("balance: the machine file is damaged (%w): measure again with carina bench cost", err)
	}
	if m.Format != machineFormat || m.Version != machineVersion {
		return nil, fmt.Errorf("balance: this is no machine file of version %d (format %q, version %d): make one with carina bench cost", machineVersion, m.Format, m.Version)
	}
	for i := range m.Costs {
		if err := m.Costs[i].Check(); err != nil {
			return nil, err
		}
	}
	for i, s := range m.Speeds {
		if !(s > 0) || s > 1e12 {
			return nil, fmt.Errorf("balance: device %d of the machine file has speed %v: give a speed above 0", i, s)
		}
	}
	return m, nil
}

// Sample is the measured time of one step of a rank that owns cuboids with
// these counts, of which there are Cuboids.
type Sample struct {
	Counts  cuboid.Counts
	Cuboids int
	// CopiedBytes is what crosses between its cuboids.
	CopiedBytes int64
	Seconds     float64
}

// Measure runs the solver on one rank and returns the seconds of one step. The
// cuboids cover the fluid of the grid.
type Measure func(ctx context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (seconds float64, err error)

// Case is a grid to measure, cut into cuboids.
type Case struct {
	Name    string
	Grid    *geometry.Grid
	Cuboids []cuboid.Cuboid
}

// MeasureCost measures all cases and fits the costs per fluid, boundary,
// opening and empty cell, per cuboid and per byte copied to the times. The
// cases must differ in what they hold; what none of them holds keeps the
// figure of start. Links keep theirs too.
func MeasureCost(ctx context.Context, start Cost, cases []Case, measure Measure, progress func(done float64)) (Cost, []Sample, error) {
	samples := make([]Sample, 0, len(cases))
	for i, c := range cases {
		segments, err := cuboid.Label(c.Grid, c.Cuboids)
		if err != nil {
			return start, nil, fmt.Errorf("balance: measuring %s: %w", c.Name, err)
		}
		s := Sample{Cuboids: len(c.Cuboids)}
		for _, n := range cuboid.Count(c.Grid, c.Cuboids, segments) {
			s.Counts.Fluid += n.Fluid
			s.Counts.Boundary += n.Boundary
			s.Counts.Opening += n.Opening
			s.Counts.Empty += n.Empty
		}
		for _, x := range cuboid.Crossings(segments, start.Directions) {
			s.CopiedBytes += start.Bytes(x)
		}
		if s.Seconds, err = measure(ctx, c.Grid, c.Cuboids); err != nil {
			return start, nil, fmt.Errorf("balance: measuring %s: %w", c.Name, err)
		}
		samples = append(samples, s)
		if progress != nil {
			progress(float64(i+1) / float64(len(cases)))
		}
	}
	fitted, err := FitCost(start, samples)
	return fitted, samples, err
}

// FitCost fits a cost model to measured steps by least squares of the relative
// errors, with no figure below zero. Figures that the samples say nothing about
// keep those of start.
func FitCost(start Cost, samples []Sample) (Cost, error) {
	features := []struct {
		figure func(c *Cost) *float64
		amount func(s *Sample) float64
	}{
		{func(c *Cost) *float64 { return &c.Fluid }, func(s *Sample) float64 { return float64(s.Counts.Fluid - s.Counts.Boundary) }},
		{func(c *Cost) *float64 { return &c.Boundary }, func(s *Sample) float64 { return float64(s.Counts.Boundary - s.Counts.Opening) }},
		{func(c *Cost) *float64 { return &c.Opening }, func(s *Sample) float64 { return float64(s.Counts.Opening) }},
		{func(c *Cost) *float64 { return &c.Empty }, func(s *Sample) float64 { return float64(s.Counts.Empty) }},
		{func(c *Cost) *float64 { return &c.Cuboid }, func(s *Sample) float64 { return float64(s.Cuboids) }},
		{func(c *Cost) *float64 { return &c.CopyPerByte }, func(s *Sample) float64 { return float64(s.CopiedBytes) }},
	}
	for i := range samples {
		if !(samples[i].Seconds > 0) {
			return start, fmt.Errorf("balance: sample %d took %v s: time more steps", i, samples[i].Seconds)
		}
	}
	fit := start
	fit.Layout = start.Layout
	// Columns whose figure would come out negative are held at zero one after
	// the other: the smallest of all active sets that helps here.
	active := make([]int, 0, len(features))
	for j, f := range features {
		for i := range samples {
			if f.amount(&samples[i]) > 0 && (start.Layout == Dense || j < 3) {
				active = append(active, j)
				break
			}
		}
	}
	for len(active) > 0 {
		a, b := mat.NewDense(len(samples), len(active), nil), mat.NewVecDense(len(samples), nil)
		for i := range samples {
			b.SetVec(i, 1)
			for k, j := range active {
				a.Set(i, k, features[j].amount(&samples[i])/samples[i].Seconds)
			}
		}
		var x mat.VecDense
		if err := x.SolveVec(a, b); err != nil {
			var bad mat.Condition
			if !errors.As(err, &bad) || math.IsInf(float64(bad), 1) {
				return start, fmt.Errorf("balance: the %d measurements do not tell %d costs apart (%w): measure cases that differ more", len(samples), len(active), err)
			}
		}
		worst := -1
		for k := range active {
			if x.AtVec(k) < 0 && (worst < 0 || x.AtVec(k) < x.AtVec(worst)) {
				worst = k
			}
		}
		if worst < 0 {
			for k, j := range active {
				*features[j].figure(&fit) = x.AtVec(k)
			}
			break
		}
		*features[active[worst]].figure(&fit) = 0
		active = append(active[:worst], active[worst+1:]...)
	}
	return fit, fit.Check()
}
