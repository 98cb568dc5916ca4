package shallow

import (
	"encoding/binary"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

const gravity = 9.81

// field is a grid of so many cells and metres, from 0 on.
func field(cells [2]int32, length float64) *geometry.Grid {
	g := generate.FullGrid([3]int32{cells[0], cells[1], 1})
	g.Spacing, g.Origin = length/float64(cells[0]), r3.Vec{}
	return g
}

// lake is water that stands at a level.
func lake(level float64, bottom func(r3.Vec) float64) func(r3.Vec) (float64, [2]float64) {
	return func(p r3.Vec) (float64, [2]float64) { return max(0, level-bottom(p)), [2]float64{} }
}

// A lake rests, whatever its islands and shores, and however little of a cell is wet.
func TestLakeRests(t *testing.T) {
	race.SkipArithmetic(t)
	bottom := func(p r3.Vec) float64 { return math.Sin(31*p.X)*math.Cos(23*p.Y) + p.X }
	for _, w := range []*Water{{}, {Euler: true}, {Single: true}} {
		most := 1e-12
		if w.Single {
			most = 1e-4
		}
		for _, level := range []float64{0.1, 3} {
			w.Gravity, w.Bottom, w.Initial = gravity, bottom, lake(level, bottom)
			g := pond()
			g.Spacing, g.Origin = 0.03, r3.Vec{}
			dry := 0
			steps(t, g, w, restSteps, func(l *solver.Layout, k Kernel) {
				l.EachCell(func(c, x, y, z int32) {
					want, _ := w.Initial(g.Center(x, y, z))
					if want == 0 {
						dry++
					}
					if h, flow := k.At(c); math.Abs(h-want) > most || math.Hypot(flow[0], flow[1]) > most {
						t.Fatalf("level %g, cell %d, %d: depth %g, not %g, discharge %g", level, x, y, h, want, flow)
					}
				})
			})
			if (dry > 0) != (level < 1) {
				t.Errorf("level %g: %d cells are dry", level, dry)
			}
		}
	}
}

// On random ground with random water no depth is negative and no water is lost.
func TestDepthsStayPositive(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := &Water{Gravity: gravity, Euler: rapid.Bool().Draw(r, "Euler"), Single: rapid.Bool().Draw(r, "single")}
		size := [2]int32{rapid.Int32Range(1, 12).Draw(r, "columns"), rapid.Int32Range(1, 9).Draw(r, "rows")}
		g := field(size, float64(size[0]))
		number := func(from, to float64, name string) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(from, to), int(size[0]*size[1]), int(size[0]*size[1])).Draw(r, name)
		}
		ground, depths, u, v := number(-5, 5, "ground"), number(-3, 3, "depths"), number(-9, 9, "u"), number(-9, 9, "v")
		at := func(p r3.Vec) int { return int(p.Y)*int(size[0]) + int(p.X) }
		w.Bottom = func(p r3.Vec) float64 { return ground[at(p)] }
		w.Initial = func(p r3.Vec) (float64, [2]float64) {
			h := max(0, depths[at(p)])
			return h, [2]float64{h * u[at(p)], h * v[at(p)]}
		}
		var before float64
		for _, h := range depths {
			before += max(0, h)
		}
		var after float64
		lowest := math.Inf(1)
		steps(t, g, w, 30, func(l *solver.Layout, k Kernel) {
			for c := range int32(l.Cells) {
				h, flow := k.At(c)
				if after += h; math.IsNaN(h + flow[0] + flow[1]) {
					h = -1
				}
				lowest = min(lowest, h)
			}
		})
		most := 1e-12
		if w.Single {
			most = 1e-6
		}
		if !(lowest >= 0) || !(math.Abs(after-before) <= most*(before+1e-9)) {
			r.Fatalf("%.17g m of water became %.17g, at least %g", before, after, lowest)
		}
	})
}

