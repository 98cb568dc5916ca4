package airflow

import (
	"cmp"
	"fmt"
	"math"
	"sort"

	"carina/geometry"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// average is the mean of fields over time.
type average struct {
	sums  *Fields // relative to the ambient pressure
	count int64
	// ambient is the mean of the ambient pressure, in Pa.
	ambient float64
}

func (a *average) add(f *Fields) {
	a.count++
	for i, from := range f.arrays() {
		to := a.sums.arrays()[i]
		for cell, v := range from {
			// The running mean loses no precision with the number of samples.
			to[cell] += (v - to[cell]) / float32(a.count)
		}
	}
}

// StartAverage begins a new average over time of the rank's fields, with one
// sample every 50 steps.
func (r *Rank) StartAverage() error { return r.kernel.StartAverage() }

// Average returns the mean fields of the rank's own cells since StartAverage,
// or nil if there are no samples.
func (r *Rank) Average() (*Fields, error) { return r.kernel.Average() }

// StartAverage begins a mean over time.
func (r *bound) StartAverage() error {
	r.average = &average{sums: newFields(r.layout.Fluid)}
	return nil
}

// AddToAverage adds the present fields to the mean.
func (r *bound) AddToAverage() error {
	if r.average == nil {
		return nil
	}
	f, err := r.Relative()
	if err != nil {
		return err
	}
	r.average.add(f)
	r.average.ambient += (r.ambientNow - r.average.ambient) / float64(r.average.count)
	return nil
}

// Average returns the mean.
func (r *bound) Average() (*Fields, error) {
	if r.average == nil || r.average.count == 0 {
		return nil, nil
	}
	a := r.average
	if a.ambient == 0 {
		return a.sums, nil
	}
	f := *a.sums
	f.Pressure = make([]float32, len(f.Pressure))
	for i, p := range a.sums.Pressure {
		f.Pressure[i] = float32(float64(p) + a.ambient)
	}
	return &f, nil
}

// Snapshot begins to copy the fields of the rank's own cells, which wait returns.
// Steps may follow at once; devices copy while they compute.
func (r *Rank) Snapshot() (wait func() (*Fields, error), err error) { return r.kernel.Snapshot() }

// Sample is the flow at a point.
type Sample struct {
	// Inside tells whether the point lies in a fluid cell.
	Inside bool
	// Pressure is in Pa, Velocity in m/s.
	Pressure float64
	Velocity r3.Vec
}

// Probe returns the flow in the cells that hold the given points. Call it on
// all ranks after an even number of steps; all get the same.
func (r *Rank) Probe(points []r3.Vec) ([]Sample, error) {
	const fields = 5
	sums := make([]int64, fields*len(points))
	var cells []int32
	var probed []int // points that lie in own cells
	for i, p := range points {
		if cell := r.ownCell(p); cell >= 0 {
			cells, probed = append(cells, cell), append(probed, i)
		}
	}
	f, err := r.kernel.FieldsAt(cells)
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return nil, fmt.Errorf("probing the flow: %w", err)
	}
	for n, i := range probed {
		sums[fields*i] = 1
		for k, a := range f.arrays() {
			// One rank owns the cell, so that adding up passes the bits on.
			sums[fields*i+1+k] = int64(math.Float32bits(a[n]))
		}
	}
	if err := r.engine.Transport().Reduce(transport.Sum, sums); err != nil {
		return nil, fmt.Errorf("collecting the probes: %w", err)
	}
	samples := make([]Sample, len(points))
	for i := range samples {
		s := sums[fields*i:]
		value := func(k int) float64 { return float64(math.Float32frombits(uint32(s[1+k]))) }
		samples[i] = Sample{s[0] > 0, value(0), r3.Vec{X: value(1), Y: value(2), Z: value(3)}}
	}
	return samples, nil
}

