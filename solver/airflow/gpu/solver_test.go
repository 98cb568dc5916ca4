package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// cave is a lumen of overlapping balls around a channel from an inlet to two
// outlets, with random wall distances, or without openings where periodic.
func cave(seed uint64, periodic [3]bool) *geometry.Grid {
	random := rand.New(rand.NewPCG(seed, 3))
	size := [3]int32{32, 24, 20}
	type ball struct{ x, y, z, r float64 }
	var balls []ball
	for range 10 {
		balls = append(balls, ball{random.Float64() * 32, random.Float64() * 24, random.Float64() * 20, 1 + 4*random.Float64()})
	}
	fluid := func(x, y, z int32) bool {
		px, py, pz := float64(x)+0.5, float64(y)+0.5, float64(z)+0.5
		if math.Hypot(py-12, pz-10) < 5 {
			return true
		}
		for _, b := range balls {
			if (px-b.x)*(px-b.x)+(py-b.y)*(py-b.y)+(pz-b.z)*(pz-b.z) < b.r*b.r {
				return true
			}
		}
		return false
	}
	return makeGrid(size, periodic, fluid, random)
}

// makeGrid has walls at random distances and, unless it is periodic along x, an inlet
// and two outlets at its ends.
func makeGrid(size [3]int32, periodic [3]bool, fluid func(x, y, z int32) bool, random *rand.Rand) *geometry.Grid {
	out := r3.Vec{X: 1}
	var openings []geometry.Opening
	if !periodic[0] {
		openings = []geometry.Opening{
			{Number: 1, Role: geometry.Inlet, Normal: r3.Scale(-1, out), Area: 80e-8},
			{Number: 2, Role: geometry.Outlet, Normal: out, Area: 40e-8},
			{Number: 3, Role: geometry.Outlet, Normal: out, Area: 40e-8},
		}
	}
	wall := func(x, y, _ int32, d geometry.Offset) (fraction float64, opening int) {
		switch next := x + int32(d.X); {
		case periodic[0]:
		case next < 0:
			opening = 1
		case next >= size[0] && y >= size[1]/2:
			opening = 3
		case next >= size[0]:
			opening = 2
		}
		return float64(1001+random.IntN(64000)) / (1 << 16), opening
	}
	return generate.LinkedGrid(size, 1e-4, periodic, fluid, wall, openings)
}

func caveSettings(g *geometry.Grid) airflow.Settings {
	s := airflow.DefaultSettings()
	s.FlowRate, s.RampTime, s.Workers = 2e-7, -1, 1
	s.LatticeVelocity = 0.1 // also with fast waves
	if len(g.Openings) == 0 {
		s.BodyForce = [3]float64{30, 20, 10}
	}
	return s
}

// on is the backend of some devices, by rank.
func on(devices []device.Device, o Options) airflow.Backend {
	return BackendOn(func(t transport.Transport) (device.Device, error) { return devices[t.Rank()], nil }, o)
}

