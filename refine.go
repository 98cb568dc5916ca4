package carina

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/internal/convergence"
	"carina/internal/quantity"
	"carina/solver/airflow"
)

// RefinementRatio is the ratio of the spacings that follow each other in a
// refinement. Of ratios below 1.3 little is learnt (Celik and others 2008, J. Fluids
// Eng. 130: 078001); with this one, all coarser spacings together take a third of the
// time of the finest.
const RefinementRatio = 1.4

// Level is a flow on one spacing of a refinement, in SI units.
type Level struct {
	Spacing      float64 `json:"spacing_m"`
	FluidCells   int64   `json:"fluid_cells"`
	TimeStep     float64 `json:"time_step_s"`
	Steps        int64   `json:"steps"`
	Seconds      float64 `json:"seconds"`
	PressureDrop float64 `json:"pressure_drop_pa"`
	// PressureError is by how much the pressure drop of a longer run may differ.
	PressureError float64 `json:"pressure_drop_error_pa,omitempty"`
	// Shares are those of the outlets in what leaves, by opening, 0 at inlets, and
	// ShareErrors by how much those of a longer run may differ.
	Shares      []float64 `json:"shares"`
	ShareErrors []float64 `json:"share_errors"`
	// Inflow is what enters through all openings, InflowError by how much that of a longer
	// run may differ.
	Inflow      float64 `json:"inflow_m3_per_s"`
	InflowError float64 `json:"inflow_error_m3_per_s,omitempty"`
	// Closed are the numbers of openings that meet no cell of this spacing.
	Closed []int `json:"closed_openings,omitempty"`
}

// newLevel takes what a refinement needs of the flow on a grid.
func newLevel(g *geometry.Grid, s *airflow.Summary) Level {
	l := Level{Spacing: g.Spacing, FluidCells: s.FluidCells, TimeStep: s.TimeStep, Steps: s.Steps, Seconds: s.Seconds,
		PressureDrop: s.PressureDrop, Shares: make([]float64, len(s.Openings)), ShareErrors: make([]float64, len(s.Openings))}
	var out float64
	for _, o := range s.Openings {
		out += max(0, -o.Flow)
		l.Inflow += max(0, o.Flow)
	}
	for i, o := range s.Openings {
		if o.Flow < 0 {
			l.Shares[i] = -o.Flow / out
		}
	}
	l.know(s)
	meets := g.Links.Meet(len(g.Openings))
	for i, o := range g.Openings {
		if !meets[i] {
			l.Closed = append(l.Closed, o.Number)
		}
	}
	return l
}

// know takes what the run found of its own errors: where the flow fluctuates, means
// stand in the place of the values at the end.
func (l *Level) know(s *airflow.Summary) {
	for _, k := range s.Known {
		switch {
		case k.Opening == 0 && k.Name == "pressure drop":
			l.PressureDrop, l.PressureError = math.Copysign(k.Value, l.PressureDrop), k.Error
		case k.Opening == 0 && k.Name == "inflow":
			l.Inflow, l.InflowError = k.Value, k.Error
		}
		for i, o := range s.Openings {
			if k.Opening == o.Number && l.Shares[i] > 0 {
				l.Shares[i], l.ShareErrors[i] = k.Value, k.Error
			}
		}
	}
}

// Extrapolated is a number of the flow and how far the limit of ever finer spacings
// may be from it.
type Extrapolated struct {
	Value       float64 `json:"value"`
	Uncertainty float64 `json:"uncertainty"`
	// Order is the observed order of convergence, 0 where none was observed.
	Order float64 `json:"order,omitempty"`
	// Used is the order by which value and uncertainty go with the spacing: the observed
	// one, at most the second, or an assumed one; 0 where the spacing makes no difference.
	Used float64 `json:"used_order,omitempty"`
	// Basis says how value and uncertainty were found.
	Basis string `json:"basis"`
}

// Low is the lower bound of the limit.
func (e Extrapolated) Low() float64 { return e.Value - e.Uncertainty }

// High is the upper bound of the limit.
func (e Extrapolated) High() float64 { return e.Value + e.Uncertainty }

