package tiles

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
	of        *Tiles
	layout    *solver.Layout
	kernels   [2]device.Kernel // by mode
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
func newValues(t *Tiles, l *solver.Layout, f *solver.Finder) *values {
	v := &values{of: t, layout: l, ghosts: make([][3]int32, l.Ghosts), lists: map[valueList]*listed{}}
	f.EachGhost(func(cell, x, y, z int32) { v.ghosts[int(cell)-l.Cells] = [3]int32{x, y, z} })
	return v
}

// cell returns the coordinates of a cell by local number.
func (v *values) cell(local int32) [3]int32 {
	if n := int(local) - v.layout.Cells; n >= 0 {
		return v.ghosts[n]
	}
	p := v.layout.PieceOf(local) // own cells are numbered by index
	return [3]int32{p.X0 + local - p.Index, p.Y, p.Z}
}

// address is where value number array of a cell lies before an odd step, or before
// an even one.
func (v *values) address(array, local int32, odd bool) (uint64, error) {
	t := v.of
	c := v.cell(local)
	population := int(array) - 1
	if array == 0 {
		population = t.Directions
	}
	tile := t.Set.Find(c[0]/tiling.Side, c[1]/tiling.Side, c[2]/tiling.Side)
	at := v.locations[t.ImageSlot(c[0], c[1], c[2], population)]
	if at.Group >= tiling.FaceGroups && at.Group < t.Directions && !odd {
		// The neighbour that has touched it keeps it in its second copy.
		tile = t.Set.Around(tile)[at.Group^1]
		at.At += int64(t.CopyValues() * t.ValueBytes())
	}
	index, ok := t.indexOf(tile)
	if !ok {
		return 0, fmt.Errorf("value %d of cell %v lies on no tile of rank %d", array, c, v.layout.Rank)
	}
	return t.tile(index) + uint64(at.At), nil
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
		v.locations = v.of.Locations()
	}
	addresses := make([]uint64, len(g.Cells))
	for i, cell := range g.Cells {
		var err error
		if addresses[i], err = v.address(g.Array, cell, odd); err != nil {
			return nil, err
		}
	}
	p, l := v.of, &listed{}
	bytes := int64(len(addresses) * p.ValueBytes())
	var err error
	if l.addresses, err = p.Allocate(0, device.BytesOf(addresses)); err != nil {
		return nil, err
	}
	if l.buffer, err = p.Allocate(bytes, nil); err != nil {
		return nil, err
	}
	if l.pinned, err = p.Pin(bytes); err != nil {
		return nil, err
	}
	// What was uploaded must be there when the queue for borders needs it.
	if err := p.Device.Synchronize(); err != nil {
		return nil, err
	}
	for mode := range l.launches {
		const threads = tiling.Lanes * movingWarps
		l.launches[mode] = device.Launch{Blocks: (len(addresses) + threads - 1) / threads, Threads: threads,
			Arguments: device.Words(uint64(l.buffer), uint64(l.addresses), uint64(len(addresses)))}.Prepared()
	}
	return l, nil
}

// The modes of the kernel values.
const (
	valuesOut, valuesIn = 0, 1
)

// start starts the kernel that moves values, compiled when it is first needed.
func (v *values) start(mode int, l device.Launch) (err error) {
	if v.kernels[mode] == nil {
		if v.kernels[mode], err = v.of.Device.Compile(movingSource("values", v.of.Layout, mode)); err != nil {
			return err
		}
	}
	return v.of.Device.Launch(device.BorderQueue, v.kernels[mode], l)
}

// Read copies values out of memory when the border is done.
func (d *Device) Read(g *solver.Segment, into []byte) error {
	l, err := d.values.list(g, d.steps%2 == 1)
	if err != nil {
		return err
	}
	if err := d.values.start(valuesOut, l.launches[valuesOut]); err != nil {
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
	l, err := d.values.list(g, d.steps%2 == 1)
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
	return d.values.start(valuesIn, l.launches[valuesIn])
}
