package picture

import (
	"image"
	"math"

	"carina/geometry"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// panel is one view placed in a figure. Positions are in pixels, y upwards.
type panel struct {
	view *View
	// x and y are the lower left corner of the view.
	x, y float64
	// scale is pixels a column.
	scale float64
	// over tells that the figure's other panel lies below.
	over   bool
	relief *relief
	taken  []rectangle
	// blocked is where labels may not stand, and others are the figure's other
	// panels, which they do not cover either.
	blocked []rectangle
	others  []*panel
}

// share lets the panels of a figure know of each other and of what else
// stands in it.
func share(panels []panel, blocked ...rectangle) {
	for i := range panels {
		panels[i].blocked = append([]rectangle{panels[i].caption()}, blocked...)
		for k := range panels {
			if k != i {
				panels[i].blocked = append(panels[i].blocked, panels[k].caption())
				panels[i].others = append(panels[i].others, &panels[k])
			}
		}
	}
}

// rectangle is a part of the figure, y upwards.
type rectangle struct{ x0, y0, x1, y1 float64 }

func (a rectangle) overlaps(b rectangle) bool {
	return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1
}

// panelMargin is the space around a view for labels, in pixels.
const panelMargin = 64

// arrange places views in an area: the first alone, or the first two side by
// side or one above the other where that hardly makes them smaller.
func arrange(area rectangle, views []*View) []panel {
	// Two views say more than one that is a little larger.
	const worth = 0.7
	width, height := area.x1-area.x0, area.y1-area.y0
	margin := 2.0 * panelMargin
	size := func(v *View) (w, h float64) { return float64(v.Width), float64(v.Height) }
	w0, h0 := size(views[0])
	single := min((width-margin)/w0, (height-margin)/h0)
	place := func(v *View, x0, y0, w, h, scale float64) panel {
		vw, vh := size(v)
		return panel{view: v, scale: scale, x: math.Round(x0 + (w-vw*scale)/2), y: math.Round(y0 + (h-vh*scale)/2)}
	}
	if len(views) < 2 {
		return []panel{place(views[0], area.x0, area.y0, width, height, single)}
	}
	w1, h1 := size(views[1])
	beside := min((width-2*margin)/(w0+w1), (height-margin)/max(h0, h1))
	above := min((width-margin)/max(w0, w1), (height-2*margin)/(h0+h1))
	switch {
	case max(beside, above) < worth*single:
		return []panel{place(views[0], area.x0, area.y0, width, height, single)}
	case beside >= above:
		spare := (width - 2*margin - beside*(w0+w1)) / 2
		first := w0*beside + margin + spare
		return []panel{
			place(views[0], area.x0, area.y0, first, height, beside),
			place(views[1], area.x0+first, area.y0, width-first, height, beside),
		}
	default:
		spare := (height - 2*margin - above*(h0+h1)) / 2
		first := h0*above + margin + spare
		upper := place(views[0], area.x0, area.y1-first, width, first, above)
		upper.over = true
		return []panel{upper, place(views[1], area.x0, area.y0, width, height-first, above)}
	}
}

// captionStyle is that of the names of views.
var captionStyle = style(14, false, faint)

// words are the name of the view, as it stands below it, between the patient's
// sides where they are known.
func (p *panel) words() string {
	r := p.view.right
	left, right := p.view.Axes.Side(r.along, !r.down), p.view.Axes.Side(r.along, r.down)
	if left == "" {
		return p.view.Name
	}
	return "← " + left + "     " + p.view.Name + "     " + right + " →"
}

// caption is where the words stand: right of the scale bar in the line at the
// figure's lower end or, above another panel, below the view.
func (p *panel) caption() rectangle {
	const (
		half     = 7   // of the height of the text
		below    = 44  // the view
		scaleEnd = 255 // of the longest scale bar and its length
	)
	width := float64(captionStyle.Width(p.words()))
	left, y := p.x+(float64(p.view.Width)*p.scale-width)/2, 46.0
	if p.over {
		y = p.y - below
	} else {
		left = max(left, scaleEnd)
	}
	return rectangle{left, y - half, left + width, y + half}
}

// paint draws the panel's relief and the name of the view.
func (p *panel) paint(f *figure, light lighting, apart func(a, b int) bool, colourAt func(s *sample) colour) {
	width, height := int(math.Ceil(float64(p.view.Width)*p.scale)), int(math.Ceil(float64(p.view.Height)*p.scale))
	low := figureHeight - int(p.y)
	p.relief.paint(f.pixels, image.Rect(int(p.x), low-height, int(p.x)+width, low), p.scale, light, apart, colourAt)
	at := p.caption()
	f.textCenter(p.words(), (at.x0+at.x1)/2, (at.y0+at.y1)/2, captionStyle)
}

// at returns where a point in space lies in the figure, or near it.
func (p *panel) at(v r3.Vec) (x, y float64) {
	column, row, _ := p.view.project(v)
	return near(p.x+column*p.scale, figureWidth), near(p.y+row*p.scale, figureHeight)
}

// covered returns which share of a rectangle the relief fills.
func (p *panel) covered(r rectangle) float64 {
	const step = 4 // pixels
	hits, all := 0, 0
	for y := r.y0; y <= r.y1; y += step {
		for x := r.x0; x <= r.x1; x += step {
			all++
			column, row := int(math.Floor((x-p.x)/p.scale)), int(math.Floor((y-p.y)/p.scale))
			if column >= 0 && row >= 0 && column < p.relief.width && row < p.relief.height &&
				!isNaN(p.relief.near[row*p.relief.width+column]) {
				hits++
			}
		}
	}
	return float64(hits) / float64(all)
}

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
	output.Frame
	// Bin is the number of cells along the side of a pixel, the same for all
	// views of a frame.
	Bin int32
	// Width and Height are in pixels.
	Width, Height int32
	// Name says from where it is seen in the patient or, where the axes are not
	// known, along which axis.
	Name string

	right, up, away axis
}

