//go:build cuda

package cuda

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"strconv"
	"testing"

	"carina/geometry"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// gpuPhysics is the whole suite, on a GPU.
type gpuPhysics struct {
	*physics
	solver *Solver // of the last flow
}

// The physics suite on a GPU, in single and double precision.
func TestPhysics(t *testing.T) {
	if _, err := openDevice(0); err != nil {
		t.Skip(err)
	}
	for _, precision := range []solver.Precision{solver.Single, solver.Double} {
		t.Run(string(precision), func(t *testing.T) {
			p := &gpuPhysics{physics: &physics{T: t, change: func(s *solver.Settings) { s.Precision = precision }}}
			p.physics.compute = p.onGPU
			p.all()
		})
	}
}

// onGPU computes a flow.
func (p *gpuPhysics) onGPU(d *solver.Domain, settings solver.Settings, steps int64) (o outcome) {
	check := func(err error) {
		p.Helper()
		if err != nil {
			p.Fatal(err)
		}
	}
	s, err := New(d, settings, Options{})
	check(err)
	p.Cleanup(func() { s.Close() })
	p.solver = s
	check(s.Advance(context.Background(), steps, nil))
	o.fields, err = s.Fields()
	check(err)
	o.summary, err = s.Summary()
	check(err)
	o.strain = func() [6][]float32 {
		strain, err := s.StrainRate()
		check(err)
		return strain
	}
	return o
}

// duct is the developed flow in a square duct.
func (p *gpuPhysics) duct() {
	const n = 41
	s := &lumen{size: [3]int32{4, n, n}, spacing: 1. / n, periodic: [3]bool{true, false, false}}
	s.inside = func(q r3.Vec) float64 { return min(q.Y, 1-q.Y, q.Z, 1-q.Z) }
	settings := periodicSettings(0.1, s.spacing)
	settings.BodyForce = [3]float64{1e-2, 0, 0}
	_, out := p.run(s, settings, 20*n*n)
	var mean, top float64
	for _, u := range out.fields.Velocity[0] {
		mean += float64(u) / float64(len(out.fields.Velocity[0]))
		top = max(top, float64(u))
	}
	p.gate("square duct, peak over mean velocity", top/mean, 2.0963, 0.005*2.0963)
}

// womersley is the flow in a pipe under an oscillating force, at eight phases.
func (p *gpuPhysics) womersley(alpha float64) {
	const n, force, cycles, phases = 41, 1e-3, 8, 8
	s := &lumen{size: [3]int32{4, n, n}, spacing: 1. / n, periodic: [3]bool{true, false, false}}
	radius := func(q r3.Vec) float64 { return math.Hypot(q.Y-0.5, q.Z-0.5) }
	s.inside = func(q r3.Vec) float64 { return 0.5 - radius(q) }
	settings := periodicSettings(0.02, s.spacing)
	omega := alpha * alpha * settings.KinematicViscosity / 0.25
	period := 2 * math.Pi / omega
	steps := int64(math.Round(period/settings.TimeStep/(2*phases))) * 2 * phases
	settings.TimeStep = period / float64(steps)
	settings.BodyForce, settings.ForceWaveform = [3]float64{force, 0, 0}, solver.Sine{Period: period, Amplitude: 1}
	bessel := func(z complex128) complex128 {
		sum, term := complex(1, 0), complex(1, 0)
		for k := 1; k < 60; k++ {
			term *= -z * z / complex(4*float64(k)*float64(k), 0)
			sum += term
		}
		return sum
	}
	root := cmplx.Pow(1i, 1.5) * complex(alpha, 0)
	var total difference
	for phase := range int64(phases) {
		d, out := p.run(s, settings, cycles*steps+phase*steps/phases)
		eachCell(d, func(i int, x, y, z int32) {
			u := complex(0, -force/omega) * (1 - bessel(root*complex(radius(s.center(x, y, z))/0.5, 0))/bessel(root))
			total.add(float64(out.fields.Velocity[0][i]), imag(u*cmplx.Exp(complex(0, omega*out.summary.Time))))
		})
	}
	p.gate(fmt.Sprintf("Womersley α=%g, velocity error over a cycle", alpha), total.relative(), 0, 0.02)
}

