package output

import "gonum.org/v1/gonum/spatial/r3"

// axis is a direction of the picture in terms of the grid: along x, y or z (0,
// 1, 2), upwards or downwards.
type axis struct {
	along int
	down  bool
}

// of returns the component of v along the axis.
func (a axis) of(v r3.Vec) float64 {
	c := [3]float64{v.X, v.Y, v.Z}[a.along]
	if a.down {
		return -c
	}
	return c
}

// View is an orthographic look at a frame along one of its axes. Its pixels
// are columns of cells, or of Bin×Bin cells where the grid is finer than a
// picture needs.
type View struct {
	Frame
	// Bin is the number of cells along the side of a pixel, the same for all
	// views of a frame.
	Bin int32
	// Width and Height are in pixels.
	Width, Height int32
	// Name says where the viewer stands.
	Name string

	right, up, away axis
}

// maxPixels is the largest side of a view in pixels: as fine as the pictures.
const maxPixels = 1000

// Views returns the views of a frame that pictures show: the first looks
// along the shortest side of the box, so that most is seen, with z upwards
// where it is not z that is looked along; the second looks from the side. They
// depend on the frame alone, so that all ranks draw the same.
func Views(f Frame) []View {
	// In patient coordinates x points to the patient's left and y to the
	// back, so that looking along +y shows the front.
	front := View{Name: "front", right: axis{along: 0}, up: axis{along: 2}, away: axis{along: 1}}
	side := View{Name: "left side", right: axis{along: 1}, up: axis{along: 2}, away: axis{0, true}}
	top := View{Name: "top", right: axis{along: 0}, up: axis{along: 1}, away: axis{2, true}}
	views := []View{front, side}
	x, y, z := f.Size[0], f.Size[1], f.Size[2]
	switch {
	case z < x && z < y:
		views = []View{top, front}
	case x < y && x <= z:
		views = []View{side, front}
	}
	bin := (max(x, y, z) + maxPixels - 1) / maxPixels
	for i := range views {
		v := &views[i]
		v.Frame, v.Bin = f, bin
		width, height := f.Size[v.right.along], f.Size[v.up.along]
		v.Width, v.Height = (width+v.Bin-1)/v.Bin, (height+v.Bin-1)/v.Bin
	}
	return views
}

// project returns where a point lies in the view, in pixels from the lower
// left, and its depth in cells from the nearest face of the frame.
func (v *View) project(p r3.Vec) (x, y, depth float64) {
	p = r3.Scale(1/v.Spacing, r3.Sub(p, v.Origin))
	place := func(a axis) float64 {
		if a.down {
			return float64(v.Size[a.along]) + a.of(p)
		}
		return a.of(p)
	}
	return place(v.right) / float64(v.Bin), place(v.up) / float64(v.Bin), place(v.away)
}

// direction returns a vector of the grid as seen in the view.
func (v *View) direction(d r3.Vec) (x, y float64) { return v.right.of(d), v.up.of(d) }