// Relative is the uncertainty over the value, 0 where there is none.
func (e Extrapolated) Relative() float64 { return convergence.Estimate(e).Relative() }

// Known tells whether the sign of the limit is known, without which no limit is.
func (e Extrapolated) Known() bool { return convergence.Estimate(e).Known() }

// Words say what the limit is, in numbers that write writes; finest is the value on the
// finest spacing.
func (e Extrapolated) Words(finest float64, write func(float64) string) string {
	return convergence.Estimate(e).Words(finest, write)
}

// ShareWords say what the limit of a share is, within 0 and 100 %.
func (e Extrapolated) ShareWords() string { return convergence.Estimate(e).ShareWords() }

// ShareLimit is the share of an outlet.
type ShareLimit struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Extrapolated
}

// Refinement is a flow on several spacings, and what it tends to.
type Refinement struct {
	// Levels are the spacings, the finest first.
	Levels       []Level      `json:"levels"`
	PressureDrop Extrapolated `json:"pressure_drop_pa"`
	// Resistance is the pressure drop over the inflow, in Pa·s/m³, which is extrapolated by
	// itself: where pressures are imposed, the inflow is what the spacing changes.
	Resistance Extrapolated `json:"resistance_pa_s_per_m3"`
	// Shares are those of the outlets. Value and uncertainty are as extrapolated, also where
	// they reach below 0 or above 1.
	Shares []ShareLimit `json:"shares"`
	// Notes say which spacings do not count, and why.
	Notes []string `json:"notes,omitempty"`
}

// Counted are the levels that count: those on which the same openings are closed as on
// the finest.
func (r *Refinement) Counted() []Level {
	return slices.DeleteFunc(slices.Clone(r.Levels), func(l Level) bool { return !slices.Equal(l.Closed, r.Levels[0].Closed) })
}

// LeastKnown is what is known least of the pressure drop and the resistance, and its name: one
// of them may be imposed. Where they are known alike it is the pressure drop.
func (r *Refinement) LeastKnown() (name string, of Extrapolated) {
	const alike = 1.001
	if r.Resistance.Relative() > alike*r.PressureDrop.Relative() {
		return "resistance", r.Resistance
	}
	return "pressure drop", r.PressureDrop
}

// enoughSpacings are those that an accuracy takes: of two, an order can only be assumed.
const enoughSpacings = 3

// Enough tells whether so many spacings count that an accuracy can be reached.
func (r *Refinement) Enough() bool { return r != nil && len(r.Counted()) >= enoughSpacings }

// Reaches tells whether pressure drop and resistance are known to an accuracy, of three
// spacings that count.
func (r *Refinement) Reaches(accuracy float64) bool {
	if !r.Enough() {
		return false
	}
	_, least := r.LeastKnown()
	return least.Relative() <= accuracy
}

// NewRefinement extrapolates from levels on the same openings, the finest first. A
// level on which other openings are closed than on the finest is another flow: it does
// not count, and a note says so.
func NewRefinement(levels []Level, openings []Opening) (*Refinement, error) {
	if err := checkLevels(levels, openings); err != nil {
		return nil, err
	}
	r := &Refinement{Levels: levels}
	for _, l := range levels {
		if !slices.Equal(l.Closed, levels[0].Closed) {
			r.Notes = append(r.Notes, fmt.Sprintf("at %s %s no cell: the flow is another there, which does not count", quantity.FormatLength(l.Spacing), meet(l.Closed, levels[0].Closed)))
		}
	}
	counted := r.Counted()
	var err error
	if r.PressureDrop, err = extrapolate(counted, func(l *Level) (float64, float64) { return l.PressureDrop, l.PressureError }); err != nil {
		if len(r.Notes) > 0 {
			err = fmt.Errorf("%s: choose a smaller spacing, or close the openings with --drop-opening", strings.Join(r.Notes, "; "))
		}
		return nil, err
	}
	if !slices.ContainsFunc(counted, func(l Level) bool { return l.Inflow == 0 }) {
		if r.Resistance, err = extrapolate(counted, (*Level).resistanceWithError); err != nil {
			return nil, err
		}
	}
	for i, o := range openings {
		if levels[0].Shares[i] == 0 {
			continue
		}
		share, err := extrapolate(counted, func(l *Level) (float64, float64) { return l.Shares[i], l.ShareErrors[i] })
		if err != nil {
			return nil, err
		}
		r.Shares = append(r.Shares, ShareLimit{o.Number, o.Name, share})
	}
	return r, nil
}

