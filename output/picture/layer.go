package picture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"carina/internal/quantity"
	"carina/output"
)

// Layer is what a view sees of some cells: for every pixel the stretches of
// fluid behind it, each with what pictures need to know of it. Its size
// follows the picture, not the cells.
//
// Stretches are merged where they touch, so that the composite of the layers
// of all ranks is the layer of all cells.
type Layer struct {
	View View
	// head[pixel] is the index in stretches of the nearest one, or −1; rows
	// from the bottom up.
	head      []int32
	stretches []stretch
	// recent[pixel] is the index of the stretch that took up the last one put
	// in: the search for the next begins there, since they mostly come in order.
	recent []int32
}

// stretch is a length of fluid along the line of sight, near ≤ depth < far in
// cells.
type stretch struct {
	near, far int32
	// speed is the largest in the stretch, in m/s.
	speed float32
	// pressure and owner are those of the nearest cell: the pressure at the
	// wall, in Pa, and the rank.
	pressure float32
	owner    int32
	// next is the index of the stretch behind, or −1.
	next int32
}

// NewLayer returns a layer that sees nothing.
func NewLayer(v View) *Layer {
	pixels := int(v.Width) * int(v.Height)
	l := &Layer{View: v, head: make([]int32, pixels), recent: make([]int32, pixels)}
	for i := range l.head {
		l.head[i], l.recent[i] = -1, -1
	}
	return l
}

// Render draws a piece as seen in each of the frame's Views.
func Render(p *output.Piece) ([]*Layer, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var layers []*Layer
	for _, v := range Views(p.Frame) {
		l := NewLayer(v)
		l.draw(p)
		layers = append(layers, l)
	}
	return layers, nil
}

func (l *Layer) draw(p *output.Piece) {
	v := &l.View
	i := 0
	at := [3]int32{}
	place := func(a axis) int32 {
		if a.down {
			return v.Size[a.along] - 1 - at[a.along]
		}
		return at[a.along]
	}
	for _, r := range p.Runs {
		at[1], at[2] = r.Y, r.Z
		for at[0] = r.X0; at[0] < r.X1; at[0]++ {
			depth := place(v.away)
			l.add(place(v.right)/v.Bin+place(v.up)/v.Bin*v.Width, stretch{
				near: depth, far: depth + 1,
				speed: magnitude(p.Velocity[i]), pressure: p.Pressure[i], owner: int32(p.Rank),
			})
			i++
		}
	}
}

// magnitude of a velocity; single operations on float32 cannot be contracted
// differently on different machines.
func magnitude(v [3]float32) float32 {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	return float32(math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z)))
}

// add puts a stretch into a pixel and merges what touches it. Merging is
// associative and commutative, so that neither order nor distribution matter.
func (l *Layer) add(pixel int32, s stretch) {
	link := &l.head[pixel]
	if r := l.recent[pixel]; r >= 0 && l.stretches[r].far < s.near {
		link = &l.stretches[r].next
	}
	for *link >= 0 && l.stretches[*link].far < s.near {
		link = &l.stretches[*link].next
	}
	at := *link
	if at < 0 || l.stretches[at].near > s.far {
		s.next = at
		// Linked before appending, which may move what link points into.
		*link = int32(len(l.stretches))
		l.recent[pixel] = *link
		l.stretches = append(l.stretches, s)
		return
	}
	l.recent[pixel] = at
	l.stretches[at].merge(s)
	for behind := l.stretches[at].next; behind >= 0 && l.stretches[behind].near <= l.stretches[at].far; behind = l.stretches[at].next {
		l.stretches[at].merge(l.stretches[behind])
		l.stretches[at].next = l.stretches[behind].next
	}
}

// merge extends s by other, which touches or overlaps it.
func (s *stretch) merge(other stretch) {
	s.speed = max(s.speed, other.speed)
	switch {
	case other.near < s.near:
		s.near, s.pressure, s.owner = other.near, other.pressure, other.owner
	case other.near == s.near:
		s.pressure, s.owner = max(s.pressure, other.pressure), min(s.owner, other.owner)
	}
	s.far = max(s.far, other.far)
}

// Composite puts layers of the same view together. The result does not depend
// on their order or on how the cells were dealt to them.
func Composite(layers []*Layer) (*Layer, error) {
	if len(layers) == 0 {
		return nil, errors.New("output: no layer to put together")
	}
	all := NewLayer(layers[0].View)
	for _, l := range layers {
		if l.View != all.View {
			return nil, fmt.Errorf("output: layers of different views (%s of %v cells, %s of %v cells) cannot be put together",
				all.View.Name, all.View.Size, l.View.Name, l.View.Size)
		}
		for pixel, at := range l.head {
			for ; at >= 0; at = l.stretches[at].next {
				all.add(int32(pixel), l.stretches[at])
			}
		}
	}
	return all, nil
}

// stretchBytes is the size of an encoded stretch: five numbers of 4 bytes.
const stretchBytes = 20

// AppendBinary encodes what the layer sees, without its view, to be sent to
// the rank that composites: for every pixel from the lower left the number of
// stretches as a varint, then the stretches.
func (l *Layer) AppendBinary(b []byte) ([]byte, error) {
	b = slices.Grow(b, len(l.head)+stretchBytes*len(l.stretches))
	for _, head := range l.head {
		count := uint64(0)
		for at := head; at >= 0; at = l.stretches[at].next {
			count++
		}
		b = binary.AppendUvarint(b, count)
		for at := head; at >= 0; at = l.stretches[at].next {
			s := &l.stretches[at]
			for _, v := range [...]uint32{uint32(s.near), uint32(s.far), math.Float32bits(s.speed), math.Float32bits(s.pressure), uint32(s.owner)} {
				b = binary.LittleEndian.AppendUint32(b, v)
			}
		}
	}
	return b, nil
}

// DecodeLayer reads what AppendBinary encoded of a layer of view v.
func DecodeLayer(v View, b []byte) (*Layer, error) {
	l := NewLayer(v)
	for pixel := range l.head {
		count, n := binary.Uvarint(b)
		if n <= 0 || count > uint64(len(b)-n)/stretchBytes {
			return nil, fmt.Errorf("output: layer is cut short at pixel %d of %d", pixel, len(l.head))
		}
		b = b[n:]
		for range count {
			word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
			s := stretch{near: int32(word(0)), far: int32(word(1)), speed: math.Float32frombits(word(2)),
				pressure: math.Float32frombits(word(3)), owner: int32(word(4))}
			if s.near < 0 || s.far <= s.near || s.far > v.Size[v.away.along] {
				return nil, fmt.Errorf("output: layer has a stretch from %d to %d at pixel %d", s.near, s.far, pixel)
			}
			l.add(int32(pixel), s)
			b = b[stretchBytes:]
		}
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("output: %s follow the layer", quantity.Count(len(b), "byte"))
	}
	return l, nil
}
