package validate

import (
	"fmt"
	"math"
	"runtime"

	"carina/geometry"
	"carina/internal/parallel"
	"carina/solver/airflow"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/spatial/r3"
)

const spectralSource = "spectral solution on 512³ (van Rees et al. 2011)"

// vortexRuns are sizes with their speed in cells a step, what may be missing at the peak
// of the dissipation, in its time and in the L2 norm, and how much of the dissipation must
// be resolved. At 0.05 the compression of air would be the largest error of 512³ cells.
var vortexRuns = []struct {
	n                      int32
	speed                  float64
	peak, time, difference float64
	resolved               float64
	on                     extent
}{
	{64, 0.05, 0.15, 0.10, 0.20, 0.45, quick},
	{128, 0.05, 0.07, 0.03, 0.05, 0.75, processor},
	{256, 0.05, 0.015, 0.006, 0.018, 0.95, onGPU},
	{512, 0.025, 0.01, 0.005, 0.01, 0.95, onGPU},
}

// breakdown is the vortex of Taylor and Green in three dimensions at Re 1600, which
// breaks down into turbulence.
func (s *suite) breakdown() error {
	rows, err := s.readColumns("turbulence/taylor-green-re1600-spectral-512.gdiag", 4)
	if err != nil {
		return s.absent("the breakdown of vortices", err)
	}
	reference := table(rows)
	plot := Plot{Name: "breakdown", Title: "Taylor–Green vortex at Re 1600", XLabel: "time", YLabel: "−dE/dt", Curves: []Curve{reference.curve("spectral, 512³", 2)}}
	for _, run := range vortexRuns {
		if !s.wants(run.on) {
			continue
		}
		d, err := s.decayOfVortices(run.n, run.speed)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("Taylor–Green Re 1600, %d³", run.n)
		dissipation := d.dissipation()
		// The reference is sampled and differentiated as the flow is.
		same := vortexHistory{times: d.times}
		for _, t := range d.times {
			same.energy = append(same.energy, reference.at(t, 1))
		}
		want := same.dissipation()
		top, at := peakOf(dissipation, 5)
		wantTop, wantAt := peakOf(want, 5)
		s.add(name, "peak of the dissipation over the spectral one", top/wantTop, 1, run.peak, spectralSource)
		s.add(name, "time of the peak over the spectral one", at/wantAt, 1, run.time, spectralSource)
		var difference norm
		for i, t := range dissipation.X {
			if t > 0.3 && t <= 12 {
				difference.add(dissipation.Y[i], want.Y[i])
			}
		}
		s.addError(name, "dissipation, L2", difference.relative(), run.difference, spectralSource)
		resolved := 2 * d.enstrophy / vorticesReynolds / interpolate(smooth(dissipation, 2), d.seen)
		s.addAtLeast(name, "resolved share of the dissipation", resolved, run.resolved, "2ν times the enstrophy, spectral derivatives")
		dissipation.Name = fmt.Sprintf("N = %d", run.n)
		plot.Curves = append(plot.Curves, dissipation)
	}
	s.plots = append(s.plots, plot)
	return nil
}

const vorticesReynolds = 1600

// vortexHistory is the energy of vortices over time, and the enstrophy once.
type vortexHistory struct {
	times, energy   []float64
	seen, enstrophy float64
}

// decayOfVortices computes the vortices to time 12 in a periodic box of side 2π
// with n cells a side; a speed of one moves by that many cells in a step.
func (s *suite) decayOfVortices(n int32, speed float64) (*vortexHistory, error) {
	const end, look = 12.0, 8.0
	between := 0.1 // samples; of large boxes they take as long as the steps
	if n >= 512 {
		between = 0.2
	}
	grid := &geometry.Grid{Spacing: 2 * math.Pi / float64(n), Size: [3]int32{n, n, n}}
	for row := range n * n {
		grid.Runs = append(grid.Runs, geometry.Run{X1: n, Y: row % n, Z: row / n})
	}
	grid.Links.Directions = len(geometry.Directions)
	settings := airflow.DefaultSettings()
	settings.KinematicViscosity, settings.Density, settings.FlowRate = 1./vorticesReynolds, 1, 0
	settings.TimeStep = speed * grid.Spacing
	settings.Initial = func(p r3.Vec) (float64, r3.Vec) {
		sx, cx := math.Sincos(p.X)
		sy, cy := math.Sincos(p.Y)
		cz := math.Cos(p.Z)
		return (math.Cos(2*p.X) + math.Cos(2*p.Y)) * (math.Cos(2*p.Z) + 2) / 16, r3.Vec{X: sx * cy * cz, Y: -cx * sy * cz}
	}
	settings.InitialStrain = func(p r3.Vec) [6]float64 {
		sx, cx := math.Sincos(p.X)
		sy, cy := math.Sincos(p.Y)
		sz, cz := math.Sincos(p.Z)
		return [6]float64{cx * cy * cz, -cx * cy * cz, 0, 0, -sx * cy * sz / 2, cx * sy * sz / 2}
	}
	steps := 2 * max(1, int64(math.Round(between/settings.TimeStep/2)))
	d := &vortexHistory{}
	_, err := s.computeOn(grid, [3]bool{true, true, true}, settings, 2, func(c *airflow.Rank) error {
		for {
			fields, err := c.Fields()
			if err != nil {
				return err
			}
			now := c.Time()
			d.times, d.energy = append(d.times, now), append(d.energy, kineticEnergy(fields))
			if d.enstrophy == 0 && now >= look {
				d.seen, d.enstrophy = now, enstrophy(fields, int(n))
			}
			s.options.Progress(fmt.Sprintf("Taylor–Green %d³", n), now/end)
			if now >= end+0.2 {
				return nil
			}
			if err := c.Advance(s.ctx, steps, nil); err != nil {
				return err
			}
		}
	})
	return d, err
}

