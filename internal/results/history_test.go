package results

import (
	"math"
	"slices"
	"testing"

	"carina/solver/airflow"
)

func TestHistoryStaysSmallAndEven(t *testing.T) {
	var h history
	const samples = 20 * mostSamples
	for i := range samples {
		h.add(float64(i), []airflow.OpeningSummary{{Flow: float64(2 * i)}, {Flow: -1}})
	}
	n := len(h.times)
	if n >= mostSamples || n < mostSamples/2 {
		t.Fatalf("%d samples are kept of at most %d", n, mostSamples)
	}
	step := h.times[1] - h.times[0]
	for i := range n {
		if h.times[i] != float64(i)*step || h.flows[i][0] != 2*h.times[i] {
			t.Fatalf("sample %d is of time %g with flow %g", i, h.times[i], h.flows[i][0])
		}
	}
	if h.times[n-1] < 0.99*samples-step {
		t.Errorf("the last sample is of time %g of %d", h.times[n-1], samples)
	}
}

// A flow that has gone back leaves no samples of what it has not computed in the end.
func TestHistoryGoesBack(t *testing.T) {
	var h history
	for _, time := range []float64{1, 2, 3, 4, 2.5, 3.5} {
		h.add(time, []airflow.OpeningSummary{{Flow: 10 * time}})
	}
	if want := []float64{1, 2, 2.5, 3.5}; !slices.Equal(h.times, want) || len(h.flows) != len(want) || h.flows[2][0] != 25 || len(h.pressures) != len(want) {
		t.Errorf("times %v with flows %v, want %v", h.times, h.flows, want)
	}
}

// Between samples flow and pressure lie on straight lines.
func TestHistoryAt(t *testing.T) {
	var h history
	if flow, _ := h.at(1); flow != nil {
		t.Errorf("nothing is known, but %v", flow)
	}
	for _, time := range []float64{1, 2, 4} {
		h.add(time, []airflow.OpeningSummary{{Flow: time, Pressure: -3 * time}})
	}
	for time, want := range map[float64]float64{1: 1, 1.5: 1.5, 2: 2, 3.5: 3.5, 4: 4, 9: 4} {
		flow, pressure := h.at(time)
		if len(flow) != 1 || math.Abs(flow[0]-want) > 1e-12 || math.Abs(pressure[0]+3*want) > 1e-12 {
			t.Errorf("at %g: %v, %v", time, flow, pressure)
		}
	}
	if flow, _ := h.at(0.5); flow != nil {
		t.Errorf("before the first sample: %v", flow)
	}
}