// Resistance is that of a level, the pressure drop over the inflow, in Pa·s/m³; 0 where
// nothing flows.
func (l *Level) Resistance() float64 {
	if l.Inflow == 0 {
		return 0
	}
	return l.PressureDrop / l.Inflow
}

// resistanceWithError is that of a level where air flows, and its error.
func (l *Level) resistanceWithError() (value, err float64) {
	return l.Resistance(), math.Hypot(l.PressureError, l.Resistance()*l.InflowError) / l.Inflow
}

// checkLevels refuses levels that are none of a flow through these openings.
func checkLevels(levels []Level, openings []Opening) error {
	if len(levels) == 0 {
		return errors.New("no spacing shows no limit: give the levels of two or three")
	}
	for i := range levels {
		l := &levels[i]
		if len(l.Shares) < len(openings) || len(l.ShareErrors) < len(openings) {
			return fmt.Errorf("on a spacing of %s there are %s with %s, of %s: give each opening one of both", quantity.FormatLength(l.Spacing),
				quantity.Count(len(l.Shares), "share"), quantity.Count(len(l.ShareErrors), "error"), quantity.Count(len(openings), "opening"))
		}
		if !(l.Inflow >= 0) || math.IsInf(l.Inflow, 0) {
			return fmt.Errorf("on a spacing of %s the inflow is %g: give what enters, in m³/s", quantity.FormatLength(l.Spacing), l.Inflow)
		}
	}
	return nil
}

// meet says which openings are closed on one of two grids only.
func meet(a, b []int) string {
	var numbers []int
	for _, list := range [2][2][]int{{a, b}, {b, a}} {
		for _, n := range list[0] {
			if !slices.Contains(list[1], n) {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	verb := "meets"
	if len(numbers) > 1 {
		verb = "meet"
	}
	return fmt.Sprintf("%s %s %s", quantity.Plural(len(numbers), "opening"), strings.Join(words, ", "), verb)
}

// extrapolate takes a number of each level with its standard error to its limit.
func extrapolate(levels []Level, of func(*Level) (value, err float64)) (Extrapolated, error) {
	points := make([]convergence.Point, len(levels))
	for i := range levels {
		points[i].Spacing = levels[i].Spacing
		value, unsure := of(&levels[i])
		points[i].Value, points[i].Error = value, unsure/2 // two standard errors
	}
	e, err := convergence.Of(points)
	return Extrapolated(e), err
}

// WantedAccuracy is the accuracy that the case asks for, relative, 0 where it asks for
// none. It refuses what makes no refinement.
func (c *Case) WantedAccuracy() (float64, error) {
	switch {
	case c.Refine < 0 || c.Refine == 1 || c.Refine > 3:
		return 0, fmt.Errorf("a refinement of %s is not computed: choose 2 or 3", quantity.Count(c.Refine, "spacing"))
	case c.Accuracy != "" && c.Refine > 0:
		return 0, errors.New("an accuracy chooses the number of spacings: leave refine out")
	case (c.Accuracy != "" || c.Refine > 0) && c.Unsteady():
		return 0, errors.New("a flow that a waveform changes is not extrapolated: leave refine and accuracy out, or the waveform")
	case (c.Accuracy != "" || c.Refine > 0) && c.Steps > 0:
		return 0, errors.New("so many steps are another time on each spacing: give a time, or leave it out to compute until the flow is steady")
	case c.Accuracy == "":
		return 0, nil
	}
	v, err := parsePercent(c.Accuracy)
	if err != nil || !(v >= 0.001 && v <= 0.5) {
		return 0, fmt.Errorf("%q is no accuracy: give one from 0.1%% to 50%%, such as 5%%", c.Accuracy)
	}
	return v, nil
}

// parsePercent reads a part in percent, such as 5%, or as a number, such as 0.05.
func parsePercent(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	return v, err
}
