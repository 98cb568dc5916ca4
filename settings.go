package carina

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/airflow/opening"
)

// Settings translates what the case says of the flow.
func (c *Case) Settings() (airflow.Settings, error) {
	s := c.method()
	if c.Storage == string(airflow.Half) && c.Precision == string(airflow.Double) {
		return s, errors.New("16-bit storage is for single precision: leave storage or precision out")
	}
	for _, q := range []struct {
		name, text string
		parse      func(string) (float64, error)
		value      *float64
	}{
		{"flow", c.Flow, quantity.Flow.Parse, &s.FlowRate},
		{"viscosity", c.Viscosity, quantity.Viscosity.ParsePositive, &s.KinematicViscosity},
		{"density", c.Density, quantity.Density.ParsePositive, &s.Density},
		{"time step", c.TimeStep, quantity.Time.ParsePositive, &s.TimeStep},
		{"mismatch", c.Mismatch, quantity.Part.ParsePositive, &s.Mismatch},
	} {
		if q.text == "" {
			continue
		}
		var err error
		if *q.value, err = q.parse(q.text); err != nil {
			return s, fmt.Errorf("%s: %w", q.name, err)
		}
	}
	if c.LatticeVelocity != 0 {
		s.LatticeVelocity = c.LatticeVelocity
	}
	s.Smagorinsky = c.Smagorinsky
	var err error
	if s.Waveform, err = c.parseWaveform(c.Waveform); err != nil {
		return s, err
	}
	return s, s.Validate()
}

// method is what the case chooses by name.
func (c *Case) method() airflow.Settings {
	s := airflow.DefaultSettings()
	setIfGiven(&s.Collision, c.Collision)
	setIfGiven(&s.Wall, c.Wall)
	setIfGiven(&s.Precision, c.Precision)
	if c.Storage == string(airflow.Half) {
		s.Precision = airflow.Half
	}
	setIfGiven(&s.Lattice, c.Lattice)
	setIfGiven(&s.Layout, c.Layout)
	setIfGiven(&s.Profile, c.Profile)
	return s
}

// setIfGiven sets a named choice unless the text is empty.
func setIfGiven[T ~string](choice *T, text string) {
	if text != "" {
		*choice = T(text)
	}
}

// Check finds the mistakes in a case that can be found before its surface is
// read, so that nobody waits for them.
func (c *Case) Check() error {
	if err := c.PartitionCase.check(); err != nil {
		return err
	}
	if err := c.CheckRanks(); err != nil {
		return err
	}
	return c.CheckFlow()
}

// CheckFlow is Check for a case whose geometry and ranks are settled.
func (c *Case) CheckFlow() error {
	if err := c.CheckNames(); err != nil {
		return err
	}
	if err := c.checkLobes(); err != nil {
		return err
	}
	if _, err := c.series(1); err != nil {
		return err
	}
	if c.Steps < 0 {
		return fmt.Errorf("%d steps cannot be computed: give a positive number", c.Steps)
	}
	if c.Time != "" {
		if c.Steps > 0 {
			return errors.New("give either a number of steps or a time, not both")
		}
		if _, err := quantity.Time.ParsePositive(c.Time); err != nil {
			return err
		}
	}
	if c.mayUse(GPU) && c.Layout == string(airflow.Dense) {
		return fmt.Errorf("the %s layout is not computed on a GPU: leave it out, or compute on the processor", airflow.Dense)
	}
	if err := c.checkContradictions(); err != nil {
		return err
	}
	for i := range c.Conditions {
		if _, err := c.condition(&c.Conditions[i]); err != nil {
			return fmt.Errorf("condition of opening %s: %w", c.Conditions[i].Opening, err)
		}
	}
	settings, err := c.Settings()
	if err == nil {
		settings.Conditions = map[int]opening.Condition{}
		for i := range c.Conditions {
			settings.Conditions[i], _ = c.condition(&c.Conditions[i]) // checked above
		}
		_, err = c.averaging(settings.Period())
	}
	if err == nil && settings.FlowRate == 0 && c.Steps == 0 && c.Time == "" && !slices.ContainsFunc(c.Conditions, imposesFlow) {
		return errNoEnd
	}
	return err
}

// errNoEnd is the mistake of a case that says neither how long to compute nor how
// much air flows.
var errNoEnd = errors.New("without a flow the program cannot tell how long to compute: give --time or --steps")

func imposesFlow(k ConditionCase) bool { return k.Kind == string(opening.ImposedFlow) }

// checkContradictions refuses what cannot be meant together and what has no
// effect.
func (c *Case) checkContradictions() error {
	if !(c.Tolerance >= 0 && c.Tolerance < 1) {
		return fmt.Errorf("a tolerance of %g tells nothing steady: give one between 0 and 1, such as 5e-3", c.Tolerance)
	}
	switch {
	case c.TimeStep != "" && c.LatticeVelocity != 0:
		return errors.New("a time step and a lattice velocity contradict each other: give either time-step or lattice-velocity, not both")
	case c.Storage == string(gpu.Single) && c.Precision == string(airflow.Half):
		return errors.New("half precision is single precision with 16-bit storage: leave storage or precision out")
	case c.Exchange != "" && !c.mayUse(GPU):
		return errors.New("an exchange is for GPUs: leave it out, or compute with device gpu")
	}
	return nil
}

