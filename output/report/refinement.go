package report

import (
	"fmt"

	"carina/internal/convergence"
	"carina/internal/quantity"
)

// refinement is what is read of the flow on several spacings.
type refinement struct {
	Levels []struct {
		Spacing      float64 `json:"spacing_m"`
		FluidCells   int64   `json:"fluid_cells"`
		Steps        int64   `json:"steps"`
		Inflow       float64 `json:"inflow_m3_per_s"`
		PressureDrop float64 `json:"pressure_drop_pa"`
	} `json:"levels"`
	PressureDrop convergence.Estimate `json:"pressure_drop_pa"`
	Resistance   convergence.Estimate `json:"resistance_pa_s_per_m3"`
	Shares       []struct {
		Number int    `json:"number"`
		Name   string `json:"name"`
		convergence.Estimate
	} `json:"shares"`
	Notes []string `json:"notes"`
}

// refinementWords say what is to be known of other spacings besides numbers.
func (s *summary) refinementWords() []string {
	r := s.Refinement
	if r == nil || len(r.Levels) == 0 {
		if s.of.Changing {
			return []string{"It was computed on one spacing: another run on a smaller one tells what that changes."}
		}
		if !s.asked() {
			return []string{"It was computed on one spacing: --refine=2 tells what finer ones tend to."}
		}
		return []string{"Too few spacings were computed to tell what finer ones tend to."}
	}
	words := fmt.Sprintf("It was computed on %s, which stand below with what ever finer ones tend to: about 95 times of 100 that lies in the range.", quantity.Count(len(r.Levels), "spacing"))
	if s.Interrupted {
		words = fmt.Sprintf("Before this flow, which was interrupted, %s were computed, which stand below with what ever finer ones tend to: about 95 times of 100 that lies in the range.", quantity.Count(len(r.Levels), "spacing"))
	}
	list := []string{words}
	for _, note := range r.Notes {
		list = append(list, "Of the spacings: "+note+".")
	}
	return list
}

// asked tells whether the case asks for several spacings.
func (s *summary) asked() bool {
	if s.Provenance == nil {
		return false
	}
	c := s.Provenance.Case
	return c["refine"] != nil || c["accuracy"] != nil
}

// tables are the levels, and the limits.
func (r *refinement) tables() []*table {
	if len(r.Levels) == 0 {
		return nil
	}
	levels := &table{Heading: []string{"spacing", "cells", "steps", "inflow", "pressure drop"}}
	inflows := make([]float64, len(r.Levels))
	for i, l := range r.Levels {
		inflows[i] = l.Inflow
	}
	flows := quantity.FormatFlows(inflows...)
	for i, l := range r.Levels {
		levels.Rows = append(levels.Rows, []string{quantity.FormatLength(l.Spacing), quantity.Grouped(l.FluidCells), quantity.Grouped(l.Steps), flows[i], quantity.Format(l.PressureDrop, "Pa")})
	}
	limits := &table{Heading: []string{"in the limit of finer spacings", "value", "observed order", "found by"}}
	add := func(name, value string, e *convergence.Estimate) {
		order := "–"
		if e.Order > 0 {
			order = fmt.Sprintf("%.2g", e.Order)
		}
		limits.Rows = append(limits.Rows, []string{name, value, order, e.Basis})
	}
	in := func(unit string) func(float64) string {
		return func(v float64) string { return quantity.Format(v, unit) }
	}
	finest := &r.Levels[0]
	add("pressure drop", r.PressureDrop.Range(finest.PressureDrop, in("Pa")), &r.PressureDrop)
	if r.Resistance.Value != 0 && finest.Inflow != 0 {
		add("resistance", r.Resistance.Range(finest.PressureDrop/finest.Inflow, in("Pa·s/m³")), &r.Resistance)
	}
	for i := range r.Shares {
		share := &r.Shares[i]
		add(fmt.Sprintf("share of opening %d %s", share.Number, share.Name), share.ShareRange(), &share.Estimate)
	}
	return []*table{levels, limits}
}