// computed is what a device computed in some steps.
func computed(t *testing.T, domain *solver.Domain, settings airflow.Settings, storage Storage, steps int) *airflow.Rank {
	t.Helper()
	r, err := airflow.NewRankOn(on(devicetest.Open(t, 1), Options{Storage: storage}), domain, settings, transport.NewLocal(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	step(t, r, steps)
	return r
}

// step does so many steps.
func step(t *testing.T, r *airflow.Rank, steps int) {
	t.Helper()
	for range steps {
		if err := r.Engine().Step(); err != nil {
			t.Fatal(err)
		}
	}
}

// processor computes the same on the processor, in double precision, and lets
// visit observe the end.
func processor(t *testing.T, domain *solver.Domain, settings airflow.Settings, steps int64, visit func(*airflow.Rank) error) (summary *airflow.Summary, fields *airflow.Fields) {
	t.Helper()
	settings.Precision = airflow.Double
	summary, err := airflow.RunInProcess(context.Background(), domain, settings, airflow.Plan{Steps: steps, Visit: func(r *airflow.Rank) error {
		fields = must(r.Fields())
		if visit != nil {
			return visit(r)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return summary, fields
}

// Tolerances of what a device and the processor compute, relative to the
// largest value: of fields, which are handed over in 32 bits, and of sums.
const (
	fieldRounding  = 1e-6
	doubleRounding = 1e-9
	singleRounding = 2e-5
	halfRounding   = 2e-2
)

// TestAgreesWithProcessor compares the fields and the flow through the
// openings with those of the processor's solver in double precision, after
// sound has crossed the domain and come back.
func TestAgreesWithProcessor(t *testing.T) {
	devicetest.BesideOthers(t)
	const steps = 120
	small := [3]bool{true, true, true}
	share := map[int]opening.Condition{3: {Kind: opening.FlowShare, Share: 0.3}}
	for _, c := range []struct {
		name      string
		periodic  [3]bool
		storage   Storage
		tolerance float64
		change    func(*airflow.Settings)
	}{
		{"openings", [3]bool{}, Single, singleRounding, func(s *airflow.Settings) { s.Conditions = share }},
		{"openings 16 bits", [3]bool{}, Single, halfRounding, func(s *airflow.Settings) {
			s.Conditions, s.Precision = share, airflow.Half
		}},
		{"openings double", [3]bool{}, Single, doubleRounding, func(s *airflow.Settings) {
			s.Conditions, s.Precision = share, airflow.Double
		}},
		{"periodic BGK", small, Single, singleRounding, func(s *airflow.Settings) { s.Collision = airflow.BGK }},
		{"plain walls", [3]bool{false, true, false}, Single, singleRounding, func(s *airflow.Settings) { s.Wall = airflow.BounceBack }},
		{"large eddies", [3]bool{}, Single, singleRounding, func(s *airflow.Settings) {
			s.Collision, s.Smagorinsky = airflow.Regularized, 0.2
		}},
		{"large eddies 16 bits", small, Half, halfRounding, func(s *airflow.Settings) {
			s.Collision, s.Smagorinsky = airflow.TRT, 0.2
		}},
		{"cumulant double", [3]bool{}, Single, doubleRounding, func(s *airflow.Settings) {
			s.Conditions, s.Precision, s.Collision = share, airflow.Double, airflow.Cumulant
		}},
		{"recursive on coarse cells double", [3]bool{}, Single, doubleRounding, func(s *airflow.Settings) {
			s.Conditions, s.Precision, s.Collision, s.KinematicViscosity = share, airflow.Double, airflow.Recursive, 2e-7
		}},
		{"TRT on D3Q27", [3]bool{}, Single, singleRounding, func(s *airflow.Settings) {
			s.Conditions, s.Lattice = share, airflow.D3Q27
		}},
		{"quadratic walls double", [3]bool{}, Single, doubleRounding, func(s *airflow.Settings) {
			s.Conditions, s.Precision, s.Wall = share, airflow.Double, airflow.Quadratic
		}},
		{"quadratic walls with the cumulant", small, Single, singleRounding, func(s *airflow.Settings) {
			s.Wall, s.Collision = airflow.Quadratic, airflow.Cumulant
		}},
		{"quadratic walls 16 bits", [3]bool{}, Half, halfRounding, func(s *airflow.Settings) { s.Wall = airflow.Quadratic }},
		{"periodic cumulant", small, Single, singleRounding, func(s *airflow.Settings) { s.Collision = airflow.Cumulant }},
		{"periodic cumulant 16 bits", small, Half, halfRounding, func(s *airflow.Settings) { s.Collision = airflow.Cumulant }},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			if testing.Short() && c.tolerance != doubleRounding {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			g := cave(5, c.periodic)
			domain := solver.WholeDomain(g)
			domain.Periodic = c.periodic
			settings := caveSettings(g)
			settings.Collision, settings.Profile = airflow.TRT, opening.Parabolic
			c.change(&settings)
			s := computed(t, domain, settings, c.storage, steps)
			compare(t, s, domain, settings, steps, c.tolerance)
		})
	}
}

// compare compares the end of a computation with the processor's.
func compare(t *testing.T, s *airflow.Rank, domain *solver.Domain, settings airflow.Settings, steps int, tolerance float64) {
	t.Helper()
	got, err := s.Fields()
	if err != nil {
		t.Fatal(err)
	}
	summary, err := s.Summary()
	if err != nil {
		t.Fatal(err)
	}
	reference, want := processor(t, domain, settings, int64(steps), nil)
	compareFields(t, got, want, max(tolerance, fieldRounding))
	var pressure, flow float64
	for _, o := range reference.Openings {
		pressure, flow = max(pressure, math.Abs(o.Pressure)), max(flow, math.Abs(o.Flow))
	}
	for i, o := range summary.Openings {
		w := reference.Openings[i]
		if d := math.Abs(o.Flow - w.Flow); !(d <= tolerance*flow) {
			t.Errorf("opening %d: flow %g, the processor has %g", o.Number, o.Flow, w.Flow)
		}
		if d := math.Abs(o.Pressure - w.Pressure); !(d <= tolerance*pressure) {
			t.Errorf("opening %d: pressure %g, the processor has %g", o.Number, o.Pressure, w.Pressure)
		}
	}
	if d := math.Abs(summary.PeakVelocity/reference.PeakVelocity - 1); !(d <= tolerance) {
		t.Errorf("peak velocity %g, the processor has %g", summary.PeakVelocity, reference.PeakVelocity)
	}
}

// Every condition acts as on the processor, step by step.
func TestConditionsAgree(t *testing.T) {
	devicetest.BesideOthers(t)
	const steps = 90
	wave := opening.Sine{Period: 2e-3, Mean: 0.7, Amplitude: 0.4}
	for _, c := range []struct {
		name   string
		change func(*airflow.Settings)
	}{
		{"pressures", func(s *airflow.Settings) {
			s.Conditions = map[int]opening.Condition{1: {Kind: opening.ImposedPressure, Pressure: 0.02}, 3: {Kind: opening.ImposedPressure, Pressure: -0.01, Waveform: wave}}
		}},
		{"windkessel and developed profile", func(s *airflow.Settings) {
			s.Profile, s.Waveform = opening.Developed, wave
			s.Conditions = map[int]opening.Condition{
				2: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9},
				3: {Kind: opening.Windkessel, ProximalResistance: 2e5, Pressure: 0.1}}
		}},
		{"shares", func(s *airflow.Settings) {
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 0.7}, 3: {Kind: opening.FlowShare, Share: 0.3}}
		}},
		{"imposed flow, moving wall", func(s *airflow.Settings) {
			s.Conditions = map[int]opening.Condition{
				1: {Kind: opening.MovingWall, Velocity: [3]float64{0.02, 0.1, -0.05}, Waveform: wave},
				2: {Kind: opening.ImposedFlow, Flow: -1e-8, Shape: func(p r3.Vec) float64 { return 1 + 300*p.Y }}}
		}},
		{"breathing", func(s *airflow.Settings) { // out from step 30 on
			s.Waveform = opening.Sine{Period: 1.5e-3, Amplitude: 1}
		}},
		{"all openings over time", func(s *airflow.Settings) {
			s.Waveform = wave
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: 0.02, Waveform: wave}, 3: {Kind: opening.ImposedPressure, Pressure: -0.01, Waveform: wave}}
		}},
		{"force over time", func(s *airflow.Settings) {
			s.BodyForce, s.ForceWaveform = [3]float64{30, 20, 10}, wave
		}},
		{"recursive in short steps with a force", func(s *airflow.Settings) {
			s.Collision, s.KinematicViscosity, s.LatticeVelocity, s.BodyForce = airflow.Recursive, 3e-7, 0.03, [3]float64{30, 20, 10}
		}},
		{"regularized with a force and an initial flow", func(s *airflow.Settings) {
			s.Collision, s.BodyForce = airflow.Regularized, [3]float64{30, 20, 10}
			s.Initial = func(p r3.Vec) (float64, r3.Vec) {
				return 0.3 * math.Sin(2000*p.X), r3.Vec{X: 0.05 * math.Cos(1500*p.Y), Y: 0.03, Z: -0.02 * math.Sin(3000*p.X)}
			}
			s.InitialStrain = func(p r3.Vec) [6]float64 {
				return [6]float64{30, -10, -20, -37.5 * math.Sin(1500*p.Y), -30 * math.Cos(3000*p.X), 5}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			g := cave(8, [3]bool{})
			settings := caveSettings(g)
			settings.Collision, settings.Precision = airflow.TRT, airflow.Double
			c.change(&settings)
			s := computed(t, solver.WholeDomain(g), settings, Single, steps)
			compare(t, s, solver.WholeDomain(g), settings, steps, doubleRounding)
		})
	}
}

func compareFields(t *testing.T, got, want *airflow.Fields, tolerance float64) {
	t.Helper()
	compare := func(name string, got, want [][]float32) {
		var largest, worst float64
		for a := range want {
			for i, w := range want[a] {
				largest = max(largest, math.Abs(float64(w)))
				if d := math.Abs(float64(got[a][i] - w)); !(d <= worst) {
					worst = d
				}
			}
		}
		t.Logf("%s: largest difference %.3g of %.3g", name, worst, largest)
		if !(worst <= tolerance*largest) || largest == 0 {
			t.Errorf("%s differs by %g of %g", name, worst, largest)
		}
	}
	compare("pressure", [][]float32{got.Pressure}, [][]float32{want.Pressure})
	compare("velocity", got.Velocity[:], want.Velocity[:])
}

// The state and the flow through the openings are the same bit for bit on one
// device and on several, whether they exchange directly or through messages.
func TestDevicesAgreeBitForBit(t *testing.T) {
	devicetest.BesideOthers(t)
	for _, c := range []struct {
		periodic [3]bool
		storage  Storage
		lattice  airflow.Lattice
		wall     airflow.Wall
	}{
		{[3]bool{}, Single, airflow.D3Q19, airflow.Interpolated}, {[3]bool{true, true, true}, Half, airflow.D3Q19, airflow.Interpolated},
		{[3]bool{}, Half, airflow.D3Q27, airflow.Quadratic}, {[3]bool{true, true, true}, Single, airflow.D3Q27, airflow.Interpolated},
		{[3]bool{true, true, true}, Single, airflow.D3Q19, airflow.Quadratic},
	} {
		g := cave(6, c.periodic)
		domain := solver.WholeDomain(g)
		domain.Periodic = c.periodic
		summarize := func(devices int, exchange cuda.Exchange) *airflow.Summary {
			settings := caveSettings(g)
			settings.Lattice, settings.Collision, settings.Wall = c.lattice, airflow.TRT, c.wall
			settings.Waveform = opening.Sine{Period: 3e-4, Amplitude: 1} // out from step 6 on
			b := on(devicetest.Open(t, devices), Options{Storage: c.storage, Exchange: exchange})
			summary, err := airflow.RunInProcessOn(context.Background(), b, must(Divide(domain, devices, c.storage)), settings, airflow.Plan{Steps: 12})
			if err != nil {
				t.Fatal(err)
			}
			return summary
		}
		want := summarize(1, "")
		if want.PeakVelocity == 0 {
			t.Error("nothing moves")
		}
		for _, devices := range []int{2, 3, 5} {
			for _, exchange := range []cuda.Exchange{cuda.IPC, cuda.Host} {
				if exchange == cuda.IPC && !devicetest.ReachEachOther(devices) {
					continue
				}
				got := summarize(devices, exchange)
				if got.StateHash != want.StateHash || !slices.Equal(got.Openings, want.Openings) {
					t.Errorf("periodic %v: %d devices by %s end in %s with %v, one in %s with %v",
						c.periodic, devices, exchange, got.StateHash, got.Openings, want.StateHash, want.Openings)
				}
			}
		}
	}
}
