package vtk

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/race"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// vtkFile is what a reader needs of a VTK XML file.
type vtkFile struct {
	Type       string    `xml:"type,attr"`
	HeaderType string    `xml:"header_type,attr"`
	Piece      vtkPiece  `xml:"UnstructuredGrid>Piece"`
	Time       float64   `xml:"UnstructuredGrid>FieldData>DataArray"`
	Pieces     []vtkLink `xml:"PUnstructuredGrid>Piece"`
	Series     []vtkLink `xml:"Collection>DataSet"`
	Image      struct {
		Extent  string   `xml:"WholeExtent,attr"`
		Origin  string   `xml:"Origin,attr"`
		Spacing string   `xml:"Spacing,attr"`
		Piece   vtkPiece `xml:"Piece"`
		Time    float64  `xml:"FieldData>DataArray"`
	} `xml:"ImageData"`
}

type vtkLink struct {
	Source string  `xml:"Source,attr"`
	File   string  `xml:"file,attr"`
	Time   float64 `xml:"timestep,attr"`
}

type vtkPiece struct {
	Points int64      `xml:"NumberOfPoints,attr"`
	Cells  int64      `xml:"NumberOfCells,attr"`
	Extent string     `xml:"Extent,attr"`
	Arrays []vtkArray `xml:",any"`
}

type vtkArray struct {
	Data []struct {
		Kind       string `xml:"type,attr"`
		Name       string `xml:"Name,attr"`
		Components int    `xml:"NumberOfComponents,attr"`
		Offset     int64  `xml:"offset,attr"`
	} `xml:"DataArray"`
}

// readVTU decodes all arrays of a file to float64, by name.
func readVTU(t testing.TB, path string) (vtkFile, map[string][]float64) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file vtkFile
	blob := []byte(nil)
	text := raw
	if before, after, found := bytes.Cut(raw, []byte("<AppendedData encoding=\"raw\">\n_")); found {
		if !bytes.HasSuffix(after, []byte("\n</AppendedData>\n</VTKFile>\n")) {
			t.Fatalf("%s does not end as XML", path)
		}
		text, blob = append(slices.Clone(before), "</VTKFile>"...), after
	}
	if err := xml.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	arrays := map[string][]float64{}
	for _, s := range append(file.Piece.Arrays, file.Image.Piece.Arrays...) {
		for _, a := range s.Data {
			arrays[a.Name] = decode(t, a.Kind, inflate(t, blob[a.Offset:]))
		}
	}
	return file, arrays
}

// inflate undoes the blocks of one array.
func inflate(t testing.TB, blob []byte) []byte {
	t.Helper()
	word := func(i uint64) uint64 { return binary.LittleEndian.Uint64(blob[8*i:]) }
	blocks, size, last := word(0), word(1), word(2)
	at := 8 * (3 + blocks)
	var out bytes.Buffer
	for i := range blocks {
		packed := word(3 + i)
		z, err := zlib.NewReader(bytes.NewReader(blob[at : at+packed]))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(&out, z)
		if err != nil {
			t.Fatal(err)
		}
		want := size
		if i == blocks-1 && last != 0 {
			want = last
		}
		if uint64(n) != want {
			t.Fatalf("block %d of %d has %d bytes, header says %d", i, blocks, n, want)
		}
		at += packed
	}
	return out.Bytes()
}

func decode(t testing.TB, kind string, raw []byte) []float64 {
	t.Helper()
	var out []float64
	for len(raw) > 0 {
		switch kind {
		case "UInt8":
			out, raw = append(out, float64(raw[0])), raw[1:]
		case "Int32":
			out, raw = append(out, float64(int32(binary.LittleEndian.Uint32(raw)))), raw[4:]
		case "Float32":
			out, raw = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))), raw[4:]
		case "Int64":
			out, raw = append(out, float64(int64(binary.LittleEndian.Uint64(raw)))), raw[8:]
		case "Float64":
			out, raw = append(out, math.Float64frombits(binary.LittleEndian.Uint64(raw))), raw[8:]
		default:
			t.Fatalf("unknown type %q", kind)
		}
	}
	return out
}

