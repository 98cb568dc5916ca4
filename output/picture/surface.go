package picture

import (
	"errors"
	"math"

	"carina/geometry"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// SurfacePicture is what WriteSurface writes beside the surface.
type SurfacePicture struct {
	Title, Subtitle string
	// Openings are coloured and marked with their number.
	Openings []geometry.Opening
	// Axes say where those of the surface point in the patient, where that is known.
	Axes geometry.Axes
}

// WriteSurface draws the triangles of a surface as a PNG picture of 1200×900
// pixels, with its openings coloured and numbered.
func WriteSurface(path string, s *geometry.Surface, c SurfacePicture) error {
	if len(s.Triangles) == 0 {
		return errors.New("output: the surface has no triangles to draw")
	}
	frame := surfaceFrame(s)
	frame.Axes = c.Axes
	if err := frame.Check(); err != nil {
		return err
	}
	patches := OpeningTriangles(s, c.Openings)
	views := Views(frame)
	f := newFigure(c.Title, c.Subtitle)
	panels := arrange(rectangle{20, 50, figureWidth - 20, figureHeight - 90}, []*View{&views[0], &views[1]})
	for i := range panels {
		p := &panels[i]
		seen := rasterize(s, p.view)
		p.relief = seen.relief
		patchOf := func(column int) int32 { return int32(patches[seen.triangle[column]]) }
		p.paint(f, lighting{ambient: 0.36, shine: 0.05, fade: 0.15}, func(a, b int) bool { return patchOf(a) != patchOf(b) }, func(sm *sample) colour {
			best := sm.majority(patchOf)
			if best == 0 {
				return colour{0.80, 0.83, 0.87}
			}
			return ownerColour(int(best) - 1)
		})
	}
	share(panels)
	for i := range panels {
		panels[i].label(f, flowMarks(FlowPicture{Openings: c.Openings}, false), c.Openings)
	}
	f.explainMarks(len(c.Openings))
	f.scaleBar(40, 46, frame.Spacing/panels[0].scale)
	return f.write(path)
}

// surfaceFrame is a box around a surface as fine as a picture, or a draft's squares.
func surfaceFrame(s *geometry.Surface) output.Frame {
	low, high := s.Bounds()
	extent := r3.Sub(high, low)
	pixels := maxPixels
	if Draft {
		pixels /= draftPixels
	}
	f := output.Frame{Origin: low, Spacing: max(extent.X, extent.Y, extent.Z) / float64(pixels-1)}
	for i, e := range []float64{extent.X, extent.Y, extent.Z} {
		f.Size[i] = int32(min(math.Ceil(e/f.Spacing), float64(pixels-1))) + 1
	}
	return f
}

// OpeningTriangles returns, for every triangle, the number of the opening
// whose flat end it is part of, or 0.
func OpeningTriangles(s *geometry.Surface, openings []geometry.Opening) []uint16 {
	patch := make([]uint16, len(s.Triangles))
	for _, o := range openings {
		radius := math.Sqrt(o.Area / math.Pi)
		for t := range s.Triangles {
			a, b, c := s.Corners(t)
			normal := r3.Cross(r3.Sub(b, a), r3.Sub(c, a))
			on := math.Abs(r3.Dot(normal, o.Normal)) > 0.9*r3.Norm(normal)
			for _, v := range [3]r3.Vec{a, b, c} {
				d := r3.Sub(v, o.Center)
				// In the plane of the end, and no further than an oblong end reaches.
				on = on && math.Abs(r3.Dot(d, o.Normal)) < 0.1*radius && r3.Norm(d) < 2*radius
			}
			if on {
				patch[t] = uint16(o.Number)
			}
		}
	}
	return patch
}

// raster is a relief of triangles and which of them is seen in every column.
type raster struct {
	*relief
	triangle []int32
}

// rasterize draws the nearest triangle into every column of a view whose
// centre it covers.
func rasterize(s *geometry.Surface, v *View) *raster {
	r := &raster{relief: &relief{width: int(v.Width), height: int(v.Height)}}
	columns := r.width * r.height
	r.near, r.far, r.triangle = make([]float32, columns), make([]float32, columns), make([]int32, columns)
	for i := range r.near {
		r.near[i] = nan32
	}
	for t := range s.Triangles {
		var corner [3][3]float64
		a, b, c := s.Corners(t)
		for i, p := range [3]r3.Vec{a, b, c} {
			corner[i][0], corner[i][1], corner[i][2] = v.project(p)
		}
		r.add(int32(t), corner)
	}
	// Columns are taken for one surface up to this difference of depth.
	const thickness = 8
	for i, d := range r.near {
		r.far[i] = d + thickness
	}
	r.finish()
	return r
}

// add draws triangle t with the given corners: right, up and away.
func (r *raster) add(t int32, c [3][3]float64) {
	x0, x1 := min(c[0][0], c[1][0], c[2][0]), max(c[0][0], c[1][0], c[2][0])
	y0, y1 := min(c[0][1], c[1][1], c[2][1]), max(c[0][1], c[1][1], c[2][1])
	area := (c[1][0]-c[0][0])*(c[2][1]-c[0][1]) - (c[2][0]-c[0][0])*(c[1][1]-c[0][1])
	if area == 0 || math.IsNaN(area) {
		return
	}
	for row := max(0, int(math.Ceil(y0-0.5))); row < r.height && float64(row)+0.5 <= y1; row++ {
		for column := max(0, int(math.Ceil(x0-0.5))); column < r.width && float64(column)+0.5 <= x1; column++ {
			x, y := float64(column)+0.5, float64(row)+0.5
			// Barycentric coordinates of the column's centre.
			v := ((x-c[0][0])*(c[2][1]-c[0][1]) - (c[2][0]-c[0][0])*(y-c[0][1])) / area
			w := ((c[1][0]-c[0][0])*(y-c[0][1]) - (x-c[0][0])*(c[1][1]-c[0][1])) / area
			if v < 0 || w < 0 || v+w > 1 {
				continue
			}
			depth := float32(c[0][2] + v*(c[1][2]-c[0][2]) + w*(c[2][2]-c[0][2]))
			if here := row*r.width + column; isNaN(r.near[here]) || depth < r.near[here] {
				r.near[here], r.triangle[here] = depth, t
			}
		}
	}
}
