package airflow

import (
	"context"
	"math"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
)

// Air breathed in and out of a fork follows the wave, divides evenly, and comes
// in through the outlets without jets, whatever is imposed there; with BGK and in 16 bits
// behind windkessels, with -everywhere behind all.
func TestBreathing(t *testing.T) {
	race.SkipArithmetic(t)
	const period, steps = 1e-2, 4500 // 1.4 cycles
	resistance := opening.Condition{Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-10}
	for name, conditions := range map[string]map[int]opening.Condition{
		"pressures":   nil,
		"shares":      {2: {Kind: opening.FlowShare, Share: 0.5}, 3: {Kind: opening.FlowShare, Share: 0.5}},
		"windkessels": {2: resistance, 3: resistance},
	} {
		methods := []Settings{{Collision: Automatic, Precision: Single}}
		if name == "windkessels" || *everywhere {
			methods = append(methods, Settings{Collision: BGK, Precision: Half})
		}
		for _, method := range methods {
			g := thinFork()
			s := caveSettings(g)
			s.FlowRate, s.LatticeVelocity, s.Conditions = 5e-7, 0.05, conditions
			s.Collision, s.Precision = method.Collision, method.Precision
			s.Waveform = opening.Sine{Period: period, Amplitude: 1}
			var flowError, splitError float64
			var peaks [2]float64 // of inspiration and expiration
			_, err := RunInProcess(context.Background(), scattered(g, 6, 2, 3, [3]bool{}), s, Plan{Steps: steps, Between: []Between{{Do: func(r *Rank) error {
				o, err := r.OpeningSummaries()
				if err != nil {
					return err
				}
				last, err := r.check(quiet)
				if err != nil || r.Number() > 0 {
					return err
				}
				factor := s.Waveform.Factor(r.Time())
				flowError = max(flowError, math.Abs(o[0].Flow/s.FlowRate-factor))
				splitError = max(splitError, math.Abs(o[1].Flow-o[2].Flow)/s.FlowRate)
				if math.Abs(factor) > 0.5 {
					half := 0
					if factor < 0 {
						half = 1
					}
					peaks[half] = max(peaks[half], last)
				}
				return nil
			}}}})
			if err != nil {
				t.Errorf("%s, %s: %v", name, s.Collision, err)
				continue
			}
			t.Logf("%s, %s: flow off by %.2g, split by %.2g, peaks %.3g and %.3g", name, s.Collision, flowError, splitError, peaks[0], peaks[1])
			if flowError > 0.002 || splitError > 0.005 || peaks[1] > 1.5*peaks[0] {
				t.Errorf("%s, %s: the flow is off by %.2g of its amplitude, the split by %.2g; peak velocities %.3g in, %.3g out",
					name, s.Collision, flowError, splitError, peaks[0], peaks[1])
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		if !*everywhere {
			t.Skip("-everywhere also computes breaths in 16 bits through other outlets")
		}
	})
}

// The time step that is chosen lets sound cross the domain often in a period, and the more
// often the sharper a breath turns; one that does not is warned of.
func TestTimeStepOfWaveform(t *testing.T) {
	g := fork()
	often := math.Sqrt(180 / 0.01)
	// A breath of 4 ms comes in with a slope of π ms⁻¹ and goes out with π/9.
	const bend = math.Pi * (1 - 1./9) * 1e3
	for name, c := range map[string]struct {
		waveform  opening.Waveform
		crossings float64
		power     float64 // of the wanted mismatch in the time step
	}{
		"sine":      {opening.Sine{Period: 2e-3, Amplitude: 1}, often, 0.5},
		"breathing": {opening.Breathing{Period: 4e-3, Inspiration: 0.25}, 1.4 * bend * 2e-3 / 0.01, 1},
		"table":     {&opening.Table{Times: []float64{0, 1e-3, 2e-3}, Values: []float64{0, 1, 0}, Periodic: true}, often, 0.5},
	} {
		s := caveSettings(g)
		s.LatticeVelocity, s.Waveform = 0, c.waveform
		const shortest = 2e-3
		e := expect(g, &s)
		u, warnings, err := chooseUnits(solver.WholeDomain(g), &s, e)
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		if n := shortest / (u.TimeStep * soundCrossing(g)); math.Abs(n-c.crossings) > 1e-6*n {
			t.Errorf("%s: sound crosses the domain %g times in a period", name, n)
		}
		coarse := s
		coarse.Mismatch = 0.04
		times := math.Pow(4, c.power)
		if longer, warnings, _ := chooseUnits(solver.WholeDomain(g), &coarse, e); math.Abs(longer.TimeStep-times*u.TimeStep) > 1e-9*u.TimeStep || len(warnings) > 0 {
			t.Errorf("%s: a mismatch of 4 %% is wanted: %v instead of %g times %v, warnings %q", name, longer.TimeStep, times, u.TimeStep, warnings)
		}
		s.LatticeVelocity = 0.1
		if _, warnings, _ = chooseUnits(solver.WholeDomain(g), &s, e); len(warnings) != 1 || !strings.Contains(warnings[0], "sound") {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		s.LatticeVelocity, s.Waveform = 0, opening.Sine{Period: 1, Amplitude: 1}
		slow, _, _ := chooseUnits(solver.WholeDomain(g), &s, e)
		s.Waveform = nil
		if steady, _, _ := chooseUnits(solver.WholeDomain(g), &s, e); slow != steady {
			t.Errorf("a slow wave changes %v to %v", steady, slow)
		}
	}
}