// dissipation is −dE/dt by central differences.
func (d *vortexHistory) dissipation() Curve {
	var c Curve
	for i := 1; i < len(d.times)-1; i++ {
		c.X = append(c.X, d.times[i])
		c.Y = append(c.Y, -(d.energy[i+1]-d.energy[i-1])/(d.times[i+1]-d.times[i-1]))
	}
	return c
}

// smooth takes means over so many values on either side.
func smooth(c Curve, beside int) Curve {
	s := Curve{Name: c.Name, X: c.X, Y: make([]float64, len(c.Y))}
	for i := range c.Y {
		first, last := max(0, i-beside), min(len(c.Y), i+beside+1)
		for _, v := range c.Y[first:last] {
			s.Y[i] += v / float64(last-first)
		}
	}
	return s
}

// peakOf is the largest value of a curve, smoothed over so many values, and its
// place, by a parabola through three.
func peakOf(c Curve, values int) (top, at float64) {
	c = smooth(c, values/2)
	k := 1
	for i := 1; i < len(c.Y)-1; i++ {
		if c.Y[i] > c.Y[k] {
			k = i
		}
	}
	before, middle, after := c.Y[k-1], c.Y[k], c.Y[k+1]
	offset := 0.0
	if bend := before - 2*middle + after; bend != 0 {
		offset = 0.5 * (before - after) / bend
	}
	return middle - 0.25*(before-after)*offset, c.X[k] + offset*(c.X[k]-c.X[k-1])
}

// kineticEnergy is half the mean square of the velocity.
func kineticEnergy(f *airflow.Fields) float64 {
	var sum float64
	for _, component := range f.Velocity {
		for _, v := range component {
			sum += float64(v) * float64(v)
		}
	}
	return sum / 2 / float64(len(f.Velocity[0]))
}

// enstrophy is half the mean square of the vorticity in a periodic cube of side 2π
// with n cells a side, by Fourier derivatives.
func enstrophy(f *airflow.Fields, n int) float64 {
	var sum float64
	vorticity := make([]float32, n*n*n)
	for a := range 3 {
		b, c := (a+1)%3, (a+2)%3
		clear(vorticity)
		addDerivative(vorticity, f.Velocity[c], n, b, 1)
		addDerivative(vorticity, f.Velocity[b], n, c, -1)
		for _, v := range vorticity {
			sum += float64(v) * float64(v)
		}
	}
	return sum / 2 / float64(n*n*n)
}

// addDerivative adds the derivative along an axis, times a factor.
func addDerivative(to, from []float32, n, axis int, factor float64) {
	strides := [3]int{1, n, n * n}
	along, one, other := strides[axis], strides[(axis+1)%3], strides[(axis+2)%3]
	parallel.New(runtime.GOMAXPROCS(0)).RangesOf(n, 8, func(first, last int) {
		fft := fourier.NewFFT(n)
		line, coefficients := make([]float64, n), make([]complex128, n/2+1)
		for j := first; j < last; j++ {
			for i := range n {
				at := i*one + j*other
				for x := range n {
					line[x] = float64(from[at+x*along])
				}
				fft.Coefficients(coefficients, line)
				for m := range coefficients {
					coefficients[m] *= complex(0, factor*float64(m)/float64(n))
				}
				coefficients[n/2] = 0
				fft.Sequence(line, coefficients)
				for x := range n {
					to[at+x*along] += float32(line[x])
				}
			}
		}
	})
}
