package cuda

import (
	"fmt"

	"carina/solver"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// What crosses to ranks of other kinds goes value by value: a value of a cell, as the
// engine names it, is found in the tiles by its address.

// values finds values of single cells.
type values struct {
	of        *bound
	locations []tiling.Location
	ghosts    [][3]int32 // coordinates
	lists     map[valueList]*listed
}

// valueList is cells that are read or written, and before which kind of step.
type valueList struct {
	cells *int32
	array int32
	odd   bool
}

// listed is a list of values on the device and on the way to it.
type listed struct {
	addresses, buffer device.Address
	pinned            []byte
	launches          [2]device.Launch // by mode
}

// newValues notes where ghosts are.
func newValues(s *bound, f *solver.Finder) *values {
	v := &values{of: s, ghosts: make([][3]int32, s.layout.Ghosts), lists: map[valueList]*listed{}}
	f.EachGhost(func(cell, x, y, z int32) { v.ghosts[int(cell)-s.layout.Cells] = [3]int32{x, y, z} })
	return v
}

// cell returns the coordinates of a cell by local number.
func (v *values) cell(local int32) [3]int32 {
	if n := int(local) - v.of.layout.Cells; n >= 0 {
		return v.ghosts[n]
	}
	p := v.of.pieceOf(local) // own cells are numbered by index
	return [3]int32{p.X0 + local - p.Index, p.Y, p.Z}
}

// address is where value number array of a cell lies before an odd step, or before
// an even one.
func (v *values) address(array, local int32, odd bool) (uint64, error) {
	s := v.of
	c := v.cell(local)
	population := int(array) - 1
	if array == 0 {
		population = s.Directions
	}
	tile := s.tiles.Find(c[0]/tiling.Side, c[1]/tiling.Side, c[2]/tiling.Side)
	at := v.locations[s.ImageSlot(c[0], c[1], c[2], population)]
	if at.Group >= tiling.FaceGroups && at.Group < s.Directions && !odd {
		// The neighbour that has touched it keeps it in its second copy.
		tile = s.tiles.Around(tile)[at.Group^1]
		at.At += int64(s.CopyValues() * s.ValueBytes())
	}
	index, ok := s.part.placeOf(tile)
	if !ok {
		return 0, fmt.Errorf("value %d of cell %v lies on no tile of rank %d", array, c, s.layout.Rank)
	}
	return s.part.tile(index) + uint64(at.At), nil
}

// list returns what moves the values of a segment. The engine exchanges all once
// before the first step: then it is made for both kinds of steps, since to make it
// waits for the device, and another rank's step may wait for this one's.
func (v *values) list(g *solver.Segment, odd bool) (*listed, error) {
	if v.lists[valueList{&g.Cells[0], g.Array, odd}] == nil {
		for _, kind := range []bool{false, true} {
			l, err := v.newList(g, kind)
			if err != nil {
				return nil, err
			}
			v.lists[valueList{&g.Cells[0], g.Array, kind}] = l
		}
	}
	return v.lists[valueList{&g.Cells[0], g.Array, odd}], nil
}

func (v *values) newList(g *solver.Segment, odd bool) (*listed, error) {
	if v.locations == nil {
		v.locations = v.of.Layout.Locations()
	}
	addresses := make([]uint64, len(g.Cells))
	for i, cell := range g.Cells {
		var err error
		if addresses[i], err = v.address(g.Array, cell, odd); err != nil {
			return nil, err
		}
	}
	p, l := v.of.part, &listed{}
	bytes := int64(len(addresses) * p.ValueBytes())
	var err error
	if l.addresses, err = p.allocate(0, device.BytesOf(addresses)); err != nil {
		return nil, err
	}
	if l.buffer, err = p.allocate(bytes, nil); err != nil {
		return nil, err
	}
	if l.pinned, err = p.pin(bytes); err != nil {
		return nil, err
	}
	// What was uploaded must be there when the queue for borders needs it.
	if err := p.device.Synchronize(); err != nil {
		return nil, err
	}
	for mode := range l.launches {
		threads := tiling.Lanes * valuesProgram(p.Layout, mode).warps
		l.launches[mode] = device.Launch{Blocks: (len(addresses) + threads - 1) / threads, Threads: threads,
			Arguments: device.Words(uint64(l.buffer), uint64(l.addresses), uint64(len(addresses)))}.Prepared()
	}
	return l, nil
}

// The modes of the kernel values.
const (
	valuesOut, valuesIn = 0, 1
)

// valuesProgram is the kernel that moves values.
func valuesProgram(l tiling.Layout, mode int) program {
	return program{kernel: "values", Layout: l, stages: 1, warps: 4, blocks: 1, mode: mode}
}

// Read copies values out of memory when the border is done.
func (d *Device) Read(g *solver.Segment, into []byte) error {
	l, err := d.flow.values.list(g, d.steps%2 == 1)
	if err != nil {
		return err
	}
	p := d.part
	if err := p.launchOn(device.BorderQueue, valuesProgram(p.Layout, valuesOut), l.launches[valuesOut]); err != nil {
		return err
	}
	if err := d.gpu.Fetch(l.pinned, l.buffer); err != nil {
		return err
	}
	if err := d.gpu.Settle(); err != nil {
		return err
	}
	copy(into, l.pinned)
	return nil
}

// Write copies values into memory.
func (d *Device) Write(g *solver.Segment, from []byte) error {
	l, err := d.flow.values.list(g, d.steps%2 == 1)
	if err != nil {
		return err
	}
	// What was delivered last has left the host.
	if err := d.gpu.Settle(); err != nil {
		return err
	}
	copy(l.pinned, from)
	if err := d.gpu.Deliver(l.buffer, l.pinned); err != nil {
		return err
	}
	p := d.part
	return p.launchOn(device.BorderQueue, valuesProgram(p.Layout, valuesIn), l.launches[valuesIn])
}
