package airflow

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/steadiness"

	"github.com/google/go-cmp/cmp"
)

// The grain is that of brute force over all cells, and known for waves: for one
// of length 2 it is two, for a long one small.
func TestGrain(t *testing.T) {
	g := cave(4, [3]bool{})
	random := rand.New(rand.NewPCG(1, 2))
	f := newFields(int(g.Cells()))
	for a := range 3 {
		for i := range f.Velocity[a] {
			f.Velocity[a][i] = float32(random.NormFloat64())
		}
	}
	find := newCellFinder(g)
	var first, second float64
	cell := 0
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			for a := range 3 {
				var step [3]int32
				step[a] = 1
				low, high := find.number(x-step[0], r.Y-step[1], r.Z-step[2]), find.number(x+step[0], r.Y+step[1], r.Z+step[2])
				if low < 0 || high < 0 {
					continue
				}
				for b := range 3 {
					u := f.Velocity[b]
					down, up := float64(u[cell]-u[low]), float64(u[high]-u[cell])
					first += (down*down + up*up) / 2
					second += (up - down) * (up - down)
				}
			}
			cell++
		}
	}
	if got, want := Grain(g, f), math.Sqrt(second/first); math.Abs(got-want) > 1e-12*want {
		t.Errorf("the grain of noise is %g, want %g", got, want)
	}
	wave := func(length float64) float64 {
		i := 0
		for _, r := range g.Runs {
			for x := r.X0; x < r.X1; x++ {
				for a := range 3 {
					f.Velocity[a][i] = 0
				}
				f.Velocity[1][i] = float32(math.Cos(2 * math.Pi * float64(x) / length))
				i++
			}
		}
		return Grain(g, f)
	}
	if short := wave(2); math.Abs(short-2) > 1e-6 {
		t.Errorf("the grain of a wave of two cells is %g, want 2", short)
	}
	if long := wave(32); long > 0.25 {
		t.Errorf("the grain of a wave of 32 cells is %g", long)
	}
}

// In a pipe the fluid's viscosity dissipates what the openings give, and y⁺ at the wall
// is that of Hagen and Poiseuille, on any number of ranks.
func TestResolutionOfPipe(t *testing.T) {
	race.SkipArithmetic(t)
	const diameter, across, flow = 0.01, 21, 1e-6
	g := pipe(0, across, 24, diameter)
	s := DefaultSettings()
	s.FlowRate, s.Profile = flow, opening.Parabolic
	var all []*Resolution
	for _, domain := range []*solver.Domain{solver.WholeDomain(g), scattered(g, 5, 3, 1, [3]bool{})} {
		summary, err := RunInProcess(context.Background(), domain, s, Plan{Steps: 20000, Tolerance: 5e-3})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, summary.Resolution)
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" {
		t.Errorf("three ranks tell something else:\n%s", diff)
	}
	r := all[0]
	const radius = diameter / 2
	mean := flow / (math.Pi * radius * radius)
	want := 8 * math.Pi * s.KinematicViscosity * s.Density * mean * mean * 24 * g.Spacing
	if math.Abs(r.Viscous-want) > 0.05*want || r.Eddy != 0 || r.Power == nil || math.Abs(*r.Power-want) > 0.05*want || r.Resolved < 0.95 {
		t.Errorf("%+v, want a dissipation of %g W", r, want)
	}
	highest := g.Spacing / 2 * math.Sqrt(4*mean/radius/s.KinematicViscosity)
	if r.YPlusMax > 1.02*highest || r.YPlusMax < 0.9*highest || r.YPlus > r.YPlusMax || r.YPlus < 0.8*highest {
		t.Errorf("y⁺ %g, %g at most, want %g", r.YPlus, r.YPlusMax, highest)
	}
	if re := 2 * mean * g.Spacing / s.KinematicViscosity; math.Abs(r.CellReynolds-re) > 0.02*re || math.Abs(r.CellsAcross-across) > 0.01 {
		t.Errorf("cell Reynolds number %g, want %g; %g cells across", r.CellReynolds, re, r.CellsAcross)
	}
}

