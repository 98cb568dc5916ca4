package airflow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"carina/internal/crash"
	"carina/solver"
	"carina/solver/transport"
)

// SaveState returns a copy of all that the rank's next steps depend on, after any
// step.
func (r *Rank) SaveState() (*solver.State, error) { return r.SaveStateInto(nil) }

// SaveStateInto is SaveState in the memory of a state that nobody needs any more; nil is
// none.
func (r *Rank) SaveStateInto(spare *solver.State) (*solver.State, error) {
	s, err := r.engine.SaveStateInto(spare)
	if err == nil {
		s.Run = r.course()
	}
	return s, err
}

// LoadState goes on from a state that any number of ranks have saved with the same
// grid and settings, given what all of them have. Call it on all ranks.
func (r *Rank) LoadState(saved []*solver.State) error {
	r.summed = never
	if err := r.engine.LoadState(saved); err != nil {
		return err
	}
	return transport.Agree(r.engine.Transport(), r.follow(saved[0].Run))
}

// coming is a move that is being prepared: the rest is there when done is closed.
type coming struct {
	domain   *solver.Domain // as it was given
	flow     airflow
	prepared *solver.Prepared // nil where that has failed
	done     chan struct{}
}

// Prepare begins to prepare a Move to a domain in which cells have other owners, beside the
// steps; done is closed when the rank is ready.
func (r *Rank) Prepare(domain *solver.Domain) (done <-chan struct{}) {
	c := &coming{domain: domain, flow: *r.airflow, done: make(chan struct{})}
	c.flow.domain = domain
	r.coming = c
	prepare := r.engine.Prepare(domain, solver.Together{r.backend.Physics(newFlow(&c.flow))})
	go func() {
		defer crash.Guard()
		defer close(c.done)
		// What cannot be prepared fails again in Move, which tells it on all ranks.
		c.prepared, _ = prepare()
	}()
	return c.done
}

// preparedFor is what was prepared of a move, if all ranks have done so, and nil elsewhere.
func (r *Rank) preparedFor(domain *solver.Domain) (*coming, error) {
	c, all := r.coming, []int64{0}
	r.coming = nil
	if c != nil {
		if <-c.done; c.domain == domain && c.prepared != nil {
			all[0] = 1
		}
	}
	if err := r.engine.Transport().Reduce(transport.Min, all); err != nil || all[0] == 0 {
		return nil, err
	}
	return c, nil
}

// Move gives cells to other owners, after any step: the domain is the same but for
// these. Call it on all ranks. If it fails, the rank is as it was.
func (r *Rank) Move(domain *solver.Domain) error {
	coming, err := r.preparedFor(domain)
	if err != nil {
		return err
	}
	t := r.engine.Transport()
	if coming == nil {
		if domain, _, err = solver.Rounded(domain, r.engine.Device().Unit(), t); err != nil {
			return err
		}
		if same, err := r.engine.SameOwners(domain); same || err != nil {
			return err
		}
	} else {
		domain = coming.prepared.Domain()
	}
	device, err := r.backend.Open(t)
	if err := transport.Agree(t, err); err != nil {
		if device != nil {
			device.Close()
		}
		return err
	}
	flow := *r.airflow
	flow.domain = domain
	if b, ok := r.kernel.(*bound); ok {
		flow.like = b.layout.Sizes()
	}
	var e *solver.Rank
	if physics := (solver.Together{r.backend.Physics(newFlow(&flow))}); coming != nil {
		e, err = r.engine.MovePrepared(coming.prepared, physics, device)
	} else {
		e, err = r.engine.Move(domain, physics, device)
	}
	if err != nil {
		return err
	}
	r.airflow = &flow
	if err := r.take(e); err != nil || !r.keeps {
		return err
	}
	return r.kernel.Keep()
}

// What a flow keeps of its cells beside the populations, alike on all devices: the mean
// over time, relative to the ambient pressure, and the velocity, in cells per step, in
// the cells that a steadyWatch samples.
const (
	meanValues, sampleValues = "mean fields", "sampled velocity"
	meanBytes, sampleBytes   = 4 * 4, 3 * 8
)

// Mean is what ranks have alike of a mean over time: how many observations it is of,
// and the mean of the ambient pressure, in Pa.
type Mean struct {
	Count   int64
	Ambient float64
}

// Remembered is what a flow keeps beside the populations, in the order of the pieces.
type Remembered struct {
	// Mean is that of Fields; nil where there is none. Fields have pressure and
	// velocity of each cell together.
	Mean   *Mean
	Fields [][4]float32
	// Sample is the velocity in every SampleStride-th cell of the whole; nil where there
	// is none.
	Sample [][3]float64
}

var errRemembered = errors.New("what the state keeps beside the flow is not what flows keep")

// Beside is what is kept as the engine has it.
func (k *Remembered) Beside() (list []solver.Beside) {
	if k.Mean != nil {
		head := binary.LittleEndian.AppendUint64(nil, uint64(k.Mean.Count))
		head = binary.LittleEndian.AppendUint64(head, math.Float64bits(k.Mean.Ambient))
		list = append(list, solver.Beside{Name: meanValues, Every: 1, Bytes: meanBytes, Head: head, Values: bytesOf(k.Fields)})
	}
	if k.Sample != nil {
		list = append(list, solver.Beside{Name: sampleValues, Every: SampleStride, Bytes: sampleBytes, Values: bytesOf(k.Sample)})
	}
	return list
}