// Dams break onto water (Stoker 1957), thin water and dry ground (Ritter 1892), along both
// axes: the depth is known everywhere.
func TestDamBreaks(t *testing.T) {
	race.SkipArithmetic(t)
	for _, dam := range []struct{ length, high, low, until, middle, shock, most float64 }{
		{10, 0.005, 0.001, 6, 0.00253936, 0.209963, 0.01},
		{100, 1, 0.1, 10, 0.396175, 3.105134, 0.01},
		{100, 1, 0, 7, 0, 2 * math.Sqrt(gravity), 0.01},
	} {
		c := math.Sqrt(gravity * dam.high)
		exact := func(s float64) float64 {
			switch {
			case s < -c:
				return dam.high
			case s < 2*c-3*math.Sqrt(gravity*dam.middle):
				return (2*c - s) * (2*c - s) / (9 * gravity)
			case s < dam.shock:
				return dam.middle
			}
			return dam.low
		}
		for axis := range 2 {
			along := func(p r3.Vec) float64 { return [2]float64{p.X, p.Y}[axis] - dam.length/2 }
			errors := [2]float64{}
			for i, cells := range []int32{100, 400} {
				size := [3]int32{3, 3, 1}
				size[axis] = cells
				g := generate.FullGrid(size)
				g.Spacing, g.Origin = dam.length/float64(cells), r3.Vec{}
				w := &Water{Gravity: gravity, Thin: 1e-6, Initial: func(p r3.Vec) (float64, [2]float64) {
					if along(p) < 0 {
						return dam.high, [2]float64{}
					}
					return dam.low, [2]float64{}
				}}
				run(t, g, w, dam.until, func(l *solver.Layout, k Kernel) {
					var off, total float64
					l.EachCell(func(cell, x, y, z int32) {
						h, _ := k.At(cell)
						want := exact(along(g.Center(x, y, z)) / k.Time())
						off, total = off+math.Abs(h-want), total+want
					})
					errors[i] = off / total
				})
			}
			order := math.Log2(errors[0]/errors[1]) / 2
			t.Logf("%g m onto %g m along axis %d: off by %.2g, order %.2f", dam.high, dam.low, axis, errors[1], order)
			if errors[1] > dam.most || order < 0.7 {
				t.Errorf("%g m onto %g m along axis %d: the depth is off by %.2g, of order %.2f", dam.high, dam.low, axis, errors[1], order)
			}
		}
	}
}

// Water swings in a paraboloid as Thacker (1981, J. Fluid Mech. 107) says, planar and
// radial, with a shore that wanders over cells.
func TestThackersBowl(t *testing.T) {
	race.SkipArithmetic(t)
	const a, h0, eta = 1., 0.1, 0.5
	const r0 = 0.8
	const amplitude = (a*a - r0*r0) / (a*a + r0*r0)
	center := r3.Vec{X: 2, Y: 2}
	bowl := func(p r3.Vec) float64 { p.Z = 0; return h0 * (r3.Norm2(r3.Sub(p, center))/(a*a) - 1) }
	for _, swing := range []struct {
		name   string
		period float64
		exact  func(p r3.Vec, time float64) (float64, [2]float64)
	}{
		{"planar", 4.48570, func(p r3.Vec, time float64) (float64, [2]float64) {
			omega := math.Sqrt(2*gravity*h0) / a
			sin, cos := math.Sincos(omega * time)
			q := r3.Sub(p, center)
			h := max(0, eta*h0/(a*a)*(2*q.X*cos+2*q.Y*sin-eta)-bowl(p))
			return h, [2]float64{-h * eta * omega * sin, h * eta * omega * cos}
		}},
		{"radial", 2.24285, func(p r3.Vec, time float64) (float64, [2]float64) {
			omega := math.Sqrt(8*gravity*h0) / a
			sin, cos := math.Sincos(omega * time)
			q := r3.Sub(p, center)
			s := 1 - amplitude*cos
			square := (q.X*q.X + q.Y*q.Y) / (a * a)
			h := max(0, h0*(math.Sqrt(1-amplitude*amplitude)/s-1-square*((1-amplitude*amplitude)/(s*s)-1))-bowl(p))
			u := 0.5 * omega * amplitude * sin / s
			return h, [2]float64{h * u * q.X, h * u * q.Y}
		}},
	} {
		sizes := thackerSizes
		var errors []float64
		for _, cells := range sizes {
			g := field([2]int32{cells, cells}, 4)
			w := &Water{Gravity: gravity, Bottom: bowl, Thin: 1e-6, Initial: func(p r3.Vec) (float64, [2]float64) { return swing.exact(p, 0) }}
			run(t, g, w, thackerPeriods*swing.period, func(l *solver.Layout, k Kernel) {
				var off, total float64
				l.EachCell(func(cell, x, y, z int32) {
					h, _ := k.At(cell)
					want, _ := swing.exact(g.Center(x, y, z), k.Time())
					off, total = off+math.Abs(h-want), total+want
				})
				errors = append(errors, off/total)
			})
		}
		last := errors[len(errors)-1]
		order := math.Log2(errors[0]/last) / float64(len(errors)-1)
		t.Logf("%s: off by %.3g, of order %.2f", swing.name, errors, order)
		if order < 1.35 || last > 0.02 {
			t.Errorf("%s: off by %.3g, of order %.2f", swing.name, errors, order)
		}
	}
}

