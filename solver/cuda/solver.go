package cuda

import (
	"context"
	"fmt"
	"math"
	"time"
	"unsafe"

	"carina/solver"
)

// Storage names how populations are stored; all is computed in 32 bits.
type Storage string

// The storages.
const (
	Single Storage = "single" // 32 bits
	Half   Storage = "half"   // 16 bits, scaled by 2¹⁵
)

// Options choose device and storage.
type Options struct {
	Device  int
	Storage Storage
}

// Solver computes a flow on one GPU. It is bound to the goroutine that made
// it, which stays on its thread.
type Solver struct {
	flow   *solver.Flow
	tiles  *tileSet
	walls  *wallTables
	device device
	bits   int

	populations, rows, places, fluid, positions, order, findings address
	wallParts                                                    wallParts
	rates                                                        []uint64
	allocated                                                    []address
	bytes                                                        int64
	step                                                         [2]stepKernel
	observe                                                      [observeModes]kernel
	start                                                        float64 // of the openings as uploaded

	steps   int64
	seconds float64
}

// stepKernel is the kernel of even or odd steps.
type stepKernel struct {
	kernel  kernel
	program program
	perWarp int
}

// wallParts is struct Walls of kernels/tile.h.
type wallParts struct {
	spans, cells, links, held, openingCells, openingLinks, openings, samples, outflow address
}

// openingRecord is struct Opening of kernels/tile.h.
type openingRecord struct{ velocity, inflow, density, unused float32 }

// findings is struct Findings of kernels/observe.cu.
type findings struct {
	hash, diverged uint64
	peak, unused   uint32
}

// New prepares a computation on a GPU. Close it after use.
func New(domain *solver.Domain, settings solver.Settings, o Options) (*Solver, error) {
	flow, err := solver.NewFlow(domain, settings)
	if err != nil {
		return nil, err
	}
	if settings.Precision == solver.Double {
		return nil, fmt.Errorf("a GPU computes in single precision; choose it, or compute on the processor")
	}
	d, err := openDevice(o.Device)
	if err != nil {
		return nil, err
	}
	s, err := newSolver(flow, d, o.Storage)
	if err != nil {
		d.close()
		return nil, err
	}
	return s, nil
}

func newSolver(flow *solver.Flow, d device, storage Storage) (s *Solver, err error) {
	s = &Solver{flow: flow, device: d, bits: 32, start: math.NaN()}
	if storage == Half {
		s.bits = 16
	}
	if s.tiles, err = newTileSet(flow.Domain); err != nil {
		return nil, err
	}
	if s.walls, err = newWallTables(s.tiles, flow.Domain, flow, flow.Settings.Wall); err != nil {
		return nil, err
	}
	if err := s.checkMemory(); err != nil {
		return nil, err
	}
	if err := s.compile(); err != nil {
		return nil, err
	}
	return s, s.fillMemory()
}

// Bytes returns the memory that the computation needs on the device.
func (s *Solver) Bytes() int64 {
	const row, mask, position, order = 4 * directions, 8, 12, 4
	n := int64(len(s.tiles.position)) * (tileBytes(s.bits) + row + mask + position + order)
	if s.hasWalls() {
		t := s.walls
		n += sizeOf(t.spans) + sizeOf(t.cells) + sizeOf(t.links) + int64(len(t.links))*int64(s.bits)/8
	}
	return n
}

func (s *Solver) hasWalls() bool { return len(s.walls.links) > 0 }

func sizeOf[T any](list []T) int64 {
	var t T
	return int64(len(list)) * int64(unsafe.Sizeof(t))
}

// checkMemory says before anything is allocated whether it will fit.
func (s *Solver) checkMemory() error {
	free, _, err := s.device.memory()
	if err != nil {
		return err
	}
	if need := s.Bytes(); need > free {
		return fmt.Errorf("%d cells need %.1f GB on the GPU and %.1f GB are free; use 16-bit storage, more GPUs or a coarser spacing",
			s.flow.Domain.Grid.Cells(), float64(need)/1e9, float64(free)/1e9)
	}
	return nil
}

// compile compiles all kernels.
func (s *Solver) compile() error {
	force := s.flow.Force != [3]float64{}
	for i := range s.step {
		p, perWarp := tuned(s.bits, i == 1, s.hasWalls(), force)
		k, err := s.device.compile(p)
		if err != nil {
			return err
		}
		s.step[i] = stepKernel{k, p, perWarp}
	}
	for mode := range s.observe {
		k, err := s.device.compile(observing(s.bits, mode, s.hasWalls()))
		if err != nil {
			return err
		}
		s.observe[mode] = k
	}
	return nil
}