// maxPixels is the largest side of a view in pixels: as fine as the pictures.
const maxPixels = 1000

// Views returns the views of a frame that pictures show: the first looks
// along the shortest side of the box, so that most is seen, with z upwards
// where it is not z that is looked along; the second looks from the side. They
// depend on the frame alone, so that all ranks draw the same.
func Views(f output.Frame) []View {
	// Where x points to the patient's left and y to the back, looking along y shows
	// the front; where they point to the right and the front, looking against it.
	turned := f.Axes == geometry.RAS
	front := View{Name: "seen from the front", right: axis{0, turned}, up: axis{along: 2}, away: axis{1, turned}}
	side := View{Name: "seen from the left side", right: axis{1, turned}, up: axis{along: 2}, away: axis{0, !turned}}
	top := View{Name: "seen from above", right: axis{0, turned}, up: axis{1, turned}, away: axis{2, true}}
	if f.Axes == geometry.UnknownAxes {
		front.Name, side.Name, top.Name = "seen along y", "seen against x", "seen against z"
	}
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

// place returns a point in space: the middle of a pixel at a depth in cells.
func (v *View) place(pixel int, depth int32) r3.Vec {
	at := [3]float64{}
	for _, along := range []struct {
		axis  axis
		cells float64
	}{
		{v.right, (float64(int32(pixel)%v.Width) + 0.5) * float64(v.Bin)},
		{v.up, (float64(int32(pixel)/v.Width) + 0.5) * float64(v.Bin)},
		{v.away, float64(depth) + 0.5},
	} {
		if along.axis.down {
			along.cells = float64(v.Size[along.axis.along]) - along.cells
		}
		at[along.axis.along] = along.cells
	}
	return r3.Add(v.Origin, r3.Scale(v.Spacing, r3.Vec{X: at[0], Y: at[1], Z: at[2]}))
}

// direction returns a vector of the grid as seen in the view.
func (v *View) direction(d r3.Vec) (x, y float64) { return v.right.of(d), v.up.of(d) }
