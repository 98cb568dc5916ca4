package tiles

import (
	"errors"
	"slices"

	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// Tiles is the tiles of one rank in the memory of its device. Behind its own lie
// ghosts of the other ranks' tiles that touch them, behind these what tiles ask of
// each other, behind that the flags of the neighbours: neighbours reach all at once.
type Tiles struct {
	tiling.Layout
	// Device holds them, Set are the tiles of all ranks, Subdomain those of this one.
	Device    device.Device
	Set       *tiling.Set
	Subdomain *tiling.Subdomain
	// Numbers are those of its own tiles in the set, in the order in which they lie in
	// memory, Sorted is the same by number, Index where those lie.
	Numbers, Sorted, Index []int32
	// Populations is where the tiles begin, Rows the indices of their neighbours by
	// tile and direction, Slots where the image of a tile lies in memory.
	Populations, Rows, Slots device.Address
	// Exits are, by parity of the step, where the tiles at the border leave what
	// crosses it.
	Exits [2]device.Address
	// Asked is the room for what tiles ask of each other, in bytes, and AskedAt where
	// it lies; SentRanges and Sent are which tile sends which values (struct SentRange
	// and SentValue of the kernels).
	Asked                     int64
	AskedAt, SentRanges, Sent device.Address
	// Bytes is what was allocated.
	Bytes int64
	// InHost is how many bytes of the populations lie in the host's memory, which the
	// device reaches: those of the last tiles.
	InHost int64
	// Timeline marks the points of a step, unless it is nil.
	Timeline *Timeline

	connections []*connection
	// borderRows are the indices of the neighbours of the tiles at the border,
	// by tile and direction.
	borderRows []int32
	allocated  []device.Address
	pinned     [][]byte
	handshake  handshake
	unpack     device.Kernel
	// asked are the values that the tiles need of others, by the rank that has them.
	asked map[int][]Request
	// number tells the devices of this process's ranks apart.
	number int64
}

// NewTiles are the tiles of a subdomain.
func NewTiles(d device.Device, l tiling.Layout, set *tiling.Set, subdomain *tiling.Subdomain) *Tiles {
	own := subdomain.Tiles[:subdomain.Own]
	p := &Tiles{Layout: l, Device: d, Set: set, Subdomain: subdomain, Numbers: own, asked: map[int][]Request{}}
	p.number = cuda.Register(d)
	p.Sorted, p.Index = make([]int32, 0, len(own)), make([]int32, 0, len(own))
	for n, at := range p.Indices() {
		if at >= 0 {
			p.Sorted, p.Index = append(p.Sorted, int32(n)), append(p.Index, at)
		}
	}
	return p
}

// Fill compiles what the exchange needs, and allocates the tiles, at rest, and the
// tables of their neighbours. Owner is the rank of every tile.
func (p *Tiles) Fill(owner []int32) (err error) {
	if p.Subdomain.Border > 0 {
		sources := ExchangeSources(p.Layout)
		if p.handshake.kernel, err = p.Device.Compile(sources[0]); err != nil {
			return err
		}
		if p.unpack, err = p.Device.Compile(sources[1]); err != nil {
			return err
		}
	}
	rows := p.Subdomain.Rows(p.Set, owner, p.Indices())
	p.borderRows = slices.Clone(rows[:p.Subdomain.Border*p.Directions])
	if err = p.allocatePopulations(); err != nil {
		return err
	}
	if p.Rows, err = p.Allocate(0, device.BytesOf(rows)); err != nil {
		return err
	}
	p.Slots, err = p.Allocate(0, slotTable(p.Layout))
	return err
}

// Indices returns where its own tiles lie in memory by number in the set, −1 for
// others.
func (p *Tiles) Indices() []int32 { return p.Subdomain.Indices(p.Set) }

// slotTable is what the kernels know of where the image lies in memory, and how
// places in it shift.
func slotTable(l tiling.Layout) []byte {
	return slices.Concat(device.BytesOf(l.ChunkSlots()), device.BytesOf(l.Singles()), device.BytesOf(l.Shifts()))
}

// Needs is the memory that the tiles take, with a value for each that they ask of
// their own rank.
func (p *Tiles) Needs(asked int) int64 {
	row, exits := int64(4*p.Directions), int64(2*8*p.Directions)
	n := p.flagOffset() + int64(len(p.Numbers))*row + int64(p.Subdomain.Border)*exits
	if p.Asked > 0 {
		const value, ofTile = 16, 8
		n += int64(asked)*value + int64(len(p.Numbers))*ofTile
	}
	return n
}

// AskedOffset is where what tiles ask of each other lies behind their beginning.
func (p *Tiles) AskedOffset() int64 { return int64(len(p.Subdomain.Tiles)) * p.TileBytes() }

// flagOffset is where the flags lie behind the tiles.
func (p *Tiles) flagOffset() int64 { return p.AskedOffset() + p.Asked }

// tile is the address of a tile by index.
func (p *Tiles) tile(index int32) uint64 {
	return uint64(p.Populations) + uint64(index)*uint64(p.TileBytes())
}

// Own returns where an own tile lies in memory.
func (p *Tiles) Own(tile int32) (index int32, ok bool) {
	i, ok := slices.BinarySearch(p.Sorted, tile)
	if !ok {
		return 0, false
	}
	return p.Index[i], true
}

// indexOf returns where a tile lies in memory, own or ghost.
func (p *Tiles) indexOf(tile int32) (index int32, ok bool) {
	if index, ok := p.Own(tile); ok {
		return index, true
	}
	ghosts := p.Subdomain.Tiles[p.Subdomain.Own:]
	i, found := slices.BinarySearch(ghosts, tile)
	return int32(p.Subdomain.Own + i), found
}

// Pin returns memory of the host that is given back with the tiles.
func (p *Tiles) Pin(bytes int64) ([]byte, error) {
	m, err := p.Device.Pin(bytes)
	if err == nil {
		p.pinned = append(p.pinned, m)
	}
	return m, err
}

// Allocate returns memory with the given content, or that many zeros, until the
// device is closed.
func (p *Tiles) Allocate(bytes int64, content []byte) (device.Address, error) {
	bytes = max(bytes, int64(len(content)))
	const least = 256
	a, err := p.Device.Allocate(max(bytes, least))
	if err != nil {
		return 0, err
	}
	p.allocated = append(p.allocated, a)
	p.Bytes += bytes
	if len(content) > 0 {
		return a, p.Device.Upload(a, content)
	}
	return a, p.Device.Zero(a, max(bytes, least))
}

// allocatePopulations makes room for the populations and what lies behind them.
func (p *Tiles) allocatePopulations() (err error) {
	bytes := p.flagOffset() + maxConnections*cuda.HandshakeFlagBytes
	if p.InHost == 0 {
		p.Populations, err = p.Allocate(bytes, nil)
		return err
	}
	if p.Populations, err = p.Device.AllocateSplit(bytes, bytes-p.InHost); err != nil {
		return err
	}
	p.allocated, p.Bytes = append(p.allocated, p.Populations), p.Bytes+bytes-p.InHost
	return p.Device.Zero(p.Populations, bytes)
}

// close releases the memory and the device.
func (p *Tiles) close() error {
	cuda.Forget(p.number)
	var failures []error
	for _, c := range p.connections {
		failures = append(failures, c.close(p.Device))
	}
	for _, m := range p.pinned {
		failures = append(failures, p.Device.Unpin(m))
	}
	for _, a := range p.allocated {
		p.Device.Free(a)
	}
	p.allocated = nil
	return errors.Join(append(failures, p.Device.Close())...)
}