// Where the limiter acts, what it dissipates is not resolved.
func TestLimiterIsNotResolution(t *testing.T) {
	race.SkipArithmetic(t)
	g := fork()
	s := caveSettings(g)
	s.FlowRate, s.LatticeVelocity = 1e-4, 0.1
	var fields *ResolutionFields
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 600, Visit: func(r *Rank) (err error) {
		fields, err = r.ResolutionFields(must(r.Fields()))
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	checkResolutionFields(t, fields, summary)
	r := summary.Resolution
	if !(*summary.Limited > 0) || !(r.Eddy > 0) || math.Abs(r.Resolved-r.Viscous/(r.Viscous+r.Eddy)) > 1e-12 || r.Power != nil {
		t.Errorf("the limiter acts in %g of the cells: %+v", *summary.Limited, r)
	}
}

// checkResolutionFields compares those of all cells with what the summary tells of them.
func checkResolutionFields(t *testing.T, fields *ResolutionFields, summary *Summary) {
	t.Helper()
	var limited, walls int
	var sum float64
	for i, resolved := range fields.Resolved {
		if resolved < 1 {
			limited++
		}
		if y := fields.YPlus[i]; y > 0 {
			walls, sum = walls+1, sum+float64(y)
		}
	}
	want := summary.Resolution
	near := func(a float32, b float64) bool { return math.Abs(float64(a)-b) < 1e-5*b }
	if !near(slices.Max(fields.CellReynolds), want.CellReynolds) || !near(slices.Max(fields.YPlus), want.YPlusMax) || !near(float32(sum/float64(walls)), want.YPlus) {
		t.Errorf("cell Reynolds number to %g, y⁺ to %g, %g in the mean, want %+v", slices.Max(fields.CellReynolds), slices.Max(fields.YPlus), sum/float64(walls), want)
	}
	if part := float64(limited) / float64(len(fields.Resolved)); math.Abs(part-*summary.Limited) > 0.002 || !(slices.Min(fields.Resolved) > 0) {
		t.Errorf("the limiter acts in %g of the cells by fields, %g by the summary", part, *summary.Limited)
	}
}

// What is said of pressure drops on coarse cells is what they were above those on the
// finest: in the central airway the flow in L/min, the cells across the inlet, the cell
// Reynolds number and the part.
func TestExcess(t *testing.T) {
	for _, c := range []struct{ flow, across, reynolds, want float64 }{
		{15, 6.8, 463, 1.76}, {15, 11.7, 250, 0.60}, {15, 14.7, 182, 0.30}, {15, 19.9, 132, 0.19}, {15, 43, 61, 0.044}, {15, 54.1, 48, 0.026},
		{60, 6.8, 1865, 3.83}, {60, 11.7, 1062, 1.80}, {60, 14.7, 698, 1.07}, {60, 19.9, 517, 0.77}, {60, 43, 248, 0.17},
		{1, 11.7, 18.5, 0.02}, {1, 19.9, 10.5, 0.00},
	} {
		r := Resolution{CellReynolds: c.reynolds, CellsAcrossWidest: c.across, Viscous: 0.9, Eddy: 0.1, Resolved: 0.9}
		if got, known := r.Excess(); !known || math.Abs(got.Most-c.want) > c.want/3+0.01 || got.Least != got.Most {
			t.Errorf("%g L/min, %g cells across: the pressure drop is said to be %+v of itself too high, was %.3g", c.flow, c.across, got, c.want)
		}
	}
	power := 1.0
	// A whole airway at 5 L/min, a lumen of a CT scan at 0.5 and a tree of tubes at 30 on 10⁵
	// cells, against ten times as many, and the central airway turned, against the finest.
	for _, c := range []struct {
		across, widest, reynolds, resolved, want float64
		rough                                    bool
	}{{0.74, 18.9, 176, 0.439, 1.33, true}, {2.76, 14.6, 116, 0.531, 0.73, true}, {2.33, 18.7, 207, 0.760, 0.43, true}, {2.63, 11.7, 241, 0.553, 0.67, true}, {4.5, 19.9, 140, 0.847, 0.18, false}} {
		r := Resolution{CellsAcross: c.across, CellsAcrossWidest: c.widest, CellReynolds: c.reynolds, Viscous: c.resolved, Eddy: 0.1, Resolved: c.resolved, Power: &power}
		if got, known := r.Excess(); !known || got.Rough != c.rough || got.Least > 1.05*c.want || !got.Rough && got.Most < 0.95*c.want || got.Most < 0.7*c.want {
			t.Errorf("%+v: the pressure drop is said to be %+v of itself too high, was %.3g", c, got, c.want)
		}
	}
	for _, c := range []struct {
		Resolution
		known bool
		want  float64
	}{{Resolution{CellsAcross: 5}, false, 0}, {Resolution{CellsAcross: 5, Viscous: 1, Resolved: 1}, false, 0}, {Resolution{CellsAcross: 5, Viscous: 0.8, Resolved: 0.8, Power: &power}, true, 0.25}} {
		if got, known := c.Excess(); known != c.known || math.Abs(got.Least-c.want) > 1e-12 || got.Most != got.Least {
			t.Errorf("%+v: %+v (known %v), want %g (%v)", c.Resolution, got, known, c.want, c.known)
		}
	}
}

// Where pressures drive the air, they give what is dissipated and what leaves with it: a
// pressure where air enters is that of air at rest outside. Of a drop that is imposed nothing
// is said.
func TestPowerOfPressures(t *testing.T) {
	race.SkipArithmetic(t)
	const diameter, across, drop = 0.01, 15, 5e-3
	g := pipe(0, across, 4*across, diameter)
	g.Narrow = []geometry.Narrow{{Area: math.Pi / 4 * 9 * g.Spacing * g.Spacing}, {Area: math.Pi / 4 * 25 * g.Spacing * g.Spacing}}
	s := DefaultSettings()
	s.Conditions = map[int]opening.Condition{1: {Kind: opening.ImposedPressure, Pressure: drop}}
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 20000, Tolerance: 5e-3})
	if err != nil {
		t.Fatal(err)
	}
	r := summary.Resolution
	if r.Power == nil || *summary.Steady != true {
		t.Fatalf("%+v", r)
	}
	leaves := -summary.Openings[1].Flow
	mean := leaves / (math.Pi / 4 * diameter * diameter)
	want := leaves * (drop - s.Density*mean*mean) // a parabola carries twice the energy of its mean
	if math.Abs(*r.Power-want) > 0.03*want || math.Abs(r.Viscous-want) > 0.04*want {
		t.Errorf("the pressures give %.4g W, of which %.4g W are dissipated, want %.4g W", *r.Power, r.Viscous, want)
	}
	if part, known := r.Excess(); known || !r.Unjudged || r.TooHigh() != nil {
		t.Errorf("the imposed pressure drop is said to be %+v too high", part)
	}
	if math.Abs(r.CellsAcrossInside-3) > 1e-9 {
		t.Errorf("%g cells lie across the narrowest place inside, want 3", r.CellsAcrossInside)
	}
}