// fillMemory allocates and uploads everything; the fluid is at rest.
func (s *Solver) fillMemory() (err error) {
	n := int64(len(s.tiles.position))
	put := func(to *address, bytes int64, content []byte) {
		if err == nil {
			*to, err = s.allocate(bytes, content)
		}
	}
	order := s.tiles.mortonOrder()
	place := inverse(order)
	put(&s.populations, n*tileBytes(s.bits), nil)
	put(&s.rows, 0, bytesOf(rowsInOrder(s.tiles.neighbours, order, place)))
	put(&s.places, 0, bytesOf(chunkPlaces()))
	put(&s.fluid, 0, bytesOf(inOrder(s.tiles.fluid, order)))
	put(&s.positions, 0, bytesOf(inOrder(s.tiles.position, order)))
	put(&s.order, 0, bytesOf(place))
	put(&s.findings, int64(unsafe.Sizeof(findings{})), nil)
	scale := float32(s.scale())
	f := s.flow
	s.rates = wordsOf([]float32{float32(f.OmegaPlus), float32(f.OmegaMinus),
		float32(f.Force[0]) * scale, float32(f.Force[1]) * scale, float32(f.Force[2]) * scale, 0})
	w, t := &s.wallParts, s.walls
	put(&w.spans, 0, bytesOf(inOrder(t.spans, order)))
	put(&w.cells, 0, bytesOf(t.cells))
	put(&w.links, 0, bytesOf(t.links))
	put(&w.held, int64(len(t.links))*int64(s.bits)/8, nil)
	put(&w.openingCells, 0, bytesOf(t.openingCells))
	put(&w.openingLinks, 0, bytesOf(t.openingLinks))
	put(&w.openings, int64(len(f.Openings))*int64(unsafe.Sizeof(openingRecord{})), nil)
	put(&w.samples, int64(len(t.openingCells))*16, nil)
	put(&w.outflow, int64(len(t.openingLinks))*4, nil)
	return err
}

// words returns struct Walls as an argument.
func (w *wallParts) words() []uint64 {
	return wordsOf([]address{w.spans, w.cells, w.links, w.held, w.openingCells, w.openingLinks, w.openings, w.samples, w.outflow})
}

// wordsOf copies a structure of whole words.
func wordsOf[T any](list []T) []uint64 {
	words := make([]uint64, sizeOf(list)/8)
	copy(bytesOf(words), bytesOf(list))
	return words
}

// inOrder returns the values of the tiles as they lie in memory.
func inOrder[T any](values []T, order []int32) []T {
	list := make([]T, len(order))
	for i, t := range order {
		list[i] = values[t]
	}
	return list
}

// rowsInOrder returns the neighbours of the tiles as they lie in memory.
func rowsInOrder(neighbours [][directions]int32, order, place []int32) [][directions]int32 {
	rows := inOrder(neighbours, order)
	for i := range rows {
		for d, n := range rows[i] {
			if n >= 0 {
				rows[i][d] = place[n]
			}
		}
	}
	return rows
}

// scale is that of stored populations.
func (s *Solver) scale() float64 {
	if s.bits == 16 {
		return 1 << 15
	}
	return 1
}

func bytesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), sizeOf(list))
}

// allocate returns memory with the given content, or that many zeros.
func (s *Solver) allocate(bytes int64, content []byte) (address, error) {
	bytes = max(bytes, int64(len(content)))
	const least = 256
	a, err := s.device.allocate(max(bytes, least))
	if err != nil {
		return 0, err
	}
	s.allocated = append(s.allocated, a)
	s.bytes += bytes
	if content != nil {
		return a, s.device.upload(a, content)
	}
	return a, s.device.zero(a, bytes)
}

// Close releases the device.
func (s *Solver) Close() error {
	for _, a := range s.allocated {
		s.device.free(a)
	}
	return s.device.close()
}

// Flow returns what is computed.
func (s *Solver) Flow() *solver.Flow { return s.flow }

// Advance computes the given number of steps, rounded up to an even one,
// reports progress, and stops early when ctx is done or the flow diverges.
func (s *Solver) Advance(ctx context.Context, steps int64, report func(solver.Progress)) error {
	steps += steps & 1
	begin := time.Now()
	cells := float64(s.flow.Domain.Grid.Cells())
	for done := int64(0); done < steps; {
		n := min(solver.CheckInterval, steps-done)
		from := time.Now()
		for range n {
			if err := s.Step(); err != nil {
				return err
			}
		}
		if err := s.device.synchronize(); err != nil {
			return err
		}
		s.seconds += time.Since(from).Seconds()
		done += n
		peak, err := s.check()
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped at step %d: %w", s.steps, err)
		}
		if report != nil {
			u := s.flow.Units
			report(solver.Progress{
				Step: done, Steps: steps, Time: float64(s.steps) * u.TimeStep,
				EndTime:      float64(s.steps+steps-done) * u.TimeStep,
				MLUPS:        cells * float64(done) / time.Since(begin).Seconds() / 1e6,
				PeakVelocity: peak * u.Velocity(),
			})
		}
	}
	return nil
}

// Step starts one step on the device.
func (s *Solver) Step() error {
	if err := s.prepareOpenings(); err != nil {
		return err
	}
	if err := s.launchStep(&s.step[s.steps%2], 0, len(s.tiles.position)); err != nil {
		return fmt.Errorf("step %d: %w", s.steps, err)
	}
	s.steps++
	return nil
}

