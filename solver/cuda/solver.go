package cuda

import (
	"errors"
	"fmt"
	"math"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/driver"
	"carina/solver/transport"
)

// Storage names how populations are stored.
type Storage string

// The storages.
const (
	Single Storage = "single" // 32 bits, or 64 in double precision
	Half   Storage = "half"   // 16 bits, scaled by 2¹⁵
)

// Options choose devices and storage.
type Options struct {
	// Devices are the numbers of the GPUs, the first one if empty: one a rank.
	Devices []int
	Storage Storage
	// Exchange is how ranks exchange their borders; chosen for each pair if
	// empty.
	Exchange Exchange
	// Transport connects this process, which is one rank with one device, with
	// the others; nil where one process has all ranks.
	Transport transport.Transport
}

// Solver computes a flow on GPUs: all of it, or the part of one process.
type Solver struct {
	flow  *airflow.Flow
	tiles *tileSet
	tileLayout
	walls bool
	parts []*part
	rates []uint64 // struct Rates of kernels/tile.h
	// imposed is what the openings impose, as uploaded; imposing is room for the
	// next step's.
	imposed, imposing []byte

	transport transport.Transport
	messages  [2][]transport.Message // to other processes, by parity of the step
	sends     bool                   // there are messages, or parts of this process exchange some

	average *average
	kept    *kept
	// runStarts are made when first asked for.
	runStarts []int64

	steps   int64
	coupled int64 // the step after which the openings were last told the flow
	seconds float64
	fastest float64              // of all checks after the start, in cells per step
	watch   *airflow.SteadyWatch // of the last advance
}

// New prepares a computation. Close it after use.
func New(domain *solver.Domain, settings airflow.Settings, o Options) (*Solver, error) {
	flow, err := newFlow(domain, settings, &o)
	var devices []device
	if err == nil {
		devices, err = openDevices(&o)
	}
	if err := transport.Agree(o.Transport, err); err != nil {
		closeAll(devices)
		return nil, err
	}
	s, err := newSolver(flow, devices, o)
	if err != nil {
		closeAll(devices)
		return nil, err
	}
	return s, nil
}

// newFlow checks the options and prepares the flow.
func newFlow(domain *solver.Domain, settings airflow.Settings, o *Options) (*airflow.Flow, error) {
	if settings.Precision == airflow.Double && o.Storage == Half {
		return nil, errors.New("16-bit storage is computed with in single precision; choose one of double precision and 16-bit storage")
	}
	if o.Exchange != "" && o.Exchange != IPC && o.Exchange != Host {
		return nil, fmt.Errorf("there is no exchange %q; choose %s or %s, or leave it out", o.Exchange, IPC, Host)
	}
	return airflow.NewFlow(domain, settings)
}

// openDevices opens the devices that are asked for: without a choice the first
// one, or, where there are several processes, one for each of this host.
func openDevices(o *Options) (devices []device, err error) {
	numbers := o.Devices
	if o.Transport != nil {
		if len(numbers) > 1 {
			return nil, fmt.Errorf("%d GPUs were given to one of several processes; start one process a GPU", len(numbers))
		}
		if n := driver.Count(); len(numbers) == 0 && n > 0 {
			numbers = []int{localRank(o.Transport) % n}
		}
	}
	if len(numbers) == 0 {
		numbers = []int{0}
	}
	for _, number := range numbers {
		d, err := openDevice(number)
		if err != nil {
			return devices, err
		}
		devices = append(devices, d)
	}
	return devices, nil
}

func closeAll(devices []device) {
	for _, d := range devices {
		d.close()
	}
}

// maxTiles of a rank, ghosts included: their numbers have 31 bits.
const maxTiles = math.MaxInt32

func newSolver(flow *airflow.Flow, devices []device, o Options) (s *Solver, err error) {
	s = &Solver{flow: flow, tileLayout: layoutOf(flow.Set, 32), transport: o.Transport}
	switch {
	case flow.Settings.Precision == airflow.Double:
		s.bits = 64
	case o.Storage == Half || flow.Settings.Precision == airflow.Half:
		s.bits = 16
	}
	owner, err := s.makeParts(devices)
	if err := s.together(err); err != nil {
		return nil, err
	}
	if err := s.warnOfRounding(owner); err != nil {
		return nil, err
	}
	if err := s.connect(o.Exchange); err != nil {
		return nil, err
	}
	if err := s.together(s.listMessages()); err != nil {
		return nil, err
	}
	return s, s.initialize()
}

