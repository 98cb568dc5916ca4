package page

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"carina/internal/quantity"
	"carina/output/picture"
)

// Instant is the flow at an earlier time.
type Instant struct {
	// Time is in seconds.
	Time float64
	// Flow and OpeningPressure are those of a page; may be nil.
	Flow, OpeningPressure []float64
	// Read calls each once for every cell of the grid, with its pressure and velocity. An
	// instant that cannot be read is left out. It is called several times.
	Read func(each func(x, y, z int32, pressure float32, velocity [3]float32) error) error
}

// What a page holds of earlier instants.
const (
	mostInstants = 48
	mostBytes    = 29_000_000 // of the whole page
)

// instant is the header's entry of one.
type instant struct {
	// Time is in words.
	Time     string    `json:"time"`
	Openings []numbers `json:"openings"`
}

// ranges are those of fields at earlier instants.
type ranges struct {
	known              bool
	low, high, fastest float64
}

// survey reads instants, some of them where there are many, and returns those that can be
// read and the ranges of their fields.
func (v *voxels) survey(p *Page) (read []*Instant, r ranges) {
	all := make([]*Instant, len(p.Instants))
	for i := range all {
		all[i] = &p.Instants[i]
	}
	for _, i := range evenly(all, mostInstants) {
		pressure, speed, err := v.fieldsAt(p, i)
		if err != nil {
			continue
		}
		read = append(read, i)
		low, high := v.pressures(p, pressure, i.OpeningPressure)
		_, fastest := picture.Extremes(speed, nil, nil, nil)
		if !r.known {
			r = ranges{true, low, high, fastest}
		}
		r.low, r.high, r.fastest = min(r.low, low), max(r.high, high), max(r.fastest, fastest)
	}
	return read, r
}

// errOtherCells is of an instant of other cells than those of the grid.
var errOtherCells = errors.New("the fields are not of the cells of the grid")

// fieldsAt are the pressure and the speed in the voxels at an instant.
func (v *voxels) fieldsAt(p *Page, i *Instant) (pressure, speed []float32, err error) {
	n := v.count()
	pressure, speed = make([]float32, n), make([]float32, n)
	var velocity [3][]float32
	for a := range velocity {
		velocity[a] = make([]float32, n)
	}
	cells, all := make([]int32, n), int64(0)
	if err := i.Read(func(x, y, z int32, p float32, u [3]float32) error {
		all++
		voxel := v.at(x/v.factor, y/v.factor, z/v.factor)
		if voxel < 0 {
			return nil // one that is mostly empty
		}
		cells[voxel]++
		pressure[voxel] += p
		for a := range u {
			velocity[a][voxel] += u[a]
		}
		return nil
	}); err != nil {
		return nil, nil, err
	}
	if all != p.Grid.Cells() {
		return nil, nil, errOtherCells
	}
	for voxel, count := range cells {
		if count == 0 {
			return nil, nil, errOtherCells
		}
		pressure[voxel] /= float32(count)
		x, y, z := float64(velocity[0][voxel]), float64(velocity[1][voxel]), float64(velocity[2][voxel])
		speed[voxel] = float32(math.Sqrt(x*x+y*y+z*z)) / float32(count)
	}
	return pressure, speed, nil
}

// evenly leaves at most so many of a list, the last among them.
func evenly[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	var kept []T
	for k := 1; k <= most; k++ {
		kept = append(kept, list[k*len(list)/most-1])
	}
	return kept
}

// addInstants adds as many of the instants as there is room for. Their frames hold, for each
// field that is known in voxels, its values at vertices and then in voxels.
func (s *scene) addInstants(p *Page, v *voxels, m *mesh) error {
	if len(p.Instants) == 0 {
		return nil
	}
	same, err := fixedParts()
	if err != nil {
		return err
	}
	chosen, err := s.fit(p, v, m, s.read, mostBytes-len(s.packed)-len(strings.Join(same, "")))
	if err != nil {
		return err
	}
	s.tellInstants(p, len(chosen))
	if len(chosen) == 0 {
		return nil
	}
	for _, i := range chosen {
		s.Instants = append(s.Instants, instant{quantity.Format(i.Time, "s"), s.wordsAt(p, i.Flow, i.OpeningPressure)})
	}
	s.Instants = append(s.Instants, instant{quantity.Format(p.Time, "s"), s.wordsAt(p, p.Flow, p.OpeningPressure)})
	return nil
}

// fit packs instants into so many bytes, of which fewer are chosen until they have room.
func (s *scene) fit(p *Page, v *voxels, m *mesh, chosen []*Instant, room int) ([]*Instant, error) {
	for len(chosen) > 0 {
		s.frames = s.frames[:0]
		used := 0
		for _, i := range chosen {
			frame, err := s.packInstant(p, v, m, i)
			if err != nil {
				return nil, err
			}
			s.frames = append(s.frames, frame)
			if used += len(frame); used > room {
				break
			}
		}
		if used <= room {
			return chosen, nil
		}
		// By how many had room, and one less.
		chosen = evenly(chosen, max(0, len(s.frames)*room/used-1))
	}
	s.frames = nil
	return nil, nil
}

// packInstant packs the fields at an instant.
func (s *scene) packInstant(p *Page, v *voxels, m *mesh, i *Instant) (string, error) {
	pressure, speed, err := v.fieldsAt(p, i)
	if err != nil {
		return "", fmt.Errorf("the instant at %s can no longer be read: %w", quantity.Format(i.Time, "s"), err)
	}
	var data []byte
	for k, values := range [][]float32{pressure, speed} {
		f := &s.Fields[k]
		data = f.pack(data, m.atVertices(values))
		data = f.pack(data, values)
	}
	return compressed(data)
}

// tellInstants says how many of the instants are shown.
func (s *scene) tellInstants(p *Page, shown int) {
	if shown < len(p.Instants) {
		s.Note += fmt.Sprintf(" %d of %s are shown, so that the page stays small.", shown, quantity.Count(len(p.Instants), "earlier instant"))
	}
	if lost := min(len(p.Instants), mostInstants) - len(s.read); lost > 0 {
		s.Note += fmt.Sprintf(" The fields of %s cannot be read.", quantity.Count(lost, "instant"))
	}
}
