package gpu

import (
	"fmt"

	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// startNumbers are density, velocity and stress.
const startNumbers = 10

// initialize sets the populations of Settings.Initial.
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
	bytes := int64(portion) * tiling.Cells * startNumbers * int64(realBytes(s.Bits))
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

// appendInitial appends how the cells of a tile start.
func (s *bound) appendInitial(cells []byte, tile int32) []byte {
	grid := s.flow.Domain.Grid
	at := s.tiles.Position[tile]
	for cell := range int32(tiling.Cells) {
		var start airflow.Start
		if s.tiles.Fluid[tile]>>cell&1 == 1 {
			start = s.flow.StartAt(grid.Center(at[0]*tiling.Side+cell>>4, at[1]*tiling.Side+cell>>2&3, at[2]*tiling.Side+cell&3))
		}
		u := start.Velocity
		cells = appendReals(cells, s.Bits, start.Density, u.X, u.Y, u.Z)
		cells = appendReals(cells, s.Bits, start.Stress[:]...)
	}
	return cells
}
