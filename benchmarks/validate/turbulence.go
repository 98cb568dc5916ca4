package validate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"carina/solver/airflow"

	"gonum.org/v1/gonum/spatial/r3"
)

// wallRun is turbulent flow along walls. Half the height of a channel or the radius of
// a pipe, the density and the friction velocity are one.
type wallRun struct {
	name      string
	make      func(cells int32) *wallFlow
	cells     int32   // over the half height or radius
	start     float64 // of averaging
	end       float64
	friction  float64 // its tolerance
	peaks     float64 // that of the peaks of the fluctuations; 0: they are not asked
	pipe      bool
	on        extent
	reference string
}

const (
	channelSource = "Moser, Kim and Mansour 1999"
	pipeSource    = "El Khoury et al. 2013"
)

// Peaks of the fluctuations over a time of 8 scatter by 2 %, over 40 by half a percent.
var wallRuns = []wallRun{
	{"channel Re_τ 178", straightChannel, 20, 8, 16, 0.08, 0.06, false, processor, channelSource},
	{"channel Re_τ 178", straightChannel, 40, 8, 48, 0.05, 0.03, false, onGPU, channelSource},
	{"turned channel Re_τ 178", turnedChannel, 20, 8, 16, 0.08, 0, false, onGPU, channelSource},
	{"pipe Re 5300", turbulentPipe, 64, 10, 20, 0.04, 0, true, onGPU, pipeSource},
}

// turbulence is flow along walls at friction Reynolds numbers of about 180.
func (s *suite) turbulence() error {
	for _, run := range wallRuns {
		if !s.wants(run.on) {
			continue
		}
		reference, bulk, err := s.wallUnits(run.pipe)
		if err != nil {
			return s.absent("turbulence along walls", err)
		}
		f := run.make(run.cells)
		p, err := s.average(run, f)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s, %d cells", run.name, run.cells)
		s.add(name, "friction factor over the reference's", math.Pow(bulk/p.bulk, 2), 1, run.friction, run.reference)
		plot := Plot{Name: fmt.Sprintf("turbulence-%s-%d", run.short(), run.cells), Title: name, XLabel: "distance from the wall, y⁺", YLabel: "U⁺ / 10 and fluctuations"}
		for k, quantity := range []string{"mean", "along", "away from the wall", "across"} {
			scale := 1.0
			if k == 0 {
				scale = 0.1
			}
			computed, wanted := Curve{Name: quantity, Points: true}, reference.curve("", k+1)
			var top, want float64
			for _, row := range p.rows {
				computed.X, computed.Y = append(computed.X, row[0]), append(computed.Y, scale*row[k+1])
				top, want = max(top, row[k+1]), max(want, reference.at(row[0], k+1))
			}
			for i := range wanted.Y {
				wanted.Y[i] *= scale
			}
			plot.Curves = append(plot.Curves, computed, wanted)
			if k > 0 && run.peaks > 0 {
				s.add(name, "peak of fluctuations "+quantity+" over the reference's", top/want, 1, run.peaks, run.reference)
			}
		}
		s.plots = append(s.plots, plot)
	}
	return nil
}

func (r wallRun) short() string {
	switch {
	case r.pipe:
		return "pipe"
	case r.peaks == 0:
		return "turned-channel"
	}
	return "channel"
}

// wallFlow is a lumen with walls and the directions of its flow.
type wallFlow struct {
	shape *shape
	// reynolds is that of the friction velocity.
	reynolds float64
	// force drives it; along is its direction.
	force float64
	along r3.Vec
	// wall is the distance from the nearest wall and the direction away from it.
	wall func(p r3.Vec) (distance float64, away r3.Vec)
}

// straightChannel lies along x between walls across y.
func straightChannel(cells int32) *wallFlow {
	dx := 1 / float64(cells)
	sh := &shape{size: [3]int32{fours(2 * math.Pi / dx), 2 * cells, fours(math.Pi / dx)}, spacing: dx, periodic: [3]bool{true, false, true}}
	sh.inside = func(p r3.Vec) float64 { return 1 - math.Abs(p.Y-1) }
	return &wallFlow{shape: sh, reynolds: 178.12, force: 1, along: r3.Vec{X: 1}, wall: func(p r3.Vec) (float64, r3.Vec) {
		return 1 - math.Abs(p.Y-1), r3.Vec{Y: math.Copysign(1, 1-p.Y)}
	}}
}