// steadyTolerance is the relative error within which the pressure drop and the shares
// of all openings are known of a flow that is called steady, unless the case says
// otherwise.
const steadyTolerance = 5e-3

// FlowOn is what the case says of the flow on a grid, and for how long to compute
// it. The grid may be the part that one rank knows; cells are those of the whole.
func (c *Case) FlowOn(g *geometry.Grid, cells int64) (s airflow.Settings, plan airflow.Plan, err error) {
	if s, err = c.Settings(); err != nil {
		return s, plan, err
	}
	if s.Conditions, err = c.conditions(g); err != nil {
		return s, plan, err
	}
	if plan, err = c.plan(g, cells, s); err != nil {
		return s, plan, err
	}
	if g.Cells() != cells {
		return s, plan, c.checkRoles(g)
	}
	return s, plan, c.checkOpenings(g)
}

// plan says how long to compute: the case's steps or time, or else until the
// flow is steady, or each of its cycles, at most until the air in the lumen has been
// exchanged ten times after the start; three times from the beginning, but once after
// the start, where it fluctuates too much for more time to help, and three times where a
// waveform without a period changes it, which is never called steady and is computed to its
// end.
func (c *Case) plan(g *geometry.Grid, cells int64, s airflow.Settings) (airflow.Plan, error) {
	plan := airflow.Plan{Steps: c.Steps, Tolerance: c.Tolerance}
	period := s.Period()
	var err error
	if plan.Statistics, err = c.averaging(period); err != nil {
		return plan, err
	}
	watched := !c.Unsteady() || period > 0
	if watched {
		plan.Watch = steadyTolerance
	}
	switch {
	case c.Steps > 0:
		return plan, nil
	case c.Time != "":
		plan.Time, err = quantity.Time.ParsePositive(c.Time)
		return plan, err
	}
	flow := s.Inflow(g)
	if flow == 0 && c.Flow != "" {
		flow = math.Abs(s.FlowRate)
	}
	if flow == 0 {
		return plan, errNoEnd
	}
	const usual, most = 3, 10 // exchanges of the air
	const usualCycles, mostCycles = 4, 10
	exchange := float64(cells) * g.Spacing * g.Spacing * g.Spacing / flow
	if !watched {
		plan.Time = max(usual*exchange, s.WaveformsEnd())
		return plan, nil
	}
	if plan.Tolerance == 0 {
		plan.Tolerance = steadyTolerance
	}
	plan.Least, plan.Time, plan.AfterStart = usual*exchange, most*exchange, period == 0
	if period > 0 {
		plan.Least, plan.Time = max(plan.Least, usualCycles*period), math.Ceil(max(plan.Time, mostCycles*period)/period)*period
	}
	return plan, nil
}

// Unsteady tells whether a waveform keeps the flow changing.
func (c *Case) Unsteady() bool {
	return c.Waveform != "" || slices.ContainsFunc(c.Conditions, func(k ConditionCase) bool { return k.Waveform != "" })
}

// checkOpenings says whether air can flow through the grid.
func (c *Case) checkOpenings(g *geometry.Grid) error {
	if err := c.checkRoles(g); err != nil {
		return err
	}
	// An opening that meets no cell stays closed.
	meets := g.Links.Meet(len(g.Openings))
	var closed []string
	open := 0
	for i, o := range g.Openings {
		switch {
		case meets[i]:
			open++
		case o.Role == geometry.Outlet:
			closed = append(closed, strconv.Itoa(o.Number))
		}
	}
	if open == 1 && len(closed) == len(g.Openings)-1 && len(closed) > 0 {
		return fmt.Errorf("air has no way out, as no cell meets %s %s: choose a smaller spacing, or cut the lumen where it is wider",
			quantity.Plural(len(closed), "outlet"), strings.Join(closed, ", "))
	}
	return nil
}

// checkRoles says whether air can enter and leave by the roles of the openings.
func (c *Case) checkRoles(g *geometry.Grid) error {
	settings, err := c.Settings()
	if err != nil || settings.FlowRate == 0 {
		return err
	}
	count := map[geometry.Role]int{}
	for _, o := range g.Openings {
		count[o.Role]++
	}
	if (count[geometry.Inlet] == 0 || count[geometry.Outlet] == 0) && len(c.DropOpenings) > 0 {
		return fmt.Errorf("the geometry has %s and %s left, as %s %s dropped, and air needs one of each at least: drop fewer",
			quantity.Count(count[geometry.Inlet], "inlet"), quantity.Count(count[geometry.Outlet], "outlet"),
			quantity.Count(len(c.DropOpenings), "opening"), quantity.Was(len(c.DropOpenings)))
	}
	if count[geometry.Inlet] == 0 || count[geometry.Outlet] == 0 {
		return fmt.Errorf("the geometry has %s and %s, air needs one of each at least: name openings with --opening, for which carina inspect suggests places",
			quantity.Count(count[geometry.Inlet], "inlet"), quantity.Count(count[geometry.Outlet], "outlet"))
	}
	return nil
}
