package results

import (
	"slices"
	"sort"

	"carina/output/picture"
	"carina/solver/airflow"
)

// mostSamples bounds a history: when it is full every second sample is
// dropped and the interval doubled, so that memory does not grow with time.
const mostSamples = 2048

// history is the flow through the openings and the pressure there over time.
type history struct {
	interval  int
	waiting   int
	times     []float64
	flows     [][]float64 // by sample, then opening
	pressures [][]float64
}

// add takes a sample if it is time for one. A flow that has gone back forgets what came
// after.
func (h *history) add(time float64, openings []airflow.OpeningSummary) {
	if kept := sort.SearchFloat64s(h.times, time); kept < len(h.times) {
		h.times, h.flows, h.pressures = h.times[:kept], h.flows[:kept], h.pressures[:kept]
		h.waiting = 0
	}
	if h.waiting > 0 {
		h.waiting--
		return
	}
	h.waiting = h.interval
	flows, pressures := make([]float64, len(openings)), make([]float64, len(openings))
	for i, o := range openings {
		flows[i], pressures[i] = o.Flow, o.Pressure
	}
	h.times, h.flows, h.pressures = append(h.times, time), append(h.flows, flows), append(h.pressures, pressures)
	if len(h.times) >= mostSamples {
		h.thin()
	}
}

func (h *history) thin() {
	kept := 0
	for i := 0; i < len(h.times); i += 2 {
		h.times[kept], h.flows[kept], h.pressures[kept] = h.times[i], h.flows[i], h.pressures[i]
		kept++
	}
	h.times, h.flows, h.pressures = h.times[:kept], h.flows[:kept], h.pressures[:kept]
	h.interval = 2*h.interval + 1
}

// at are flow and pressure at the openings at a time, between samples in proportion; nil
// before the first.
func (h *history) at(time float64) (flow, pressure []float64) {
	k := sort.SearchFloat64s(h.times, time)
	switch {
	case k == len(h.times) && k == 0, k == 0 && h.times[0] > time:
		return nil, nil
	case k == len(h.times):
		return h.flows[k-1], h.pressures[k-1]
	case h.times[k] == time:
		return h.flows[k], h.pressures[k]
	}
	share := (time - h.times[k-1]) / (h.times[k] - h.times[k-1])
	between := func(list [][]float64) []float64 {
		mixed := slices.Clone(list[k])
		for i, v := range list[k-1] {
			mixed[i] = v + share*(mixed[i]-v)
		}
		return mixed
	}
	return between(h.flows), between(h.pressures)
}

// chart is the history as a picture shows it.
func (h *history) chart(s *airflow.Summary) picture.History {
	chart := picture.History{
		Title:    flowTitle(s, false) + " through the openings, and pressure there",
		Subtitle: "Flow is positive where air enters; pressure is the mean over an opening.",
		Time:     h.times,
	}
	for i, o := range s.Openings {
		chart.Names = append(chart.Names, o.Name)
		flow, pressure := make([]float64, len(h.flows)), make([]float64, len(h.flows))
		for sample := range h.flows {
			flow[sample], pressure[sample] = h.flows[sample][i], h.pressures[sample][i]
		}
		chart.Flow, chart.Pressure = append(chart.Flow, flow), append(chart.Pressure, pressure)
	}
	return chart
}