// turnedChannel has walls across (1, 2, 3), which a box with sides in the ratio of 6, 3
// and 2 repeats, and flows along (2, 1, −4/3).
func turnedChannel(cells int32) *wallFlow {
	normal := r3.Vec{X: 1, Y: 2, Z: 3}
	norm := r3.Norm(normal)
	dx := 1 / float64(cells)
	// The walls' distance and a solid layer of four cells repeat along the normal.
	side := 24 * int32(math.Ceil((2+4*dx)*norm/dx/24))
	period := float64(side) * dx / norm
	sh := &shape{size: [3]int32{side, side / 2, side / 3}, spacing: dx, periodic: [3]bool{true, true, true}}
	across := func(p r3.Vec) float64 { // from the middle
		x := r3.Dot(p, normal) / norm
		return x - period*math.Floor(x/period) - period/2
	}
	sh.inside = func(p r3.Vec) float64 { return 1 - math.Abs(across(p)) }
	return &wallFlow{shape: sh, reynolds: 178.12, force: 1, along: r3.Unit(r3.Vec{X: 2, Y: 1, Z: -4. / 3}), wall: func(p r3.Vec) (float64, r3.Vec) {
		x := across(p)
		return 1 - math.Abs(x), r3.Scale(math.Copysign(1, -x)/norm, normal)
	}}
}

// turbulentPipe lies along x, ten radii long.
func turbulentPipe(cells int32) *wallFlow {
	dx := 1 / float64(cells)
	side := 2*cells + 4
	middle := float64(side) * dx / 2
	sh := &shape{size: [3]int32{fours(10 / dx), side, side}, spacing: dx, periodic: [3]bool{true, false, false}}
	radius := func(p r3.Vec) float64 { return math.Hypot(p.Y-middle, p.Z-middle) }
	sh.inside = func(p r3.Vec) float64 { return 1 - radius(p) }
	return &wallFlow{shape: sh, reynolds: 181.054, force: 2, along: r3.Vec{X: 1}, wall: func(p r3.Vec) (float64, r3.Vec) {
		r := radius(p)
		return 1 - r, r3.Scale(-1/r, r3.Vec{Y: p.Y - middle, Z: p.Z - middle})
	}}
}

// fours is the nearest multiple of four: periodic sides of GPUs are whole tiles.
func fours(cells float64) int32 { return 4 * int32(math.Round(cells/4)) }

// wallProfile is a flow's mean in time and along the walls.
type wallProfile struct {
	bulk float64
	rows table // y⁺, U⁺, and r.m.s. fluctuations along, away from the wall and across
}

