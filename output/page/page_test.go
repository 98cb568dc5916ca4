package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// part returns an unpacked part of a page.
func part(t testing.TB, page []byte, id string) []byte {
	t.Helper()
	m := regexp.MustCompile(`id="` + id + `">([^<]*)<`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no part %s", id)
	}
	packed, err := base64.StdEncoding.DecodeString(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// written is a page read back.
type written struct {
	scene
	path    string
	streams map[string][]byte
}

func writePage(t testing.TB, p *Page) *written {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := Write(path, p); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &written{path: path, streams: map[string][]byte{}}
	if err := json.Unmarshal(part(t, page, "header"), &w.scene); err != nil {
		t.Fatal(err)
	}
	data := part(t, page, "streams")
	for _, s := range w.Streams {
		w.streams[s.Name], data = data[:s.Length], data[s.Length:]
	}
	if len(data) != 0 {
		t.Fatalf("%d bytes belong to no stream", len(data))
	}
	return w
}

func (w *written) numbers(t testing.TB, name string, n int) []int64 {
	t.Helper()
	data, last := w.streams[name], int64(0)
	out := make([]int64, n)
	for i := range out {
		d, size := binary.Varint(data)
		if size <= 0 {
			t.Fatalf("stream %s ends at %d of %d", name, i, n)
		}
		data, last = data[size:], last+d
		out[i] = last
	}
	if len(data) != 0 {
		t.Fatalf("stream %s has %d bytes too many", name, len(data))
	}
	return out
}

// places returns positions in millimetres.
func (w *written) places(t testing.TB, name string, n int) []r3.Vec {
	t.Helper()
	x, y, z := w.numbers(t, name+":x", n), w.numbers(t, name+":y", n), w.numbers(t, name+":z", n)
	out := make([]r3.Vec, n)
	for i := range out {
		out[i] = r3.Vec{X: w.Origin[0] + float64(x[i])*w.Step, Y: w.Origin[1] + float64(y[i])*w.Step, Z: w.Origin[2] + float64(z[i])*w.Step}
	}
	return out
}

// volume of what the page's faces enclose, in mm³.
func (w *written) volume(t testing.TB) float64 {
	t.Helper()
	at := w.places(t, "vertex", w.Vertices)
	face := w.numbers(t, "face", 4*w.Faces)
	sum := 0.0
	for i := range w.Faces {
		a, b, c, d := at[face[4*i]], at[face[4*i+1]], at[face[4*i+2]], at[face[4*i+3]]
		sum += r3.Dot(a, r3.Cross(b, c)) + r3.Dot(a, r3.Cross(c, d))
	}
	return sum / 6
}

func pipeGrid(t testing.TB, cells int64) *geometry.Grid {
	t.Helper()
	s, _, err := generate.Pipe(generate.PipeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := geometry.Voxelize(context.Background(), s, geometry.Options{FluidCells: cells})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// halves are two cuboids that part a grid across its longest axis.
func halves(g *geometry.Grid) *Page {
	axis := 0
	for a := range g.Size {
		if g.Size[a] > g.Size[axis] {
			axis = a
		}
	}
	low, high := cuboid.Cuboid{Max: g.Size}, cuboid.Cuboid{Max: g.Size}
	low.Max[axis] = g.Size[axis] / 2
	high.Min[axis] = low.Max[axis]
	p := &Page{Title: "halves", Grid: g, Cuboids: []cuboid.Cuboid{low, high}, Owners: []int32{1, 0}}
	for _, r := range g.Runs {
		for i, c := range p.Cuboids {
			s := cuboid.Segment{Run: r, Cuboid: int32(i)}
			s.X0, s.X1 = max(r.X0, c.Min[0]), min(r.X1, c.Max[0])
			if s.X0 < s.X1 && r.Y >= c.Min[1] && r.Y < c.Max[1] && r.Z >= c.Min[2] && r.Z < c.Max[2] {
				p.Segments = append(p.Segments, s)
			}
		}
	}
	return p
}

func TestGridPage(t *testing.T) {
	g := pipeGrid(t, 40_000)
	p := halves(g)
	w := writePage(t, p)
	cells := float64(g.Cells()) * math.Pow(g.Spacing*1e3, 3)
	if v := w.volume(t); math.Abs(v/cells-1) > 0.05 {
		t.Errorf("the faces enclose %v mm³, the cells %v", v, cells)
	}
	// Both owners have vertices, on their own side.
	at := w.places(t, "vertex", w.Vertices)
	mid := 0.0
	for _, v := range at {
		mid += (v.X + v.Y + v.Z) / float64(w.Vertices)
	}
	for i, label := range w.numbers(t, "label", w.Vertices) {
		side := at[i].X + at[i].Y + at[i].Z - mid
		if far := 0.2 * (w.High[0] - w.Low[0] + w.High[1] - w.Low[1] + w.High[2] - w.Low[2]); math.Abs(side) > far && (side > 0) == (label == 1) {
			t.Fatalf("vertex %d at %v is labelled %d", i, at[i], label)
		}
	}
	if len(w.Labels) != 2 || w.Boxes != 2 || w.LabelKind != "rank" {
		t.Errorf("%d labels of kind %s, %d boxes", len(w.Labels), w.LabelKind, w.Boxes)
	}
	boxes := w.places(t, "box", 4)
	if size := r3.Norm(r3.Sub(boxes[3], boxes[0])); math.Abs(size/r3.Norm(r3.Vec{X: w.High[0] - w.Low[0], Y: w.High[1] - w.Low[1], Z: w.High[2] - w.Low[2]})-1) > 1e-3 {
		t.Errorf("boxes span %v", size)
	}
	if len(w.Openings) != len(g.Openings) {
		t.Errorf("%d openings of %d", len(w.Openings), len(g.Openings))
	}
}

// Air that moves along a pipe leaves straight streamlines of constant speed,
// from the inlet to the outlet.
func TestStreamlinesOfPipe(t *testing.T) {
	g := pipeGrid(t, 40_000)
	var in geometry.Opening
	for _, o := range g.Openings {
		if o.Role == geometry.Inlet {
			in = o
		}
	}
	p := &Page{Grid: g, Flow: make([]float64, len(g.Openings))}
	for _, direction := range []float64{1, -1} {
		const speed = 2
		u := r3.Scale(-direction*speed, in.Normal)
		for a, c := range []float64{u.X, u.Y, u.Z} {
			p.Velocity[a] = make([]float32, g.Cells())
			for i := range p.Velocity[a] {
				p.Velocity[a][i] = float32(c)
			}
		}
		w := writePage(t, p)
		if len(w.Lines) < mostStreamlines*3/4 {
			t.Fatalf("%d streamlines", len(w.Lines))
		}
		total := 0
		for _, n := range w.Lines {
			total += n
		}
		at := w.places(t, "line", total)
		length := 1e3 * max(float64(g.Size[0]), float64(g.Size[1]), float64(g.Size[2])) * g.Spacing
		start, whole := 0, 0
		for _, n := range w.Lines {
			d := r3.Sub(at[start+n-1], at[start])
			along := -direction * r3.Dot(d, in.Normal)
			if across := math.Sqrt(max(0, r3.Norm2(d)-along*along)); across > 0.02*length || along < 0 {
				t.Fatalf("a streamline goes %v mm along and %v across", along, across)
			}
			if along > 0.9*length {
				whole++
			}
			start += n
		}
		if whole < len(w.Lines)*3/4 {
			t.Errorf("only %d of %d streamlines reach the end", whole, len(w.Lines))
		}
		if want := length / 1e3 / speed; math.Abs(w.Transit/want-1) > 0.1 {
			t.Errorf("air takes %v s, want %v", w.Transit, want)
		}
	}
}

func TestFieldsOnPage(t *testing.T) {
	g := pipeGrid(t, 20_000)
	p := &Page{Grid: g, Pressure: make([]float32, g.Cells())}
	for i := range p.Pressure {
		p.Pressure[i] = float32(i)
	}
	w := writePage(t, p)
	if len(w.Fields) != 1 || w.Voxels == nil {
		t.Fatalf("%d fields", len(w.Fields))
	}
	f, voxels := w.Fields[0], w.streams["voxel:pressure"]
	if len(voxels) != len(p.Pressure) || len(w.streams["vertex:pressure"]) != w.Vertices {
		t.Fatalf("%d values for %d cells", len(voxels), len(p.Pressure))
	}
	for i, b := range voxels {
		got := f.Low + (float64(b)-1)/254*(f.High-f.Low)
		// The scale leaves out a thousandth at either end.
		if want := float64(p.Pressure[i]); math.Abs(got-want) > 0.005*float64(len(voxels)) {
			t.Fatalf("cell %d has %v, want %v", i, got, want)
		}
	}
	// The runs are those of the grid.
	x0, x1 := w.numbers(t, "run:x0", w.Voxels.Runs), w.numbers(t, "run:x1", w.Voxels.Runs)
	y, z := w.numbers(t, "run:y", w.Voxels.Runs), w.numbers(t, "run:z", w.Voxels.Runs)
	for i, r := range g.Runs {
		if (geometry.Run{X0: int32(x0[i]), X1: int32(x1[i]), Y: int32(y[i]), Z: int32(z[i])}) != r {
			t.Fatalf("run %d differs", i)
		}
	}
}

func TestSurfacePage(t *testing.T) {
	s, openings, err := generate.Bifurcation(generate.BifurcationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := writePage(t, &Page{Surface: s, Openings: openings, Flow: []float64{1e-4, -5e-5, -5e-5}})
	if v, want := w.volume(t), s.Volume()*1e9; math.Abs(v/want-1) > 1e-3 {
		t.Errorf("the page shows %v mm³, the surface encloses %v", v, want)
	}
	if w.Faces != len(s.Triangles) || w.LabelKind != "opening" || len(w.Labels) != 1+len(openings) {
		t.Errorf("%d faces, %d labels of kind %s", w.Faces, len(w.Labels), w.LabelKind)
	}
	if o := w.Openings[0]; o.Flow != "6.0000 L/min" || !strings.Contains(o.Text, "6.0000 L/min") {
		t.Errorf("opening 1 says %q", w.Openings[0].Text)
	}
}

// Areas of openings are told with their digits, however small they are.
func TestAreasOfOpeningsOfAnySize(t *testing.T) {
	units := map[string]float64{"cm²": 1e-4, "mm²": 1e-6, "µm²": 1e-12}
	for _, diameter := range []float64{18e-3, 0.2e-3, 2e-6} {
		s, openings, err := generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: 3 * diameter})
		if err != nil {
			t.Fatal(err)
		}
		w := writePage(t, &Page{Surface: s, Openings: openings})
		for _, text := range []string{w.Openings[0].Text, "x, " + w.Labels[1].Detail} {
			_, area, _ := strings.Cut(text, ", ")
			number, unit, _ := strings.Cut(area, " ")
			value, err := strconv.ParseFloat(number, 64)
			if want := math.Pi / 4 * diameter * diameter; err != nil || math.Abs(value*units[unit]/want-1) > 0.003 {
				t.Errorf("an opening of %g m² is said to be %q", want, text)
			}
		}
	}
}

// The writing of a page takes no more memory than is foreseen, also where a
// grid has few runs and many faces.
func TestMemoryIsForeseen(t *testing.T) {
	race.SkipArithmetic(t)
	surface, _, err := generate.Airway(generate.AirwayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*Page{
		"wide grid": {Grid: generate.FullGrid([3]int32{1200, 1200, 2})},
		"ranks":     halves(generate.FullGrid([3]int32{150, 150, 150})),
		"noise":     {Grid: generate.NoiseGrid([3]int32{60, 60, 60}, 0.5, 1)},
		"surface":   {Surface: surface},
	} {
		defer debug.SetGCPercent(debug.SetGCPercent(10))
		runtime.GC()
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(heap)
		before, most := heap[0].Value.Uint64(), uint64(0)
		done := make(chan error)
		go func() { done <- Write(filepath.Join(t.TempDir(), "page.html"), p) }()
		for looking := true; looking; {
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				looking = false
			case <-time.After(time.Millisecond):
				metrics.Read(heap)
				most = max(most, heap[0].Value.Uint64())
			}
		}
		taken := int64(most) - int64(before)
		t.Logf("%s: %d MB of %d foreseen", name, taken>>20, p.Memory()>>20)
		if taken > p.Memory() {
			t.Errorf("%s: %d bytes were taken and %d foreseen", name, taken, p.Memory())
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	g := pipeGrid(t, 1000)
	s, _, err := generate.Cavity(generate.CavityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	for _, c := range []struct {
		page Page
		says string
	}{
		{Page{}, "neither a surface nor a grid"},
		{Page{Surface: &geometry.Surface{}}, "no triangles"},
		{Page{Grid: &geometry.Grid{Spacing: 1, Size: [3]int32{1, 1, 1}}}, "no cells"},
		{Page{Surface: s, Flow: []float64{1}}, "1 flow for"},
		{Page{Grid: g, Pressure: make([]float32, 3)}, "3 values"},
		{Page{Grid: g, Owners: make([]int32, 3)}, "3 owners"},
		{Page{Grid: g, Segments: make([]cuboid.Segment, 1)}, "cuboid 0 of 0"},
		{Page{Grid: g, Segments: make([]cuboid.Segment, 1), Cuboids: make([]cuboid.Cuboid, 1), Owners: make([]int32, 1)}, "0 of"},
	} {
		if err := Write(path, &c.page); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v does not say %q", err, c.says)
		}
		if _, err := os.Stat(path); err == nil {
			t.Fatal("a refused page was written")
		}
	}
}

// The page must not need a network, and no part may be missing.
func TestPageIsSelfContained(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	if err := Write(path, &Page{Title: "a < b & c", Grid: pipeGrid(t, 1000)}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("<title>a &lt; b &amp; c</title>")) {
		t.Error("the title is not escaped")
	}
	if left := regexp.MustCompile(`\{\{[A-Z]+\}\}`).Find(page); left != nil {
		t.Errorf("%s is not filled in", left)
	}
	if external := regexp.MustCompile(`(src|href)\s*=|@import|url\(`).Find(page); external != nil {
		t.Errorf("the page refers to a file: %s", external)
	}
	// Every import of the scripts has a part of that name.
	for _, id := range []string{"page", "three", "three-core", "orbit-controls"} {
		for _, m := range regexp.MustCompile(`from\s?["']([a-zA-Z./-]+)["']`).FindAllSubmatch(part(t, page, id), -1) {
			if !bytes.Contains(page, []byte(`id="`+string(m[1])+`"`)) && !strings.HasPrefix(string(m[1]), "three/") {
				t.Errorf("%s imports %s, which is not on the page", id, m[1])
			}
		}
	}
	if !bytes.Contains(page, []byte("The MIT License")) {
		t.Error("three.js is there without its licence")
	}
}

// Flows stand beside the openings, the largest first, the patient's sides where the
// axes are known, and the scale of pressures holds the means over the openings.
func TestPageSaysFlowsAndSides(t *testing.T) {
	g := pipeGrid(t, 3000)
	p := &Page{Grid: g, Flow: []float64{-1e-6, 3e-6}, OpeningPressure: []float64{-5, 70}, Pressure: make([]float32, g.Cells())}
	w := writePage(t, p)
	if w.Openings[0].Number != g.Openings[1].Number || w.Openings[0].Flow != "0.1800 L/min" || !strings.Contains(w.Openings[0].Text, "70.0 Pa") {
		t.Errorf("the first opening is %+v", w.Openings[0])
	}
	if f := w.Fields[0]; f.Low != -5 || f.High != 70 {
		t.Errorf("pressures from %g to %g", f.Low, f.High)
	}
	if w.Sides != nil || w.Turned {
		t.Errorf("sides %v without axes", *w.Sides)
	}
	for axes, want := range map[geometry.Axes][6]string{
		geometry.LPS: {"left", "right", "back", "front", "head", "feet"}, geometry.RAS: {"right", "left", "front", "back", "head", "feet"},
	} {
		p.Axes = axes
		if w := writePage(t, p); w.Sides == nil || *w.Sides != want || w.Turned != (axes == geometry.RAS) {
			t.Errorf("%s: sides %v, turned %v", axes, w.Sides, w.Turned)
		}
	}
	p.OpeningPressure = p.OpeningPressure[:1]
	if err := Write(filepath.Join(t.TempDir(), "a.html"), p); err == nil {
		t.Error("one pressure for two openings is taken")
	}
}