// ownCell returns the index in Fields of the own cell that holds a point, or −1.
func (r *Rank) ownCell(p r3.Vec) int32 {
	c := r3.Scale(1/r.domain.Grid.Spacing, r3.Sub(p, r.domain.Grid.Origin))
	x, y, z := int32(math.Floor(c.X)), int32(math.Floor(c.Y)), int32(math.Floor(c.Z))
	pieces := r.layout.Pieces
	i := sort.Search(len(pieces), func(i int) bool {
		q := &pieces[i]
		return cmp.Or(cmp.Compare(q.Z, z), cmp.Compare(q.Y, y), cmp.Compare(q.X1, x+1)) >= 0
	})
	if i == len(pieces) || pieces[i].Z != z || pieces[i].Y != y || pieces[i].X0 > x {
		return -1
	}
	return pieces[i].Index + x - pieces[i].X0
}

// PlaneFlow returns the flow along the normal through a disc, in m³/s, and the
// mean pressure on it, from the layer of cells within half a spacing. Call it
// on all ranks after an even number of steps; all get the same.
func (r *Rank) PlaneFlow(center, normal r3.Vec, radius float64) (flow, pressure float64, err error) {
	plane := disc{center, r3.Unit(normal), radius, r.domain.Grid.Spacing}
	var cells []int32
	for _, p := range r.layout.Pieces {
		for x := p.X0; x < p.X1; x++ {
			if plane.holds(r.domain.Grid.Center(x, p.Y, p.Z)) {
				cells = append(cells, p.Index+x-p.X0)
			}
		}
	}
	f, err := r.kernel.FieldsAt(cells)
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return 0, 0, fmt.Errorf("measuring the flow through a plane: %w", err)
	}
	var sums planeSums
	ambient := r.ambientAfter(r.engine.Steps())
	for i := range cells {
		sums.add(&plane, r.units, f.Pressure[i]-float32(ambient), [3]float32{f.Velocity[0][i], f.Velocity[1][i], f.Velocity[2][i]})
	}
	if err := r.engine.Transport().Reduce(transport.Sum, sums[:]); err != nil {
		return 0, 0, fmt.Errorf("summing the flow through a plane: %w", err)
	}
	flow, pressure = sums.result(r.units, ambient)
	return flow, pressure, nil
}

// disc is one layer of cells thick.
type disc struct {
	center, normal  r3.Vec // normal is of length one
	radius, spacing float64
}

// holds tells whether a cell with the given centre belongs to the plane.
func (p *disc) holds(center r3.Vec) bool {
	d := r3.Sub(center, p.center)
	along := r3.Dot(d, p.normal)
	return math.Abs(along) < p.spacing/2 && r3.Norm2(d)-along*along <= p.radius*p.radius
}

// planeSums are the number of cells of a plane and the sums of velocity along
// the normal and pressure over them, in fixed point.
type planeSums [3]int64

// add adds a cell.
func (s *planeSums) add(p *disc, u Units, pressure float32, velocity [3]float32) {
	v := r3.Vec{X: float64(velocity[0]), Y: float64(velocity[1]), Z: float64(velocity[2])}
	s[0]++
	s[1] += toFixed(r3.Dot(v, p.normal) / u.Velocity())
	s[2] += toFixed(float64(pressure) / u.Pressure())
}

// result is the flow in m³/s and the mean pressure in Pa, zero for a plane
// without cells.
func (s *planeSums) result(u Units, ambient float64) (flow, pressure float64) {
	if s[0] == 0 {
		return 0, 0
	}
	return fromFixed(s[1]) * u.FlowRate(), fromFixed(s[2])*u.Pressure()/float64(s[0]) + ambient
}

// cellFinder finds the global numbers of cells.
type cellFinder struct {
	grid   *geometry.Grid
	starts []int64
}

func newCellFinder(grid *geometry.Grid) *cellFinder { return &cellFinder{grid, grid.Starts()} }

// number returns the global number of a cell, or −1.
func (c *cellFinder) number(x, y, z int32) int {
	runs := c.grid.Runs
	low, high := 0, len(runs)
	for low < high {
		mid := (low + high) / 2
		if r := &runs[mid]; r.Z < z || r.Z == z && (r.Y < y || r.Y == y && r.X1 <= x) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(runs) || runs[low].Z != z || runs[low].Y != y || runs[low].X0 > x {
		return -1
	}
	return int(c.starts[low]) + int(x-runs[low].X0)
}
