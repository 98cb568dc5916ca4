package gpu

import (
	"fmt"

	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"

	"gonum.org/v1/gonum/spatial/r3"
)

// initialize sets the equilibrium of Settings.Initial.
func (s *bound) initialize() error {
	if s.flow.Settings.Initial == nil {
		return nil
	}
	if err := s.setInitial(); err != nil {
		return fmt.Errorf("setting the flow at the start: %w", err)
	}
	return s.part.Device.Synchronize()
}

func (s *bound) setInitial() error {
	p := s.part
	portion := min(len(p.Numbers), fieldTiles)
	bytes := int64(portion) * tiling.Cells * fieldNumbers * int64(realBytes(s.Bits))
	buffer, err := p.Device.Allocate(bytes)
	if err != nil {
		return err
	}
	defer p.Device.Free(buffer)
	for first := 0; first < len(p.Numbers); first += portion {
		count := min(portion, len(p.Numbers)-first)
		cells := make([]byte, 0, bytes)
		for _, tile := range p.Numbers[first : first+count] {
			cells = s.appendInitial(cells, tile)
		}
		if err := p.Device.Upload(buffer, cells); err != nil {
			return err
		}
		if err := p.observe(s.observerBefore("initialize", 0, false), tileRange{first: first, count: count}, nil, device.Words(uint64(buffer))); err != nil {
			return err
		}
		if err := p.Device.Synchronize(); err != nil {
			return err
		}
	}
	return nil
}

// appendInitial appends density and velocity of the cells of a tile.
func (s *bound) appendInitial(cells []byte, tile int32) []byte {
	grid, units, initial := s.flow.Domain.Grid, s.flow.Units, s.flow.Settings.Initial
	at := s.tiles.Position[tile]
	for cell := range int32(tiling.Cells) {
		var pressure float64
		var velocity r3.Vec
		if s.tiles.Fluid[tile]>>cell&1 == 1 {
			pressure, velocity = initial(grid.Center(at[0]*tiling.Side+cell>>4, at[1]*tiling.Side+cell>>2&3, at[2]*tiling.Side+cell&3))
		}
		u := r3.Scale(1/units.Velocity(), velocity)
		cells = appendReals(cells, s.Bits, pressure/units.Pressure(), u.X, u.Y, u.Z)
	}
	return cells
}
