package page

import (
	"errors"
	"fmt"
	"io"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
)

// Page is what a page shows: a surface or a grid, and what is known of them.
type Page struct {
	Title, Subtitle string
	// Axes say where x, y and z point in the patient, where that is known.
	Axes geometry.Axes
	// Surface is shown as it is, if there is no Grid.
	Surface *geometry.Surface
	// Grid is shown by the outer faces of its cells, smoothed.
	Grid *geometry.Grid
	// Segments, Cuboids and Owners say which rank owns which cells, as in a
	// partition; they may be nil. Segments are in run order.
	Segments []cuboid.Segment
	Cuboids  []cuboid.Cuboid
	Owners   []int32
	// Pressure (Pa) and Velocity (m/s; x, y and z) of every cell by global
	// number; they may be nil.
	Pressure []float32
	Velocity [3][]float32
	// Openings are marked; nil means those of the grid.
	Openings []geometry.Opening
	// Flow is the volume flow through each opening in m³/s and OpeningPressure the
	// mean pressure over it in Pa; may be nil.
	Flow, OpeningPressure []float64
	// Time is that of all this in seconds, Instants are earlier ones, from the first on, of
	// which the page shows as many as it has room for.
	Time     float64
	Instants []Instant
	// Wall is what is known on the wall, and Branches are centre lines, beside a Grid with
	// fields; may be nil.
	Wall     *Wall
	Branches []Branch
}

func (p *Page) check() error {
	switch {
	case p.Grid == nil && p.Surface == nil:
		return errors.New("view page: there is neither a surface nor a grid to show")
	case p.Grid == nil && len(p.Surface.Triangles) == 0:
		return errors.New("view page: the surface has no triangles to show")
	case p.Flow != nil && len(p.Flow) != len(p.openings()):
		return fmt.Errorf("view page: %s for %s: give one each", quantity.Count(len(p.Flow), "flow"), quantity.Count(len(p.openings()), "opening"))
	case p.OpeningPressure != nil && len(p.OpeningPressure) != len(p.openings()):
		return fmt.Errorf("view page: %s for %s: give one each", quantity.Count(len(p.OpeningPressure), "pressure"), quantity.Count(len(p.openings()), "opening"))
	case len(p.Cuboids) != len(p.Owners):
		return fmt.Errorf("view page: %s for %s: give one each", quantity.Count(len(p.Owners), "owner"), quantity.Count(len(p.Cuboids), "cuboid"))
	case len(p.Instants) > 0 && (p.Grid == nil || p.Pressure == nil || p.Velocity[0] == nil):
		return errors.New("view page: there are earlier instants of no flow: give the pressure and the velocity at the end")
	case p.Grid == nil:
		return nil
	}
	for i := range p.Instants {
		if n := len(p.openings()); p.Instants[i].Flow != nil && len(p.Instants[i].Flow) != n || p.Instants[i].OpeningPressure != nil && len(p.Instants[i].OpeningPressure) != n {
			return fmt.Errorf("view page: instant %d has not one flow and pressure for each of %s", i+1, quantity.Count(n, "opening"))
		}
	}
	cells := p.Grid.Cells()
	if cells == 0 {
		return errors.New("view page: the grid has no cells to show")
	}
	for _, f := range [][]float32{p.Pressure, p.Velocity[0], p.Velocity[1], p.Velocity[2]} {
		if f != nil && int64(len(f)) != cells {
			return fmt.Errorf("view page: a field has %s for %s", quantity.Count(len(f), "value"), quantity.Count(cells, "cell"))
		}
	}
	if p.Wall != nil {
		for _, f := range p.Wall.Fields {
			if len(f.Values) != len(p.Wall.At) {
				return fmt.Errorf("view page: %s has %s for %s on the wall", f.Name, quantity.Count(len(f.Values), "value"), quantity.Count(len(p.Wall.At), "place"))
			}
		}
	}
	if p.Segments != nil {
		return p.checkSegments(cells)
	}
	return nil
}

func (p *Page) checkSegments(cells int64) error {
	var covered int64
	for i, s := range p.Segments {
		if s.Cuboid < 0 || int(s.Cuboid) >= len(p.Owners) {
			return fmt.Errorf("view page: a segment lies in cuboid %d of %d", s.Cuboid, len(p.Owners))
		}
		if i > 0 {
			if b := p.Segments[i-1]; b.Z > s.Z || b.Z == s.Z && (b.Y > s.Y || b.Y == s.Y && b.X1 > s.X0) {
				return errors.New("view page: the segments are not in run order")
			}
		}
		covered += int64(s.X1 - s.X0)
	}
	if covered != cells {
		return fmt.Errorf("view page: the segments hold %d of %s", covered, quantity.Count(cells, "cell"))
	}
	return nil
}

func (p *Page) openings() []geometry.Opening {
	if p.Openings == nil && p.Grid != nil {
		return p.Grid.Openings
	}
	return p.Openings
}

// What a page takes while it is written, for every triangle of a surface, place
// of a layer of voxels, face, run of cells and cuboid. Measured, rounded up.
const (
	bytesPerTriangle = 250
	bytesPerPlace    = 80
	bytesPerFace     = 300
	bytesPerRun      = 60
	bytesPerCuboid   = 120
	bytesPerVoxel    = 30         // of an instant
	bytesAnyway      = 20_000_000 // scripts, packed
)

// Memory is about how many bytes Write takes at most, besides the page itself.
func (p *Page) Memory() int64 {
	if p.Grid == nil {
		return bytesAnyway + bytesPerTriangle*int64(len(p.Surface.Triangles))
	}
	factor, size := int64(factorFor(p)), p.Grid.Size
	places := (int64(size[0])/factor + 3) * (int64(size[1])/factor + 3)
	faces := outerFaces(p.Grid.Runs) / (factor * factor)
	instant := int64(0)
	if len(p.Instants) > 0 {
		instant = mostBytes + bytesPerVoxel*p.Grid.Cells()/(factor*factor*factor)
	}
	return bytesAnyway + instant + bytesPerPlace*places + bytesPerFace*faces + bytesPerRun*int64(max(len(p.Grid.Runs), len(p.Segments))) + bytesPerCuboid*int64(len(p.Cuboids))
}

// Write writes the page as one HTML file.
func Write(path string, p *Page) error {
	if err := p.check(); err != nil {
		return err
	}
	var s scene
	var v *voxels
	var m *mesh
	if p.Grid != nil {
		v = voxelsOf(p)
		m = meshOf(v)
		s.addGrid(p, v, m)
	} else {
		s.addSurface(p.Surface, p.openings())
	}
	s.addOpenings(p)
	s.addSides(p.Axes)
	var err error
	if s.packed, err = compressed(s.data); err == nil {
		err = s.addInstants(p, v, m)
	}
	if err != nil {
		return fmt.Errorf("view page: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return s.write(w, p) })
}