// checkVoxels compares the cells of a file with the piece, by coordinates.
func checkVoxels(t testing.TB, p *output.Piece, file vtkFile, arrays map[string][]float64) {
	t.Helper()
	points, conn := arrays["points"], arrays["connectivity"]
	if int64(len(points)) != 3*file.Piece.Points || file.Piece.Cells != p.Cells() {
		t.Fatalf("%d points with %d coordinates, %d cells of %d", file.Piece.Points, len(points), file.Piece.Cells, p.Cells())
	}
	used := map[[3]float64]int{}
	cell := 0
	for _, r := range p.Runs {
		for x := r.X0; x < r.X1; x++ {
			for corner := range 8 {
				n := int(conn[8*cell+corner])
				got := [3]float64(points[3*n : 3*n+3])
				used[got] = n
				want := [3]float64{
					p.Origin.X + float64(int(x)+corner&1)*p.Spacing,
					p.Origin.Y + float64(int(r.Y)+corner>>1&1)*p.Spacing,
					p.Origin.Z + float64(int(r.Z)+corner>>2)*p.Spacing,
				}
				for axis := range 3 {
					if math.Abs(got[axis]-want[axis]) > p.Spacing/64 {
						t.Fatalf("cell %d corner %d is at %v, want %v", cell, corner, got, want)
					}
				}
			}
			if arrays["offsets"][cell] != float64(8*(cell+1)) || arrays["types"][cell] != 11 {
				t.Fatalf("cell %d: offset %v, type %v", cell, arrays["offsets"][cell], arrays["types"][cell])
			}
			for axis, v := range p.Velocity[cell] {
				if arrays["velocity"][3*cell+axis] != float64(v) {
					t.Fatalf("cell %d: velocity differs", cell)
				}
			}
			if arrays["pressure"][cell] != float64(p.Pressure[cell]) || arrays["rank"][cell] != float64(p.Rank) {
				t.Fatalf("cell %d: pressure or rank differs", cell)
			}
			cell++
		}
	}
	if int64(len(used)) != file.Piece.Points {
		t.Fatalf("%d different corners, but %d points: points are not shared or not used", len(used), file.Piece.Points)
	}
}

// drawPiece draws a random piece: any cells of a small box, as maximal runs or
// cut into touching ones.
func drawPiece(t *rapid.T) *output.Piece {
	p := &output.Piece{Frame: output.Frame{Origin: r3.Vec{X: -1, Y: 2, Z: 0.5}, Spacing: 0.25}, Rank: 3, Ranks: 5, Time: 1.5}
	for axis := range p.Size {
		p.Size[axis] = rapid.Int32Range(1, 6).Draw(t, "size")
	}
	for z := range p.Size[2] {
		for y := range p.Size[1] {
			for x := range p.Size[0] {
				if !rapid.Bool().Draw(t, "fluid") {
					continue
				}
				n := len(p.Runs)
				if n > 0 && p.Runs[n-1] == (geometry.Run{X0: p.Runs[n-1].X0, X1: x, Y: y, Z: z}) && rapid.Bool().Draw(t, "join") {
					p.Runs[n-1].X1++
				} else {
					p.Runs = append(p.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
				}
				p.Pressure = append(p.Pressure, rapid.Float32Range(-9, 9).Draw(t, "p"))
				p.Velocity = append(p.Velocity, [3]float32{float32(x), rapid.Float32Range(-9, 9).Draw(t, "v"), float32(z)})
			}
		}
	}
	return p
}

// plates fills a cube of cells but for every fifth plane along y, and deals its
// cells along x to ranks in turn.
func plates(side int32, ranks int) []*output.Piece {
	pieces := make([]*output.Piece, ranks)
	for i := range pieces {
		pieces[i] = &output.Piece{Frame: output.Frame{Spacing: 1e-3, Size: [3]int32{side, side, side}}, Rank: i, Ranks: ranks}
	}
	for i := range side * side * side {
		x, y, z := i%side, i/side%side, i/side/side
		if y%5 == 2 {
			continue
		}
		p := pieces[int(x)%ranks]
		p.Runs = append(p.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
		p.Pressure = append(p.Pressure, float32(z))
		p.Velocity = append(p.Velocity, [3]float32{float32(x), 0, 1})
	}
	return pieces
}

func TestWriteVTU(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piece.vtu")
	rapid.Check(t, func(r *rapid.T) {
		p := drawPiece(r)
		if err := WriteVTU(path, p); err != nil {
			t.Fatal(err)
		}
		file, arrays := readVTU(t, path)
		if file.Time != p.Time {
			t.Fatalf("time is %v, want %v", file.Time, p.Time)
		}
		checkVoxels(t, p, file, arrays)
	})
}

// Several blocks an array, and coordinates that float32 cannot resolve.
func TestWriteVTULarge(t *testing.T) {
	race.SkipArithmetic(t)
	p := plates(50, 1)[0]
	p.Origin.X += 1e5
	path := filepath.Join(t.TempDir(), "large.vtu")
	if err := WriteVTU(path, p); err != nil {
		t.Fatal(err)
	}
	file, arrays := readVTU(t, path)
	if 8*4*p.Cells() < 2*blockSize {
		t.Fatalf("%d cells do not fill two blocks", p.Cells())
	}
	checkVoxels(t, p, file, arrays)
}

func TestWriteVTURefuses(t *testing.T) {
	good := func() *output.Piece {
		return &output.Piece{
			Frame: output.Frame{Spacing: 1, Size: [3]int32{4, 4, 4}}, Ranks: 1,
			Runs:     []geometry.Run{{X0: 0, X1: 1, Y: 1, Z: 1}, {X0: 0, X1: 1, Y: 2, Z: 1}},
			Pressure: make([]float32, 2), Velocity: make([][3]float32, 2),
		}
	}
	for _, c := range []struct {
		name   string
		damage func(p *output.Piece)
		says   string
	}{
		{"no spacing", func(p *output.Piece) { p.Spacing = 0 }, "is empty"},
		{"NaN", func(p *output.Piece) { p.Origin.Y = math.NaN() }, "not finite"},
		{"rank", func(p *output.Piece) { p.Rank = 1 }, "rank 1 of 1"},
		{"outside", func(p *output.Piece) { p.Runs[0].X1 = 5 }, "does not lie"},
		{"order", func(p *output.Piece) { p.Runs[1].Y = 0 }, "not ordered"},
		{"overlap", func(p *output.Piece) { p.Runs[1].Y = 1 }, "not ordered"},
		{"fields", func(p *output.Piece) { p.Pressure = p.Pressure[:1] }, "1 pressures"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			p := good()
			if err := WriteVTU(filepath.Join(dir, "a.vtu"), p); err != nil {
				t.Fatal(err)
			}
			c.damage(p)
			err := WriteVTU(filepath.Join(dir, "b.vtu"), p)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("error %v does not say %q", err, c.says)
			}
			if left, _ := os.ReadDir(dir); len(left) != 1 {
				t.Fatalf("files left: %v", left)
			}
		})
	}
	if err := WriteVTU(filepath.Join(t.TempDir(), "missing", "a.vtu"), good()); err == nil {
		t.Fatal("a missing folder is not reported")
	}
}