// The power of one moment tells nothing of a flow that a waveform changes, even where its
// cycles are alike.
func TestNothingIsSaidOfBreathing(t *testing.T) {
	race.SkipArithmetic(t)
	g := placedPipe(8, 24)
	s := DefaultSettings()
	s.FlowRate, s.Mismatch = 1e-7, 0.5
	s.Waveform = opening.Sine{Period: 0.01, Amplitude: 1}
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Time: 0.2, Tolerance: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	r := summary.Resolution
	if _, known := r.Excess(); summary.Steady == nil || !*summary.Steady || r.Power != nil || !r.Unjudged || known {
		t.Errorf("steady %v: %+v", summary.Steady, r)
	}
}

// Flow that fluctuates about known means is steady, but no moment of it.
func TestStillOrFluctuating(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		steady *bool
		how    steadiness.How
		want   bool
	}{{&yes, steadiness.Still, true}, {&yes, steadiness.Mean, false}, {&no, steadiness.Still, false}, {nil, steadiness.Still, false}} {
		s := Summary{Steady: c.steady, Known: []steadiness.Known{{How: steadiness.Still}, {How: c.how}}}
		if s.still() != c.want {
			t.Errorf("%+v is still: %v", c, s.still())
		}
	}
}

// What is told of an excess is what matters of it, and no more than was ever measured.
func TestExcessThatIsTold(t *testing.T) {
	power := 1.0
	for _, c := range []struct{ resolved, want float64 }{{0.98, 0}, {0.8, 0.25}, {0.1, 1}, {0, 0}} {
		r := Resolution{Viscous: c.resolved, Resolved: c.resolved, Power: &power}
		if got := r.TooHigh(); (got == nil) != (c.want == 0) || got != nil && math.Abs(got.Most-c.want)+math.Abs(got.Least-c.want) > 1e-12 {
			t.Errorf("%g resolved: %+v, want %g", c.resolved, got, c.want)
		}
	}
	for _, c := range []struct {
		across, inside float64
		want           bool
	}{{8, 0, false}, {7.9, 0, true}, {20, 7, true}, {20, 8, false}} {
		if r := (Resolution{CellsAcross: c.across, CellsAcrossInside: c.inside}); r.Few() != c.want {
			t.Errorf("%+v are few: %v", c, r.Few())
		}
	}
}

// What enters through an opening with a pressure matters where it is some of the air.
func TestAirThatEntersByPressure(t *testing.T) {
	at := func(velocity bool) (s opening.State) {
		s.Velocity = velocity
		return s
	}
	states := []opening.State{at(true), at(false), at(false)}
	for _, c := range []struct {
		flows [3]float64
		want  bool
	}{{[3]float64{1, -0.5, -0.5}, false}, {[3]float64{1, -1.005, 0.005}, false}, {[3]float64{1, -1.5, 0.5}, true}, {[3]float64{-1, 0.5, 0.5}, true}} {
		openings := make([]OpeningSummary, 3)
		for i := range openings {
			openings[i].Flow = c.flows[i]
		}
		if got := entersByPressure(openings, states); got != c.want {
			t.Errorf("%v enter by a pressure: %v", c.flows, got)
		}
	}
}