// launchStep updates some of the tiles.
func (s *Solver) launchStep(k *stepKernel, first, tiles int) error {
	perBlock := k.program.warps * k.perWarp
	return s.device.launch(k.kernel, launch{
		blocks: (tiles + perBlock - 1) / perBlock, threads: 32 * k.program.warps, sharedBytes: k.program.sharedBytes(),
		arguments: append(append(words(s.populations, s.rows, s.places), words(first, tiles, k.perWarp)...), s.wallParts.words(), s.rates),
	})
}

// prepareOpenings uploads what the openings impose if it has changed.
func (s *Solver) prepareOpenings() error {
	start := s.flow.Start(s.steps)
	if start == s.start || len(s.flow.Openings) == 0 {
		return nil
	}
	records := make([]openingRecord, len(s.flow.Openings))
	for i, o := range s.flow.Openings {
		records[i] = openingRecord{density: float32(o.Density)}
		if o.Velocity {
			records[i].velocity, records[i].inflow = 1, float32(o.Inflow*start)
		}
	}
	s.start = start
	return s.device.upload(s.wallParts.openings, bytesOf(records))
}

// observeTiles runs observe over some of the tiles.
func (s *Solver) observeTiles(mode, first, tiles int, cells address) error {
	p := observing(s.bits, mode, s.hasWalls())
	const limit = solver.DivergedVelocity * solver.DivergedVelocity
	return s.device.launch(s.observe[mode], launch{
		blocks: (tiles + p.warps - 1) / p.warps, threads: 32 * p.warps, sharedBytes: p.sharedBytes(),
		arguments: append(append(append(words(s.populations, s.rows, s.places), words(first, tiles)...),
			words(s.fluid, s.positions, s.order, cells, s.findings)...), []uint64{uint64(math.Float32bits(limit))}, s.wallParts.words(), s.rates),
	})
}

// find runs observe over all tiles and returns what it finds.
func (s *Solver) find(mode int) (findings, error) {
	if s.steps%2 == 1 {
		return findings{}, fmt.Errorf("the flow was to be observed after %d steps; only after an even number is it complete", s.steps)
	}
	f := []findings{{diverged: math.MaxUint64}}
	if err := s.device.upload(s.findings, bytesOf(f)); err != nil {
		return f[0], err
	}
	if err := s.observeTiles(mode, 0, len(s.tiles.position), 0); err != nil {
		return f[0], err
	}
	return f[0], s.device.download(bytesOf(f), s.findings)
}

// check returns the largest velocity, or an error where the flow has diverged.
func (s *Solver) check() (peak float64, err error) {
	f, err := s.find(observePeak)
	if err != nil {
		return 0, err
	}
	if f.diverged != math.MaxUint64 {
		p, bit := s.tiles.position[f.diverged>>6], int32(f.diverged&63)
		return 0, s.flow.DivergedAt(s.steps, [3]int32{4*p[0] + bit>>4, 4*p[1] + bit>>2&3, 4*p[2] + bit&3})
	}
	return math.Sqrt(float64(math.Float32frombits(f.peak))), nil
}

// Hash returns a hash of the state that does not depend on the order of cells.
func (s *Solver) Hash() (uint64, error) {
	f, err := s.find(observeHash)
	return f.hash, err
}

// Summary describes the state of the computation, after an even step.
func (s *Solver) Summary() (*solver.Summary, error) {
	peak, err := s.check()
	if err != nil {
		return nil, err
	}
	hash, err := s.Hash()
	if err != nil {
		return nil, err
	}
	state := &solver.FlowState{Steps: s.steps, Seconds: s.seconds, PeakVelocity: peak, Hash: hash, Bytes: s.bytes, Device: s.device.name()}
	if err := s.sumOpenings(state); err != nil {
		return nil, err
	}
	return s.flow.Summary(state), nil
}

// sumOpenings sums what the last step has seen at the openings.
func (s *Solver) sumOpenings(state *solver.FlowState) error {
	n := len(s.flow.Openings)
	state.Outflow, state.AreaDensity = make([]float64, n), make([]float64, n)
	outflow, samples := make([]float32, len(s.walls.openingLinks)), make([][4]float32, len(s.walls.openingCells))
	if len(samples) == 0 {
		return nil
	}
	if err := s.device.download(bytesOf(outflow), s.wallParts.outflow); err != nil {
		return err
	}
	if err := s.device.download(bytesOf(samples), s.wallParts.samples); err != nil {
		return err
	}
	for i, c := range s.walls.openingCells {
		for k := c.firstLink; k < c.firstLink+c.links; k++ {
			l := &s.walls.openingLinks[k]
			state.Outflow[l.opening] += float64(outflow[k])
			state.AreaDensity[l.opening] += float64(samples[i][0]) * float64(l.area)
		}
	}
	return nil
}
