package cuda

import (
	"math"
	"slices"

	"carina/solver/airflow"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Probe returns the flow in the cells that hold the given points, after an
// even number of steps. Only the tiles that hold them are observed.
func (s *Solver) Probe(points []r3.Vec) ([]airflow.Sample, error) {
	samples := make([]airflow.Sample, len(points))
	grid := s.flow.Domain.Grid
	type place struct{ tile, cell int32 }
	places := make([]place, len(points))
	for i := range places {
		places[i].tile = -1
	}
	var tiles []int32
	for i, point := range points {
		c := r3.Scale(1/grid.Spacing, r3.Sub(point, grid.Origin))
		x, y, z := int32(math.Floor(c.X)), int32(math.Floor(c.Y)), int32(math.Floor(c.Z))
		if !grid.Contains(x, y, z) {
			continue
		}
		places[i] = place{s.tiles.find(x/tileSide, y/tileSide, z/tileSide), int32(cellBit(x, y, z))}
		tiles = append(tiles, places[i].tile)
	}
	// One rank owns each cell, so that adding up passes the bits on.
	const numbers = 1 + fieldNumbers
	sums := make([]int64, numbers*len(points))
	err := s.observeTiles(tiles, func(tile int32, cells [][fieldNumbers]float32) {
		for i := range places {
			if places[i].tile != tile {
				continue
			}
			sums[numbers*i] = 1
			for k, v := range cells[places[i].cell] {
				sums[numbers*i+1+k] = int64(math.Float32bits(v))
			}
		}
	})
	if err == nil {
		err = s.reduce(transport.Sum, sums)
	}
	for i := range samples {
		value := func(k int) float64 { return float64(math.Float32frombits(uint32(sums[numbers*i+1+k]))) }
		samples[i] = airflow.Sample{Inside: sums[numbers*i] > 0, Pressure: value(0), Velocity: r3.Vec{X: value(1), Y: value(2), Z: value(3)}}
	}
	return samples, err
}

// PlaneFlow returns the flow along the normal through a disc, in m³/s, and the
// mean pressure on it, from the layer of cells within half a spacing, after an
// even number of steps. Only the tiles around it are observed.
func (s *Solver) PlaneFlow(center, normal r3.Vec, radius float64) (flow, pressure float64, err error) {
	grid := s.flow.Domain.Grid
	plane := airflow.Plane{Center: center, Normal: r3.Unit(normal), Radius: radius, Spacing: grid.Spacing}
	masks := map[int32]uint64{}
	reach := radius + 2*tileSide*grid.Spacing
	for tile, at := range s.tiles.position {
		middle := grid.Center(at[0]*tileSide+tileSide/2, at[1]*tileSide+tileSide/2, at[2]*tileSide+tileSide/2)
		if r3.Norm(r3.Sub(middle, center)) > reach {
			continue
		}
		if mask := s.selectCells(int32(tile), plane.Holds); mask != 0 {
			masks[int32(tile)] = mask
		}
	}
	var tiles []int32
	for tile := range masks {
		tiles = append(tiles, tile)
	}
	var sums airflow.PlaneSums
	err = s.observeTiles(tiles, func(tile int32, cells [][fieldNumbers]float32) {
		for cell, c := range cells {
			if masks[tile]>>cell&1 == 1 {
				sums.Add(&plane, s.flow.Units, c[0], [3]float32{c[1], c[2], c[3]})
			}
		}
	})
	if err == nil {
		err = s.reduce(transport.Sum, sums[:])
	}
	flow, pressure = sums.Result(s.flow.Units)
	return flow, pressure, err
}

// observeTiles hands over the fields of the cells of some tiles.
func (s *Solver) observeTiles(tiles []int32, visit func(tile int32, cells [][fieldNumbers]float32)) error {
	if err := s.requireComplete(); err != nil {
		return err
	}
	slices.Sort(tiles)
	tiles = slices.Compact(tiles)
	for _, p := range s.parts {
		var own []int32 // in memory
		var numbers []int32
		for _, tile := range tiles {
			if i, found := slices.BinarySearch(p.sorted, tile); found {
				own, numbers = append(own, p.index[i]), append(numbers, tile)
			}
		}
		if len(own) == 0 {
			continue
		}
		cells := make([][fieldNumbers]float32, len(own)*tileCells)
		if err := s.fieldsOfTiles(p, own, cells); err != nil {
			return err
		}
		for i, tile := range numbers {
			visit(tile, cells[i*tileCells:(i+1)*tileCells])
		}
	}
	return nil
}

// fieldsOfTiles observes some tiles of a part.
func (s *Solver) fieldsOfTiles(p *part, tiles []int32, cells [][fieldNumbers]float32) error {
	buffer, err := p.device.allocate(sizeOf(cells))
	if err != nil {
		return err
	}
	defer p.device.free(buffer)
	order, err := p.device.allocate(sizeOf(tiles))
	if err != nil {
		return err
	}
	defer p.device.free(order)
	if err := p.device.upload(order, bytesOf(tiles)); err != nil {
		return err
	}
	err = p.observe(s.observer("fields", fieldsNow), tileRange{order, 0, len(tiles)}, s.plainRates(), append(words(uint64(buffer)), s.fieldArguments(0)...))
	if err != nil {
		return err
	}
	return p.device.download(bytesOf(cells), buffer)
}