func TestWritePVTU(t *testing.T) {
	dir := t.TempDir()
	pieces := plates(6, 3)
	var sources []string
	for _, p := range pieces {
		source := filepath.Join(dir, "fields & more", "rank"+strconv.Itoa(p.Rank)+".vtu")
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := WriteVTU(source, p); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	path := filepath.Join(dir, "fields.pvtu")
	if err := WritePVTU(path, pieces[0].Frame, 2, sources); err != nil {
		t.Fatal(err)
	}
	file, _ := readVTU(t, path)
	if len(file.Pieces) != 3 {
		t.Fatalf("%d pieces", len(file.Pieces))
	}
	for i, link := range file.Pieces {
		_, arrays := readVTU(t, filepath.Join(dir, filepath.FromSlash(link.Source)))
		if int64(len(arrays["pressure"])) != pieces[i].Cells() {
			t.Fatalf("piece %d has %d cells", i, len(arrays["pressure"]))
		}
	}
	series := filepath.Join(dir, "series.pvd")
	if err := WritePVD(series, []Snapshot{{0.5, path}}); err != nil {
		t.Fatal(err)
	}
	if file, _ := readVTU(t, series); len(file.Series) != 1 || file.Series[0] != (vtkLink{File: "fields.pvtu", Time: 0.5}) {
		t.Fatalf("series %v", file.Series)
	}
}

func TestWriteCuboids(t *testing.T) {
	frame := output.Frame{Origin: r3.Vec{X: 1, Y: 2, Z: 3}, Spacing: 0.5, Size: [3]int32{9, 9, 9}}
	boxes := []Box{
		{cuboid.Cuboid{Min: [3]int32{0, 0, 0}, Max: [3]int32{2, 3, 4}}, cuboid.Counts{Fluid: 20, Boundary: 5, Empty: 4}, 1},
		{cuboid.Cuboid{Min: [3]int32{2, 0, 0}, Max: [3]int32{9, 9, 9}}, cuboid.Counts{Fluid: 7, Boundary: 7, Empty: 434}, 0},
	}
	path := filepath.Join(t.TempDir(), "cuboids.vtu")
	if err := WriteCuboids(path, frame, boxes); err != nil {
		t.Fatal(err)
	}
	_, got := readVTU(t, path)
	for name, want := range map[string][]float64{
		"owner": {1, 0}, "cuboid": {0, 1}, "fluid": {20, 7}, "boundary": {5, 7}, "empty": {4, 434},
	} {
		if !slices.Equal(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	// First and last corner of the first box: its lowest and highest.
	if p := got["points"]; !slices.Equal(p[:3], []float64{1, 2, 3}) || !slices.Equal(p[21:24], []float64{2, 3.5, 5}) {
		t.Errorf("corners %v", p[:24])
	}
}
