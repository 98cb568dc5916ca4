package cuboid

import "carina/geometry"

// Reach says that in a step a cell reads so many values of its neighbour at an offset, or
// writes them there.
type Reach struct {
	Offset geometry.Offset `json:"offset"`
	Values int             `json:"values"`
}

// CrossingsOf counts what crosses between cuboids where cells reach as far as a list says,
// which is as far the other way; Populations is the values that go one way. The grid repeats
// after a period along each axis, where that is not 0. Crossings is the same, in less time,
// for a value in each of 18 or 26 directions.
func CrossingsOf(segments []Segment, reaches []Reach, period [3]int32) []Crossing {
	rows := segmentRows(segments)
	at := map[[2]int32]int{}
	for i, r := range rows {
		at[[2]int32{segments[r.from].Y, segments[r.from].Z}] = i
	}
	// Those into the same row are counted together.
	along := map[[2]int32][]Reach{}
	for _, r := range reaches {
		row := [2]int32{int32(r.Offset.Y), int32(r.Offset.Z)}
		along[row] = append(along[row], r)
	}
	table := newPairTable()
	for _, r := range rows {
		own := segments[r.from:r.to]
		for row, list := range along {
			y, z := wrap(own[0].Y+row[0], period[1]), wrap(own[0].Z+row[1], period[2])
			i, there := at[[2]int32{y, z}]
			if !there {
				continue
			}
			other := segments[rows[i].from:rows[i].to]
			for _, reach := range list {
				for turn := int32(-1); turn <= 1; turn++ {
					if turn == 0 || period[0] > 0 {
						table.reach(own, other, int32(reach.Offset.X)+turn*period[0], int64(reach.Values))
					}
				}
			}
		}
	}
	list := table.list()
	for i := range list {
		list[i].Populations = (list[i].Populations + 1) / 2
	}
	return mergeCrossings(list)
}

func wrap(at, period int32) int32 {
	if period > 0 {
		return (at%period + period) % period
	}
	return at
}

// reach adds values for every cell of a whose neighbour at x+dx is one of b.
func (t *pairTable) reach(a, b []Segment, dx int32, values int64) {
	from := 0
	for i := range a {
		s := &a[i]
		for from < len(b) && b[from].X1 <= s.X0+dx {
			from++
		}
		for j := from; j < len(b) && b[j].X0 < s.X1+dx; j++ {
			if n := min(s.X1+dx, b[j].X1) - max(s.X0+dx, b[j].X0); n > 0 && b[j].Cuboid != s.Cuboid {
				t.add(s.Cuboid, b[j].Cuboid, values*int64(n))
			}
		}
	}
}
