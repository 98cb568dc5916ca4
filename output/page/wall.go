package page

import (
	"math"

	"carina/output/picture"

	"gonum.org/v1/gonum/spatial/r3"
)

// Wall is what is known at places on the wall.
type Wall struct {
	At     []r3.Vec
	Fields []WallField
}

// WallField is a number for every place: its name, its unit, and the value that has the
// highest colour, from 0 on.
type WallField struct {
	Name, Unit string
	High       float64
	Values     []float32
}

// Branch is a centre line with a number, and words that are shown beside it.
type Branch struct {
	Number int
	Text   string
	Line   []r3.Vec
}

// addWall adds fields that are known at the wall alone: a vertex has the mean of the places
// in its cube of some voxels, or of those around it where there are none.
func (s *scene) addWall(p *Page, m *mesh, v *voxels, place func(r3.Vec) r3.Vec) {
	if p.Wall == nil {
		return
	}
	const side = 1.5 // voxels
	cubeOf := func(at r3.Vec) [3]int32 {
		c := r3.Scale(1/(side*v.spacing), r3.Sub(at, v.origin))
		return [3]int32{int32(math.Floor(c.X)), int32(math.Floor(c.Y)), int32(math.Floor(c.Z))}
	}
	cubes := map[[3]int32][]int32{}
	for i, at := range p.Wall.At {
		c := cubeOf(at)
		cubes[c] = append(cubes[c], int32(i))
	}
	near := make([][]int32, len(m.vertices))
	for i := range m.vertices {
		c := cubeOf(place(m.corners[m.vertices[i].corner]))
		if near[i] = cubes[c]; near[i] != nil {
			continue
		}
		for n := range int32(27) {
			near[i] = append(near[i], cubes[[3]int32{c[0] + n%3 - 1, c[1] + n/3%3 - 1, c[2] + n/9 - 1}]...)
		}
	}
	for _, known := range p.Wall.Fields {
		f := field{Name: known.Name, Unit: known.Unit, High: known.High, Wall: true, vertex: make([]float32, len(near))}
		for i, list := range near {
			for _, k := range list {
				f.vertex[i] += known.Values[k] / float32(len(list))
			}
		}
		f.scale(func(share float64) string { return hex(picture.SpeedColour(share)) })
		s.Fields = append(s.Fields, f)
	}
}

// branch is the header's entry of one: so many places of the streams "branch:x" and so on.
type branch struct {
	Number int        `json:"number"`
	Text   string     `json:"text"`
	Places int        `json:"places"`
	At     [3]float64 `json:"at"`
}

// addBranches adds centre lines.
func (s *scene) addBranches(p *Page) {
	var all []r3.Vec
	for _, b := range p.Branches {
		if len(b.Line) < 2 {
			continue
		}
		all = append(all, b.Line...)
		s.Branches = append(s.Branches, branch{b.Number, b.Text, len(b.Line), toMillimetres(middle(b.Line))})
	}
	if len(all) > 0 {
		s.addPlaces("branch", len(all), func(i int) r3.Vec { return all[i] })
	}
}

// middle is the place half way along a line.
func middle(line []r3.Vec) r3.Vec {
	length := 0.0
	for i := range line[1:] {
		length += r3.Norm(r3.Sub(line[i+1], line[i]))
	}
	rest := length / 2
	for i := range line[1:] {
		step := r3.Sub(line[i+1], line[i])
		far := r3.Norm(step)
		if far >= rest && far > 0 {
			return r3.Add(line[i], r3.Scale(rest/far, step))
		}
		rest -= far
	}
	return line[len(line)-1]
}
