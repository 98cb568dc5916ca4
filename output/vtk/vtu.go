package vtk

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"carina/geometry"
	"carina/output"
)

// vtkVoxel is the type number of an axis-aligned box whose eight corners are
// ordered x fastest, then y, then z (vtkCellType.h).
const vtkVoxel = 11

// WriteFile writes the flow in all cells of a grid as one VTK unstructured grid
// (.vtu), as WriteVTU does a piece.
func WriteFile(path string, g *geometry.Grid, f *output.Fields) error {
	return WriteVTU(path, output.PieceOf(g, f))
}

// WriteVTU writes a piece as a VTK unstructured grid (.vtu): one voxel a cell,
// corner points shared, cell data pressure (Pa), velocity (m/s) and rank.
// Data is appended as zlib-compressed raw blocks; memory follows the runs of
// two slabs of cells. A piece without cells makes a valid, empty file.
func WriteVTU(path string, p *output.Piece) error {
	if err := p.Check(); err != nil {
		return err
	}
	points := sweep(p.Runs, nil, nil)
	cells := p.Cells()
	head := fmt.Sprintf(`<Piece NumberOfPoints="%d" NumberOfCells="%d">`, points, cells)
	sections := []section{
		{"Points", []dataArray{pointArray(p, points)}},
		{"Cells", voxelArrays(cells, 8*max(cells, points) > math.MaxInt32, func(each func(corners [8]int64)) {
			eachVoxel(p.Runs, each)
		})},
		{`CellData Scalars="pressure" Vectors="velocity"`, fieldArrays(p)},
	}
	return writeFile(path, func(f file) error {
		return writeAppended(f, "UnstructuredGrid", head, timeValue(p.Time), sections)
	})
}

// timeValue is the field data that tells readers the simulated time.
func timeValue(seconds float64) string {
	return fmt.Sprintf("<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%g</DataArray></FieldData>\n", seconds)
}

// coordinates returns the type that resolves a frame's coordinates to a
// 1/64 of a cell.
func coordinates(f output.Frame) string {
	far := 0.0
	for i, o := range []float64{f.Origin.X, f.Origin.Y, f.Origin.Z} {
		far = max(far, math.Abs(o), math.Abs(o+float64(f.Size[i])*f.Spacing))
	}
	// A float32 of size far is exact to far·2⁻²⁴.
	if far*math.Ldexp(1, -24) > f.Spacing/64 {
		return "Float64"
	}
	return "Float32"
}

func pointArray(p *output.Piece, points int64) dataArray {
	kind := coordinates(p.Frame)
	return dataArray{"points", kind, 3, points, func(w *blockWriter) {
		put := func(v float64) { w.float32(float32(v)) }
		if kind == "Float64" {
			put = w.float64
		}
		sweep(p.Runs, func(plane *cornerPlane) {
			z := p.Origin.Z + float64(plane.z)*p.Spacing
			for _, r := range plane.rows {
				y := p.Origin.Y + float64(r.y)*p.Spacing
				for x := r.x0; x <= r.x1; x++ {
					put(p.Origin.X + float64(x)*p.Spacing)
					put(y)
					put(z)
				}
			}
		}, nil)
	}}
}

// eachVoxel calls each with the point numbers of every cell's corners.
func eachVoxel(runs []geometry.Run, each func(corners [8]int64)) {
	sweep(runs, nil, func(slab []geometry.Run, low, high *cornerPlane) {
		for _, r := range slab {
			row := [4]int64{
				low.number(r.X0, r.Y), low.number(r.X0, r.Y+1),
				high.number(r.X0, r.Y), high.number(r.X0, r.Y+1),
			}
			for i := range int64(r.X1 - r.X0) {
				var c [8]int64
				for j, first := range row {
					c[2*j], c[2*j+1] = first+i, first+i+1
				}
				each(c)
			}
		}
	})
}

