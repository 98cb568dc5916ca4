package picture

import (
	"errors"

	"carina/geometry"
	"carina/geometry/mesh"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// WallPicture is a wall whose triangles have a value each.
type WallPicture struct {
	Title, Subtitle string
	Points          []r3.Vec
	Triangles       [][3]int32
	// Shear is the size of the shear stress on each triangle, in Pa.
	Shear []float64
	// High is that of the last colour.
	High     float64
	Openings []geometry.Opening
	Axes     geometry.Axes
}

var shearScale = scale{colours: &viridis, name: "Wall shear", place: []string{"of the air", "on the wall"}, units: pressureUnits}

// WriteWallShear draws the shear stress on a wall as a PNG picture.
func WriteWallShear(path string, w WallPicture) error {
	if len(w.Triangles) == 0 || len(w.Shear) != len(w.Triangles) {
		return errors.New("output: the wall has no triangles to draw, or not a value for each")
	}
	s := &geometry.Surface{Mesh: mesh.Mesh{Vertices: w.Points, Triangles: make([]mesh.Triangle, len(w.Triangles))}}
	for i, t := range w.Triangles {
		s.Triangles[i].V = t
	}
	var frame output.Frame = surfaceFrame(s)
	frame.Axes = w.Axes
	if err := frame.Check(); err != nil {
		return err
	}
	views := Views(frame)
	f := newFigure(w.Title, w.Subtitle)
	shows := shearScale
	shows.high = max(w.High, 1e-12)
	const legend = 150
	panels := arrange(rectangle{20, 50, figureWidth - legend, figureHeight - 90}, []*View{&views[0], &views[1]})
	for i := range panels {
		p := &panels[i]
		seen := rasterize(s, p.view)
		p.relief = seen.relief
		p.paint(f, lighting{ambient: 0.6, shine: 0.03, fade: 0.15}, nil, func(sm *sample) colour {
			var sum, weight float64
			for k := range sm.count {
				sum += float64(sm.weight[k]) * w.Shear[seen.triangle[sm.column[k]]]
				weight += float64(sm.weight[k])
			}
			return shows.colour(sum / weight)
		})
	}
	share(panels)
	for i := range panels {
		panels[i].label(f, flowMarks(FlowPicture{Openings: w.Openings}, false), w.Openings)
	}
	f.colourBar(figureWidth-118, 200, 440, &shows)
	f.scaleBar(40, 46, frame.Spacing/panels[0].scale)
	return f.write(path)
}