// RememberedOf is what the engine has of it.
func RememberedOf(list []solver.Beside) (k Remembered, err error) {
	const headBytes = 16
	for _, b := range list {
		switch {
		case b.Name == meanValues && b.Every == 1 && b.Bytes == meanBytes && len(b.Head) == headBytes:
			k.Mean = &Mean{int64(binary.LittleEndian.Uint64(b.Head)), math.Float64frombits(binary.LittleEndian.Uint64(b.Head[8:]))}
			k.Fields = make([][4]float32, len(b.Values)/meanBytes)
			copy(bytesOf(k.Fields), b.Values)
		case b.Name == sampleValues && b.Every == SampleStride && b.Bytes == sampleBytes:
			k.Sample = make([][3]float64, len(b.Values)/sampleBytes)
			copy(bytesOf(k.Sample), b.Values)
		default:
			return k, errRemembered
		}
		if k.Mean != nil && (k.Mean.Count < 0 || math.IsNaN(k.Mean.Ambient)) {
			return k, errRemembered
		}
	}
	return k, nil
}

// bytesOf are the bytes of values in memory.
func bytesOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}

// EachSampled calls f for the cells of a rank that are sampled, by global number.
func EachSampled(l *solver.Layout, f func(global int64, p *solver.Piece)) {
	for i := range l.Pieces {
		p := &l.Pieces[i]
		global := (p.Global + SampleStride - 1) / SampleStride * SampleStride
		for end := p.Global + int64(p.Cells()); global < end; global += SampleStride {
			f(global, p)
		}
	}
}

// SaveBeside returns what is kept beside the populations.
func (r *bound) SaveBeside() ([]solver.Beside, error) {
	var k Remembered
	if a := r.average; a != nil {
		k.Mean, k.Fields = &Mean{a.count, a.ambient}, make([][4]float32, r.layout.Fluid)
		for v, from := range a.sums.arrays() {
			for i, value := range from {
				k.Fields[i][v] = value
			}
		}
	}
	if r.before != nil {
		k.Sample = [][3]float64{}
		EachSampled(r.layout.Layout, func(global int64, _ *solver.Piece) { k.Sample = append(k.Sample, r.before[global]) })
	}
	list, err := r.statistics.Beside()
	return append(k.Beside(), list...), err
}

// LoadBeside takes it over.
func (r *bound) LoadBeside(list []solver.Beside) error {
	list, err := r.statistics.LoadBeside(list)
	if err != nil {
		return err
	}
	k, err := RememberedOf(list)
	if err != nil {
		return err
	}
	r.average, r.before = nil, nil
	if k.Mean != nil {
		r.average = &average{sums: newFields(len(k.Fields)), count: k.Mean.Count, ambient: k.Mean.Ambient}
		for v, to := range r.average.sums.arrays() {
			for i := range to {
				to[i] = k.Fields[i][v]
			}
		}
	}
	if k.Sample != nil {
		r.before = map[int64][3]float64{}
		next := k.Sample
		EachSampled(r.layout.Layout, func(global int64, _ *solver.Piece) {
			r.before[global] = next[0]
			next = next[1:]
		})
	}
	return nil
}

// course is what a rank knows of how the flow has gone, alike on all.
type course struct {
	// Sums is how many sums of openings follow, 0 where those of the last step are not
	// known.
	Sums                          int64
	Fastest                       float64
	Tolerance                     float64 // 0 where nothing is watched
	Interval, Next, Quiet, Judged int64
	Change, Previous              float64
}

// course is that of the rank.
func (r *Rank) course() []byte {
	c := course{Fastest: r.fastest}
	if w := r.watch; w != nil {
		c = course{0, r.fastest, w.tolerance, w.interval, w.next, int64(w.quiet), int64(w.judged), w.Change, w.previous}
	}
	var sums []int64
	if r.summed != never && r.summed == r.engine.Steps() {
		sums = r.sums
	}
	c.Sums = int64(len(sums))
	var data bytes.Buffer
	// Numbers of known size are always written to memory.
	_ = binary.Write(&data, binary.LittleEndian, c)
	_ = binary.Write(&data, binary.LittleEndian, sums)
	return append(data.Bytes(), r.still.Save()...)
}

// follow goes on with what a state says of how the flow has gone.
func (r *Rank) follow(data []byte) error {
	var c course
	size := binary.Size(c)
	if len(data) < size {
		return errRemembered
	}
	if _, err := binary.Decode(data[:size], binary.LittleEndian, &c); err != nil {
		return err
	}
	if !(c.Tolerance >= 0) || c.Interval < 0 || c.Next < 0 || c.Quiet < 0 || c.Judged < 0 || !(c.Fastest >= 0) {
		return errRemembered
	}
	const number = 8 // bytes of a sum
	data = data[size:]
	if c.Sums != 0 && c.Sums != int64(len(r.sums)) || int64(len(data)) < number*c.Sums {
		return errRemembered
	}
	if err := r.still.Load(data[number*c.Sums:]); err != nil {
		return err
	}
	if c.Sums > 0 {
		for i := range r.sums {
			r.sums[i] = int64(binary.LittleEndian.Uint64(data[number*i:]))
		}
		r.summed = r.engine.Steps()
	}
	r.fastest, r.watch = c.Fastest, nil
	if c.Tolerance > 0 {
		r.watch = &steadyWatch{Change: c.Change, tolerance: c.Tolerance, interval: c.Interval, next: c.Next, quiet: int(c.Quiet), judged: int(c.Judged), previous: c.Previous}
	}
	return nil
}