// cylinder is the benchmark of Schäfer and Turek at Re 20.
func (p *gpuPhysics) cylinder(name string, across, length, x float64, deep bool, peak, drag, tolerance float64) {
	const height, diameter, mean, y = 0.41, 0.1, 0.2, 0.2
	dx := diameter / across
	s := &lumen{spacing: dx, periodic: [3]bool{false, false, !deep}}
	s.size = [3]int32{int32(math.Ceil(length / dx)), int32(math.Ceil(height / dx)), 4}
	depth := 4 * dx
	if deep {
		depth, s.size[2] = height, s.size[1]
	}
	around := func(q r3.Vec) float64 { return math.Hypot(q.X-x, q.Y-y) - diameter/2 }
	s.inside = func(q r3.Vec) float64 {
		d := min(q.Y, height-q.Y, around(q))
		if deep {
			d = min(d, q.Z, height-q.Z)
		}
		return d
	}
	middle := r3.Vec{Y: height / 2, Z: depth / 2}
	s.openings = []geometry.Opening{
		{Number: 1, Role: geometry.Inlet, Center: middle, Normal: r3.Vec{X: -1}, Area: height * depth},
		{Number: 2, Role: geometry.Outlet, Center: r3.Add(middle, r3.Vec{X: length}), Normal: r3.Vec{X: 1}, Area: height * depth},
	}
	settings := solver.DefaultSettings()
	settings.Collision, settings.KinematicViscosity, settings.Density = solver.TRT, 1e-3, 1
	settings.TimeStep = 0.06 * dx / peak
	settings.Conditions = map[int]solver.Condition{1: {Kind: solver.ImposedFlow, Flow: mean * height * depth, Shape: func(q r3.Vec) float64 {
		u := q.Y * (height - q.Y)
		if deep {
			u *= q.Z * (height - q.Z)
		}
		return max(0, u)
	}}}
	p.run(s, settings, int64(2*length/mean/settings.TimeStep))
	force, err := p.solver.WallForce(func(q r3.Vec) bool { return around(q) < 2*dx })
	if err != nil {
		p.Fatal(err)
	}
	p.gate(name+", drag coefficient", 2*force.X/(mean*mean*diameter*depth), drag, tolerance*drag)
}

// cavity is the lid-driven cavity in two dimensions, against Ghia, Ghia and
// Shin (1982).
func (p *gpuPhysics) cavity(reynolds int, column int) {
	file, err := os.Open("../../../shared/reference-data/ghia-1982-cavity.csv")
	if err != nil {
		p.Skip(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		p.Fatal(err)
	}
	const n = 129
	s := &lumen{size: [3]int32{n, n, 4}, spacing: 1. / n, periodic: [3]bool{false, false, true}}
	s.inside = func(q r3.Vec) float64 { return min(q.X, 1-q.X, q.Y, 2-q.Y) }
	s.openings = []geometry.Opening{{Number: 1, Role: geometry.Outlet, Center: r3.Vec{X: 0.5, Y: 1}, Normal: r3.Vec{Y: 1}, Area: 4. / n}}
	settings := solver.DefaultSettings()
	settings.Collision, settings.KinematicViscosity, settings.Density, settings.FlowRate = solver.TRT, 1/float64(reynolds), 1, 0
	settings.Magic, settings.TimeStep, settings.RampTime = 1./12, 0.1*s.spacing, 1
	settings.Conditions = map[int]solver.Condition{1: {Kind: solver.MovingWall, Velocity: [3]float64{1, 0, 0}}}
	d, out := p.run(s, settings, int64((30+0.05*float64(reynolds))/settings.TimeStep))
	var lines [2][n]float64
	eachCell(d, func(i int, x, y, z int32) {
		if x == n/2 {
			lines[0][y] = float64(out.fields.Velocity[0][i])
		}
		if y == n/2 {
			lines[1][x] = float64(out.fields.Velocity[1][i])
		}
	})
	worst := 0.0
	for _, row := range rows {
		at, err := strconv.ParseFloat(row[1], 64)
		want, err2 := strconv.ParseFloat(row[column], 64)
		// Two published values contradict their neighbours.
		if err != nil || err2 != nil || at <= 0 || at >= 1 || row[0] == "v" && at == 0.9063 && reynolds > 100 {
			continue
		}
		line := &lines[0]
		if row[0] == "v" {
			line = &lines[1]
		}
		k := min(max(int(at*n-0.5), 0), n-2)
		part := at*n - 0.5 - float64(k)
		worst = max(worst, math.Abs((1-part)*line[k]+part*line[k+1]-want))
	}
	p.gate(fmt.Sprintf("cavity Re %d, largest difference", reynolds), worst, 0, 0.015)
}

// all computes everything.
func (p *gpuPhysics) all() {
	x := r3.Vec{X: 1}
	p.pipe(11, x, "pipe N=11", 0.0565, 0.0702, 0.0885)
	p.pipe(21, x, "pipe N=21", 0.01625, 0.02448, 0.04647)
	p.pipe(41, x, "pipe N=41", 0.00445, 0.00584, 0.02117)
	p.pipe(21, r3.Vec{X: 1, Y: 0.42, Z: 0.23}, "pipe N=21 turned", 0.01625, math.Inf(1), math.Inf(1))
	p.duct()
	coarse, _, fine := p.vortex(16, 0), p.vortex(32, 0), p.vortex(64, 0.005)
	p.gate("Taylor–Green, order of convergence", math.Log(coarse/fine)/math.Log(4), 2, 0.3)
	p.womersley(4)
	p.womersley(8)
	p.cylinder("Schäfer–Turek 2D-1", 20, 2.2, 0.2, false, 0.3, 5.57953523384, 0.01)
	p.cylinder("Schäfer–Turek 3D-1Z", 10, 2.5, 0.5, true, 0.45, 6.18533, 0.02)
	for i, reynolds := range []int{100, 400, 1000} {
		p.cavity(reynolds, 2+i)
	}
}