// makeParts divides the tiles and makes the parts of this process, still
// without their neighbours. It returns the ranks of the tiles.
func (s *Solver) makeParts(devices []device) (owner []int32, err error) {
	flow := s.flow
	if s.tiles, err = newTileSet(flow.Domain, s.directions); err != nil {
		return nil, err
	}
	walls, err := newWallTables(s.tiles, flow.Domain, flow, flow.Settings.Wall)
	if err != nil {
		return nil, err
	}
	s.walls = len(walls.links) > 0
	s.rates = s.ratesNow()
	owner, index, err := s.divide(devices, walls)
	if err != nil {
		return nil, err
	}
	for _, p := range s.parts {
		p.findRequests(s.tiles, owner)
		for _, step := range []func() error{
			func() error { return p.checkMemory() },
			func() error { return p.compile(s.walls, flow.Forced(), s.operator()) },
			func() error { return p.fill(s.tiles, owner, index, len(flow.Openings)) },
		} {
			if err := step(); err != nil {
				return nil, err
			}
		}
	}
	return owner, nil
}

// divide gives every tile an owner and makes the parts of this process. It
// also returns where the tiles of its parts lie.
func (s *Solver) divide(devices []device, walls *wallTables) (owner, index []int32, err error) {
	ranks := len(devices)
	if s.transport != nil {
		ranks = s.transport.Size()
	}
	if owner, err = s.owners(ranks, func(tile int32) int64 { return walls.ranges[tile].work(s.bits) }); err != nil {
		return nil, nil, err
	}
	own := make([]int, len(devices))
	for i := range own {
		own[i] = i
		if s.transport != nil {
			own[i] = s.transport.Rank()
		}
	}
	index = make([]int32, len(owner))
	for i, subdomain := range newSubdomains(s.tiles, owner, own) {
		if subdomain.own == 0 || len(subdomain.tiles) > maxTiles {
			return nil, nil, fmt.Errorf("rank %d has %d tiles of 4×4×4 cells, which must be from 1 to %d; use another number of GPUs", own[i], subdomain.own, maxTiles)
		}
		for at, tile := range subdomain.tiles[:subdomain.own] {
			index[tile] = int32(at)
		}
		s.parts = append(s.parts, newPart(devices[i], s.tileLayout, subdomain, walls))
	}
	return owner, index, nil
}

// owners returns the rank of every tile: as the domain says where it is
// partitioned, or else pieces of equal work.
func (s *Solver) owners(ranks int, work func(tile int32) int64) ([]int32, error) {
	domain := s.flow.Domain
	switch {
	case domain.Ranks > 1 && domain.Ranks != ranks:
		return nil, fmt.Errorf("the partition is for %d ranks and there are %d GPUs; partition again with --ranks %d", domain.Ranks, ranks, ranks)
	case domain.Ranks > 1:
		return s.tiles.ownersOf(domain)
	case len(s.tiles.position) < ranks:
		return nil, fmt.Errorf("%d GPUs cannot share %d tiles of 4×4×4 cells; use fewer GPUs", ranks, len(s.tiles.position))
	}
	return s.tiles.divide(ranks, work), nil
}

// Bytes returns the memory that the computation needs on all devices.
func (s *Solver) Bytes() int64 {
	var n int64
	for _, p := range s.parts {
		n += p.needs()
	}
	return n
}

// scale is that of stored populations.
func (s *Solver) scale() float64 {
	if s.bits == 16 {
		return 1 << 15
	}
	return 1
}

// Close releases the devices.
func (s *Solver) Close() error {
	err := s.kept.close()
	for _, p := range s.parts {
		err = errors.Join(err, p.close())
	}
	return err
}

// Flow returns what is computed.
func (s *Solver) Flow() *airflow.Flow { return s.flow }

// Step starts one step on the devices: first the tiles at the borders, then the
// interior, during which the borders are exchanged.
func (s *Solver) Step() error {
	if err := s.prepare(); err != nil {
		return err
	}
	for _, p := range s.parts {
		if err := p.launchStep(s.steps%2, s.rates); err != nil {
			return fmt.Errorf("step %d: %w", s.steps, err)
		}
	}
	if err := s.exchange(); err != nil {
		return fmt.Errorf("step %d: %w", s.steps, err)
	}
	if s.flow.Settings.Wall == airflow.Quadratic {
		s.setCorrected(1)
	}
	s.steps++
	return nil
}

// setCorrected tells whether a step has left quadratic parts for the next.
func (s *Solver) setCorrected(corrected address) {
	for _, p := range s.parts {
		if p.wallParts.corrected != corrected {
			p.wallParts.corrected = corrected
			p.forgetRates()
		}
	}
}

// synchronize waits for all devices.
func (s *Solver) synchronize() error {
	for _, p := range s.parts {
		if err := p.device.synchronize(); err != nil {
			return err
		}
	}
	return nil
}