// voxelArrays are the three arrays that define the cells of an unstructured
// grid of voxels. wide chooses 64-bit numbers.
func voxelArrays(cells int64, wide bool, eachVoxel func(each func(corners [8]int64))) []dataArray {
	kind := "Int32"
	if wide {
		kind = "Int64"
	}
	return []dataArray{
		{"connectivity", kind, 1, 8 * cells, func(w *blockWriter) {
			eachVoxel(func(corners [8]int64) {
				for _, c := range corners {
					w.index(c, wide)
				}
			})
		}},
		{"offsets", kind, 1, cells, func(w *blockWriter) {
			for i := range cells {
				w.index(8*(i+1), wide)
			}
		}},
		{"types", "UInt8", 1, cells, func(w *blockWriter) {
			for range cells {
				w.uint8(vtkVoxel)
			}
		}},
	}
}

func fieldArrays(p *output.Piece) []dataArray {
	cells := p.Cells()
	list := []dataArray{
		{"pressure", "Float32", 1, cells, func(w *blockWriter) {
			for _, v := range p.Pressure {
				w.float32(v)
			}
		}},
		{"velocity", "Float32", 3, cells, func(w *blockWriter) {
			for _, v := range p.Velocity {
				w.float32(v[0])
				w.float32(v[1])
				w.float32(v[2])
			}
		}},
		{"rank", "Int32", 1, cells, func(w *blockWriter) {
			for range cells {
				w.int32(int32(p.Rank))
			}
		}},
	}
	for _, a := range p.Further {
		list = append(list, dataArray{a.Name, "Float32", a.Components, cells, func(w *blockWriter) {
			for _, v := range a.Values {
				w.float32(v)
			}
		}})
	}
	return list
}

// WritePVTU writes the file (.pvtu) that ties the pieces of several ranks
// together. sources are the paths of the pieces as WriteVTU was given them;
// they are stored relative to path's folder. further name the further fields that all have.
func WritePVTU(path string, frame output.Frame, time float64, sources []string, further ...output.Array) error {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PUnstructuredGrid GhostLevel=\"0\">\n")
	b.WriteString(timeValue(time))
	fmt.Fprintf(&b, "<PPoints><PDataArray type=%q Name=\"points\" NumberOfComponents=\"3\"/></PPoints>\n", coordinates(frame))
	b.WriteString("<PCellData Scalars=\"pressure\" Vectors=\"velocity\">\n")
	for _, a := range fieldArrays(&output.Piece{Further: further}) {
		fmt.Fprintf(&b, "<PDataArray type=%q Name=%q NumberOfComponents=\"%d\"/>\n", a.kind, a.name, a.components)
	}
	b.WriteString("</PCellData>\n")
	for _, source := range sources {
		relative, err := relativeTo(path, source)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "<Piece Source=\"%s\"/>\n", relative)
	}
	b.WriteString("</PUnstructuredGrid>\n</VTKFile>\n")
	return writeText(path, b.String())
}

// Snapshot is one moment of a series in time.
type Snapshot struct {
	// Time is in seconds.
	Time float64
	// Path is the .pvtu or .vtu file.
	Path string
}

// WritePVD writes the file (.pvd) that lists a series in time for ParaView.
func WritePVD(path string, series []Snapshot) error {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n")
	for _, s := range series {
		relative, err := relativeTo(path, s.Path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "<DataSet timestep=\"%g\" file=\"%s\"/>\n", s.Time, relative)
	}
	b.WriteString("</Collection>\n</VTKFile>\n")
	return writeText(path, b.String())
}

// relativeTo returns source relative to path's folder, escaped for XML.
func relativeTo(path, source string) (string, error) {
	relative, err := filepath.Rel(filepath.Dir(path), source)
	if err != nil {
		return "", fmt.Errorf("output: %s cannot refer to %s: %w", path, source, err)
	}
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(filepath.ToSlash(relative))); err != nil {
		return "", fmt.Errorf("output: %s cannot refer to %s: %w", path, source, err)
	}
	return b.String(), nil
}

func writeText(path, text string) error {
	return writeFile(path, func(f file) error {
		_, err := io.WriteString(f, text)
		return err
	})
}