// average computes a flow and its mean, in layers of one cell from the wall.
func (s *suite) average(run wallRun, f *wallFlow) (*wallProfile, error) {
	const peak, between = 0.1, 0.05 // 20 friction velocities in cells a step; time between samples
	dx := f.shape.spacing
	settings := airflow.DefaultSettings()
	settings.KinematicViscosity, settings.Density, settings.FlowRate = 1/f.reynolds, 1, 0
	settings.TimeStep = peak / 20 * dx
	settings.BodyForce = [3]float64{f.force * f.along.X, f.force * f.along.Y, f.force * f.along.Z}
	settings.Initial = f.disturbed(rand.New(rand.NewPCG(1, 1)))
	steps := 2 * max(1, int64(math.Round(between/settings.TimeStep/2)))
	m := newWallMean(f, int(run.cells))
	_, err := s.compute(f.shape, settings, 2, func(c *airflow.Rank) error {
		for c.Time() < run.end {
			if err := c.Advance(s.ctx, steps, nil); err != nil {
				return err
			}
			s.options.Progress(fmt.Sprintf("%s, %d cells", run.name, run.cells), c.Time()/run.end)
			if c.Time() < run.start {
				continue
			}
			fields, err := c.Fields()
			if err != nil {
				return err
			}
			m.add(fields)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m.profile(f), nil
}

// disturbed is Reichardt's profile with rolls (as a start of turbulence, any strong
// disturbance does).
func (f *wallFlow) disturbed(random *rand.Rand) func(r3.Vec) (float64, r3.Vec) {
	const rolls, strength = 24, 3.
	type roll struct{ along, across, away, phase, size float64 }
	var list [rolls]roll
	for i := range list {
		list[i] = roll{float64(1 + random.IntN(5)), 2 * float64(1+random.IntN(4)), math.Pi * float64(1+random.IntN(3)), 2 * math.Pi * random.Float64(), random.NormFloat64()}
	}
	return func(p r3.Vec) (float64, r3.Vec) {
		d, away := f.wall(p)
		across := r3.Cross(f.along, away)
		plus := max(0, d*f.reynolds)
		mean := 2.5*math.Log(1+0.4*plus) + 7.8*(1-math.Exp(-plus/11)-plus/11*math.Exp(-plus/3))
		damping := min(1, 4*max(0, d)) * strength * 1.4 / math.Sqrt(rolls)
		x, z := r3.Dot(p, f.along), r3.Dot(p, across)
		u, v, w := mean, 0., 0.
		for _, r := range list {
			sin, cos := math.Sincos(r.along*x + r.across*z + r.phase)
			u += damping * r.size * 0.7 * sin * math.Sin(r.away*d)
			v += damping * r.size * sin * math.Cos(r.away*d/2)
			w += damping * r.size * 0.7 * cos * math.Sin(r.away*d+r.phase)
		}
		return 0, r3.Add(r3.Scale(u, f.along), r3.Add(r3.Scale(v, away), r3.Scale(w, across)))
	}
}

// wallMean sums a flow in layers.
type wallMean struct {
	layers []wallLayer
	// layer of each cell, and the direction away from its wall.
	layer []int32
	away  []r3.Vec
	along r3.Vec
}

// wallLayer are sums of distance, velocity and its squares along, away and across.
type wallLayer struct {
	count, distance float64
	first, second   [3]float64
}

func newWallMean(f *wallFlow, layers int) *wallMean {
	m := &wallMean{layers: make([]wallLayer, layers), along: f.along}
	grid := f.shape.grid()
	for _, r := range grid.Runs {
		for x := r.X0; x < r.X1; x++ {
			d, away := f.wall(f.shape.center(x, r.Y, r.Z))
			m.layer = append(m.layer, int32(min(layers-1, max(0, int(d/f.shape.spacing)))))
			m.away = append(m.away, away)
			l := &m.layers[m.layer[len(m.layer)-1]]
			l.distance += d
			l.count++
		}
	}
	for i := range m.layers {
		m.layers[i].distance /= m.layers[i].count
		m.layers[i].count = 0
	}
	return m
}

func (m *wallMean) add(f *airflow.Fields) {
	for i, layer := range m.layer {
		u := r3.Vec{X: float64(f.Velocity[0][i]), Y: float64(f.Velocity[1][i]), Z: float64(f.Velocity[2][i])}
		l := &m.layers[layer]
		l.count++
		for a, v := range [3]float64{r3.Dot(u, m.along), r3.Dot(u, m.away[i]), r3.Dot(u, r3.Cross(m.along, m.away[i]))} {
			l.first[a] += v
			l.second[a] += v * v
		}
	}
}

func (m *wallMean) profile(f *wallFlow) *wallProfile {
	p := &wallProfile{}
	var all float64
	for _, l := range m.layers {
		if l.count == 0 {
			continue
		}
		all += l.count
		p.bulk += l.first[0]
		row := []float64{l.distance * f.reynolds, l.first[0] / l.count}
		for a := range 3 {
			mean := l.first[a] / l.count
			row = append(row, math.Sqrt(max(0, l.second[a]/l.count-mean*mean)))
		}
		p.rows = append(p.rows, row)
	}
	p.bulk /= all
	return p
}
