package validate

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
)

// breath is what one half of a breathing cycle moves, in m³: through the
// inlet, and through the outlets on either side.
type breath struct{ inlet, left, right float64 }

// breathing is flow in and out of Weibel's airway of three generations, which
// is symmetric: what is prescribed at the inlet, and what symmetry and
// conservation say of the rest, hold at every time.
func (s *suite) breathing() error {
	const diameter, length, period, cycles, litresPerMinute = 18e-3, 36e-3, 2.0, 2.0, 3
	spacing := 1e-3
	if s.options.Quick {
		spacing = 1.6e-3
	}
	surface, _, err := generate.Airway(generate.AirwayOptions{Generations: 2, Diameter: diameter, Length: length})
	if err != nil {
		return err
	}
	grid, err := geometry.Voxelize(s.ctx, surface, geometry.Options{Spacing: spacing})
	if err != nil {
		return err
	}
	settings := airflow.DefaultSettings()
	settings.FlowRate = litresPerMinute * 1e-3 / 60
	settings.Waveform = opening.Sine{Period: period, Amplitude: 1}
	settings.LatticeVelocity = 0.05
	s.options.Change(&settings)

	names := [4]string{"prescribed", "inlet", "outlets left", "outlets right"}
	var curves [len(names)]Curve
	for i, name := range names {
		curves[i].Name, curves[i].Points = name, i%3 == 0 // so that both curves of a pair are seen
	}
	var follows, stored, before float64
	samples := 0
	var halves [2]breath // in, out, of the last cycle
	observe := func(c *airflow.Rank) error {
		openings, err := c.OpeningSummaries()
		if err != nil {
			return err
		}
		var in, left, right float64
		for i, o := range openings {
			switch {
			case grid.Openings[i].Role == geometry.Inlet:
				in += o.Flow
			case grid.Openings[i].Center.X < 0:
				left -= o.Flow
			default:
				right -= o.Flow
			}
		}
		now := c.Time()
		samples++
		wanted := settings.FlowRate * settings.Waveform.Factor(now)
		follows = max(follows, math.Abs(in-wanted)/settings.FlowRate)
		for i, q := range [len(names)]float64{wanted, in, left, right} {
			const sparse = 12
			if curve := &curves[i]; !curve.Points || samples%sparse == 0 {
				curve.X, curve.Y = append(curve.X, now), append(curve.Y, q*60e3)
			}
		}
		if now > (cycles-1)*period {
			stored = max(stored, math.Abs(in-left-right)/settings.FlowRate)
			half := &halves[int(2*now/period)%2]
			half.inlet += in * (now - before)
			half.left += left * (now - before)
			half.right += right * (now - before)
		}
		before = now
		return nil
	}
	if _, err := s.run(solver.WholeDomain(grid), settings, airflow.Plan{Time: cycles * period}, observe, nil); err != nil {
		return fmt.Errorf("computing: %w", err)
	}
	s.plots = append(s.plots, Plot{Name: "breathing", Title: fmt.Sprintf("Breathing in Weibel's airway, %d L/min at most", litresPerMinute),
		XLabel: "time in s", YLabel: "flow in L/min, out of the outlets and into the inlet", Curves: curves[:]})
	name := fmt.Sprintf("breathing, %d cells", grid.Cells())
	s.addError(name, "flow off the wave over its amplitude", follows, 0.01, "prescribed")
	in, out := halves[0], halves[1]
	s.add(name, "share of the left, in", in.left/(in.left+in.right), 0.5, 0.0025, "symmetry")
	s.add(name, "share of the left, out", out.left/(out.left+out.right), 0.5, 0.0025, "symmetry")
	s.addError(name, "volume left behind over a breath's", math.Abs(in.left+in.right+out.left+out.right)/in.inlet, 0.005, "conservation")
	s.addError(name, "in minus out over the amplitude", stored, 0.03, "conservation, but for sound")
	return nil
}