// Friction alone slows water as du/dt = −a·u² says.
func TestFriction(t *testing.T) {
	const h, u0 = 0.7, 2.
	for _, w := range []*Water{{Manning: 0.03}, {Chezy: 30}, {Manning: 0.03, Euler: true}, {Chezy: 30, Single: true}} {
		w.Gravity = gravity
		a := gravity * w.Manning * w.Manning / math.Pow(h, 4./3)
		if w.Chezy > 0 {
			a = gravity / (h * w.Chezy * w.Chezy)
		}
		w.Initial = func(r3.Vec) (float64, [2]float64) { return h, [2]float64{0.6 * h * u0, 0.8 * h * u0} }
		check := func(k Kernel, want, off float64) {
			depth, flow := k.At(0)
			if got := math.Hypot(flow[0], flow[1]) / depth; math.Abs(got/want-1) > off || math.Abs(depth/h-1) > 1e-5 {
				t.Errorf("%+v: %.9g m/s at a depth of %g m, not %.9g", w, got, depth, want)
			}
		}
		c := &enginetest.Case{Grid: field([2]int32{6, 5}, 6), Periodic: [3]bool{true, true, false}}
		compute(t, c, w, func(n int, _ float64) bool { return n == 40 }, func(_ *solver.Layout, k Kernel) {
			check(k, u0/(1+a*u0*k.Time()), 1e-5)
		})
	}
}

// What flows in is there, on dry ground and in water, and a uniform stream passes through
// edges as it comes.
func TestEdges(t *testing.T) {
	const q = 0.3
	for side := range sides {
		for _, w := range []*Water{{}, {Euler: true}, {Single: true}} {
			for _, h := range []float64{0, 0.5} {
				w.Gravity = gravity
				g := field([2]int32{12, 12}, 12)
				w.Initial = func(r3.Vec) (float64, [2]float64) { return h, [2]float64{} }
				w.Edge = func(p r3.Vec, s Side) float64 {
					if s == side && ([]float64{p.X, 12 - p.X, p.Y, 12 - p.Y})[s] < 1 {
						return q
					}
					return 0
				}
				steps(t, g, w, 40, func(l *solver.Layout, k Kernel) {
					var volume float64
					for c := range int32(l.Cells) {
						depth, _ := k.At(c)
						volume += depth
					}
					if want := 144*h + 12*q*k.Time(); math.Abs(volume/want-1) > 1e-5 || !w.Single && math.Abs(volume/want-1) > 1e-12 {
						t.Errorf("side %d, %+v: after %g s there are %g m³, not %g", side, w, k.Time(), volume, want)
					}
				})
				// The stream leaves at the other side as fast as it comes.
				u := [2]float64{}
				u[side/2] = []float64{1, -1}[side%2]
				w.Initial = func(r3.Vec) (float64, [2]float64) { return q, [2]float64{q * u[0], q * u[1]} }
				flows := w.Edge
				w.Edge = func(p r3.Vec, s Side) float64 {
					if s == side^1 {
						return Outflow
					}
					return flows(p, s)
				}
				steps(t, g, w, 40, func(l *solver.Layout, k Kernel) {
					for c := range int32(l.Cells) {
						if depth, flow := k.At(c); math.Abs(depth-q) > 1e-5 || math.Abs(flow[side/2]-q*u[side/2]) > 1e-5 {
							t.Fatalf("side %d, %+v: a depth of %g m flows with %g m²/s", side, w, depth, flow)
						}
					}
				})
			}
		}
	}
}

// Records are the greatest depth of all steps that they are kept in, and the first of them
// in which the ground was flooded; the last step ends when it is to.
func TestRecords(t *testing.T) {
	const wet, end = 0.1, 0.7
	for _, w := range []*Water{{}, {Euler: true}, {Edge: func(r3.Vec, Side) float64 { return Outflow }}} {
		w.Gravity, w.Bottom, w.Wet, w.End = gravity, hills, wet, end
		w.Initial = func(p r3.Vec) (float64, [2]float64) { return max(0, 1-p.X), [2]float64{} }
		c := &enginetest.Case{Grid: pond(), Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{w}, nil }}
		c.Grid.Spacing, c.Grid.Origin = 0.1, r3.Vec{}
		enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
			r, err := c.New(solver.WholeDomain(c.Grid), 1, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			k := r.Kernel(0).(Kernel)
			most, arrival := make([]float64, r.Layout().Cells), make([]float64, r.Layout().Cells)
			for n := 0; k.Time() < end; n++ {
				for i := range most {
					h, _ := k.At(int32(i))
					if n == 0 {
						most[i], arrival[i] = h, -1
					}
					if n%RecordEvery == 0 {
						if most[i] = max(most[i], h); arrival[i] < 0 && h >= wet {
							arrival[i] = k.Time()
						}
					}
				}
				if err := r.Step(); err != nil {
					return err
				}
			}
			if k.Time() != end || k.(Clock).Entered(North) != k.Time() {
				t.Errorf("it ends after %g s", k.Time())
			}
			s, err := r.SaveState()
			if err != nil {
				return err
			}
			late := 0
			for i := range most {
				value := func(number int) float64 {
					return math.Float64frombits(binary.NativeEndian.Uint64(s.Records[i*s.RecordBytes+8*number:]))
				}
				h, _ := k.At(int32(i))
				if value(StateDepth) != h || value(StateBottom) != hills(c.Grid.Center(r.Layout().PieceOf(int32(i)).X0+int32(i)-r.Layout().PieceOf(int32(i)).Index, r.Layout().PieceOf(int32(i)).Y, 0)) {
					t.Fatalf("cell %d: the state has another depth, or height", i)
				}
				if r.Steps()%RecordEvery == 0 {
					if most[i] = max(most[i], h); arrival[i] < 0 && h >= wet {
						arrival[i] = k.Time()
					}
				}
				if arrival[i] > 0 {
					late++
				}
				if got := value(w.StateRecords()); got != most[i] || value(w.StateRecords()+1) != arrival[i] {
					t.Fatalf("cell %d: %g m at most, first flooded after %g s, not %g and %g", i, got, value(w.StateRecords()+1), most[i], arrival[i])
				}
			}
			if late < 10 {
				t.Errorf("%d cells are flooded later on", late)
			}
			return nil
		})
	}
}

// More may be set for a longer look.
var (
	restSteps      = 100
	thackerSizes   = []int32{24, 48, 96}
	thackerPeriods = 1.0
)
