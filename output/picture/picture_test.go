package picture

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// Ends and middles of the maps as matplotlib draws them, within what the fit
// promises (5 of 255).
func TestColourMaps(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     *colourMap
		value float64
		want  [3]float64
	}{
		{"viridis", &viridis, 0, [3]float64{68, 1, 84}},
		{"viridis", &viridis, 0.5, [3]float64{33, 145, 140}},
		{"viridis", &viridis, 1, [3]float64{253, 231, 37}},
		{"plasma", &plasma, 0, [3]float64{13, 8, 135}},
		{"plasma", &plasma, 0.5, [3]float64{204, 71, 120}},
		{"plasma", &plasma, 1, [3]float64{240, 249, 33}},
	} {
		got := c.m.at(c.value)
		for i, want := range c.want {
			if math.Abs(255*got[i]-want) > 6 {
				t.Errorf("%s(%v) is %v, want %v of 255", c.name, c.value, got, c.want)
			}
		}
	}
	// Perceptual: brighter with every step.
	for _, m := range []*colourMap{&viridis, &plasma} {
		before := -1.0
		for v := 0.0; v <= 1; v += 1. / 64 {
			c := m.at(v)
			luminance := 0.2126*math.Pow(c[0], 2.2) + 0.7152*math.Pow(c[1], 2.2) + 0.0722*math.Pow(max(c[2], 0), 2.2)
			if luminance < before {
				t.Errorf("luminance falls to %v at %v", luminance, v)
			}
			before = luminance
		}
	}
}

func TestOwnerColoursDiffer(t *testing.T) {
	const ranks = 16
	for i := range ranks {
		for j := range i {
			a, b := ownerColour(i), ownerColour(j)
			if d := math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2)); d < 0.12 {
				t.Errorf("ranks %d and %d have colours %v and %v", i, j, a, b)
			}
		}
	}
}

func TestLabelsKeepApart(t *testing.T) {
	layers := composites(t, tube(60, 1))
	p := arrange(rectangle{20, 50, 1050, 810}, viewsOf(layers))[0]
	p.relief = reliefOf(layers[0])
	f := newFigure("", "")
	p.label(f, flowMarks(FlowPicture{Openings: ends(), Flow: []float64{3, 1, -1, -1, -1}}, true), ends())
	// The first entries are the openings themselves.
	labels := p.taken[len(ends()):]
	for i, a := range labels {
		for _, b := range labels[:i] {
			if a.overlaps(b) {
				t.Errorf("labels %v and %v overlap", a, b)
			}
		}
		if p.covered(a) > 0.3 {
			t.Errorf("label %v hides the surface", a)
		}
	}
}

// In a crowded picture labels cover neither vessels, of either view, nor each
// other nor the scale beside them.
func TestLabelsOfATreeCoverNothing(t *testing.T) {
	race.SkipArithmetic(t)
	s, openings, err := generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 4, Seed: 3, Segments: 24})
	if err != nil {
		t.Fatal(err)
	}
	views := Views(surfaceFrame(s))
	panels := arrange(rectangle{20, 50, figureWidth - 150, figureHeight - 90}, []*View{&views[0], &views[1]})
	for i := range panels {
		panels[i].relief = rasterize(s, panels[i].view).relief
	}
	scale := rectangle{figureWidth - 150, 0, figureWidth, figureHeight}
	share(panels, scale)
	flow := make([]float64, len(openings))
	for i := range flow {
		flow[i] = -1e-6
	}
	f := newFigure("", "")
	var labels []rectangle
	for i := range panels {
		panels[i].label(f, flowMarks(FlowPicture{Openings: openings, Flow: flow}, i == 0), openings)
		labels = append(labels, panels[i].taken[len(openings):]...)
	}
	for i, a := range labels {
		for _, b := range append(labels[:i:i], scale) {
			if a.overlaps(b) {
				t.Errorf("labels %v and %v overlap", a, b)
			}
		}
		for k := range panels {
			if share := panels[k].covered(a); share > 0.1 {
				t.Errorf("label %v hides the surface with %.0f %% of it", a, 100*share)
			}
		}
	}
}

// An opening without flow is closed only once the flow has arrived elsewhere.
func TestClosedOpeningsAreMarked(t *testing.T) {
	for _, test := range []struct {
		flow   []float64
		closed bool
	}{{[]float64{3, -1, -1, 0, -1}, true}, {[]float64{3, 0, 0, 0, 0}, false}, {[]float64{3, -1, -1, -1e-9, -1}, false}} {
		said := false
		for _, m := range flowMarks(FlowPicture{Openings: ends(), Flow: test.flow}, true) {
			for _, note := range m.notes {
				said = said || note == "closed"
			}
		}
		if said != test.closed {
			t.Errorf("with flows %v, closed is %v, want %v", test.flow, said, test.closed)
		}
	}
}

func TestArrange(t *testing.T) {
	area := rectangle{0, 0, 1000, 700}
	for _, c := range []struct {
		name   string
		size   [3]int32
		panels int
	}{
		{"airway", [3]int32{112, 49, 134}, 2},
		{"long pipe", [3]int32{400, 20, 20}, 2},
		{"cube", [3]int32{50, 50, 50}, 2},
		{"one cell", [3]int32{1, 1, 1}, 2},
		{"tall", [3]int32{30, 30, 3000}, 2},
	} {
		var views []*View
		for _, v := range Views(output.Frame{Spacing: 1, Size: c.size}) {
			views = append(views, &v)
		}
		panels := arrange(area, views)
		if len(panels) > c.panels || panels[0].scale != panels[len(panels)-1].scale {
			t.Errorf("%s: %d panels of scales %v", c.name, len(panels), panels[0].scale)
		}
		for _, p := range panels {
			if p.x < area.x0 || p.y < area.y0 || p.x+float64(p.view.Width)*p.scale > area.x1 || p.y+float64(p.view.Height)*p.scale > area.y1 {
				t.Errorf("%s: panel at (%v, %v) with scale %v leaves the area", c.name, p.x, p.y, p.scale)
			}
		}
	}
}

func readPNG(t testing.TB, path string) (image.Image, []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds() != image.Rect(0, 0, figureWidth, figureHeight) {
		t.Fatalf("%s has bounds %v", path, m.Bounds())
	}
	return m, raw
}

func TestFlowPictureIsIndependentOfRanks(t *testing.T) {
	dir := t.TempDir()
	var first []byte
	for _, ranks := range []int{1, 3} {
		path := filepath.Join(dir, "flow.png")
		c := FlowPicture{Title: "Flow", Openings: ends(), Flow: []float64{3, -1, -1, -1, 0}}
		if err := WriteFlow(path, composites(t, tube(40, ranks)), c); err != nil {
			t.Fatal(err)
		}
		_, raw := readPNG(t, path)
		if first == nil {
			first = raw
		}
		if !bytes.Equal(first, raw) {
			t.Errorf("the picture from %d ranks differs", ranks)
		}
	}
}

// Every rank's colour must be seen in its picture.
func TestRanksPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ranks.png")
	const ranks = 3
	if err := WriteRanks(path, composites(t, tube(60, ranks)), RanksPicture{Title: "Ranks", Loads: make([]Load, ranks)}); err != nil {
		t.Fatal(err)
	}
	m, _ := readPNG(t, path)
	var seen [ranks]int
	for y := 0; y < figureHeight; y += 2 {
		for x := 0; x < figureWidth; x += 2 {
			r, g, b, _ := m.At(x, y).RGBA()
			v := [3]float64{float64(r), float64(g), float64(b)}
			for i := range seen {
				// Shading scales a colour and adds a little white: compare directions.
				if u, w := unit3(ownerColour(i)), unit3(v); u[0]*w[0]+u[1]*w[1]+u[2]*w[2] > 0.99 && v[0]+v[1]+v[2] > 1 {
					seen[i]++
				}
			}
		}
	}
	for i, n := range seen {
		if n < 250 {
			t.Errorf("rank %d is seen in %d of every fourth pixel", i, n)
		}
	}
}

func TestPicturesOfNothing(t *testing.T) {
	dir := t.TempDir()
	empty := &output.Piece{Frame: output.Frame{Spacing: 1, Size: [3]int32{3, 3, 3}}, Ranks: 1}
	layers := composites(t, []*output.Piece{empty})
	if err := WriteFlow(filepath.Join(dir, "a.png"), layers, FlowPicture{}); err != nil {
		t.Error(err)
	}
	if err := WriteRanks(filepath.Join(dir, "b.png"), layers, RanksPicture{}); err != nil {
		t.Error(err)
	}
}

func TestPicturesRefuse(t *testing.T) {
	dir := t.TempDir()
	layers := composites(t, []*output.Piece{ball(3)})
	other := composites(t, []*output.Piece{ball(4)})
	for _, c := range []struct {
		name string
		do   func() error
		says string
	}{
		{"flow without layers", func() error { return WriteFlow(dir+"/a.png", nil, FlowPicture{}) }, "no layer"},
		{"ranks without layers", func() error { return WriteRanks(dir+"/a.png", nil, RanksPicture{}) }, "no layer"},
		{"flows of nothing", func() error { return WriteFlow(dir+"/a.png", layers, FlowPicture{Flow: []float64{1}}) }, "1 flow for"},
		{"composite of nothing", func() error { _, err := Composite(nil); return err }, "no layer"},
		{"different views", func() error { _, err := Composite([]*Layer{layers[0], other[0]}); return err }, "different views"},
		{"no triangles", func() error { return WriteSurface(dir+"/a.png", &geometry.Surface{}, SurfacePicture{}) }, "no triangles"},
		{"one sample", func() error { return WriteHistory(dir+"/a.png", History{Time: []float64{1}}) }, "two samples"},
		{"names", func() error { return WriteHistory(dir+"/a.png", History{Time: []float64{1, 2}, Names: []string{"a"}}) }, "1 name for"},
		{"piece", func() error { _, err := Render(&output.Piece{}); return err }, "empty"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v does not say %q", c.name, err, c.says)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("files left: %v", left)
	}
}

func TestSurfacePicture(t *testing.T) {
	race.SkipArithmetic(t)
	s, openings, err := generate.Bifurcation(generate.BifurcationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "surface.png")
	if err := WriteSurface(path, s, SurfacePicture{Title: "Surface", Openings: openings}); err != nil {
		t.Fatal(err)
	}
	readPNG(t, path)
	patches := OpeningTriangles(s, openings)
	for _, o := range openings {
		area := 0.0
		for i, n := range patches {
			if int(n) == o.Number {
				a, b, c := s.Corners(i)
				area += r3.Norm(r3.Cross(r3.Sub(b, a), r3.Sub(c, a))) / 2
			}
		}
		if math.Abs(area/o.Area-1) > 0.02 {
			t.Errorf("triangles of opening %d have %v m², want %v", o.Number, area, o.Area)
		}
	}
}

func TestWriteHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.png")
	h := History{Title: "History", Time: []float64{0, 1, 2}, Names: []string{"inlet"}, Flow: [][]float64{{0, 1e-4, 2e-4}}, Residual: []float64{0, 1, 0.1}}
	if err := WriteHistory(path, h); err != nil {
		t.Fatal(err)
	}
	readPNG(t, path)
	h.Residual = nil
	if err := WriteHistory(path, h); err != nil {
		t.Fatal(err)
	}
}

func TestTicksAreRoundAndFew(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{-1.375, 5, "-1 0 1 2 3 4 5"}, {-2, 2, "-2 -1 0 1 2"}, {0.3, 200, "50 100 150 200"},
		{-0.07, 0.31, "-0.05 0 0.05 0.1 0.15 0.2 0.25 0.3"}, {1e6, 5e6, "1e+06 2e+06 3e+06 4e+06 5e+06"},
	} {
		var labels []string
		for _, tick := range roundTicks(test.low, test.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("from %g to %g: ticks %s, want %s", test.low, test.high, got, test.want)
		}
	}
}

func TestViewsAreNamedApart(t *testing.T) {
	area := rectangle{20, 50, figureWidth - 290, figureHeight - 90}
	for _, sizes := range [][2][2]int32{
		{{1000, 200}, {200, 200}}, {{200, 1000}, {200, 1000}}, {{430, 660}, {190, 660}}, {{600, 600}, {500, 600}}, {{900, 300}, {900, 300}},
	} {
		lps := output.Frame{Axes: geometry.LPS}
		views := []*View{{Frame: lps, Name: "seen from the front", Width: sizes[0][0], Height: sizes[0][1]}, {Frame: lps, Name: "seen from the left side", Width: sizes[1][0], Height: sizes[1][1]}}
		panels := arrange(area, views)
		for i := range panels {
			at := panels[i].caption()
			if bar := (rectangle{40, 38, 250, 54}); at.overlaps(bar) {
				t.Errorf("views of %v: %q at %v lies on the scale bar", sizes, panels[i].words(), at)
			}
			for k := range panels {
				if p := &panels[k]; at.overlaps(p.extent()) || k != i && at.overlaps(p.caption()) {
					t.Errorf("views of %v: %q at %v lies on view %d or its name", sizes, panels[i].words(), at, k)
				}
			}
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		value float64
		units []unit
		want  string
	}{
		{2.5e-4, flowUnits, "15.0 L/min"},
		{1e-6, flowUnits, "60.0 mL/min"},
		{1.234, speedUnits, "1.23 m/s"},
		{0, speedUnits, "0.00 µm/s"},
		{-250, pressureUnits, "-250 Pa"},
	} {
		if got := unitFor(c.value, c.units).in(c.value); got != c.want {
			t.Errorf("%v is written %q, want %q", c.value, got, c.want)
		}
	}
}

// inTime fails the test unless work ends within minutes, on whatever machine; a picture
// takes a fraction of a second.
func inTime(t *testing.T, what string, work func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(3 * time.Minute):
		t.Fatalf("%s is still being drawn", what)
	}
}

// Numbers beyond all sense are drawn as fast as others.
func TestPicturesAreBoundedWork(t *testing.T) {
	race.SkipArithmetic(t)
	layers := composites(t, tube(60, 1))
	path := filepath.Join(t.TempDir(), "a.png")
	for _, far := range []float64{1e300, math.Inf(1), math.NaN()} {
		openings := ends()
		openings[1].Center.X, openings[2].Center, openings[3].Normal.Y = far, r3.Vec{X: -far, Y: far, Z: -far}, far
		openings[4].Area = far
		inTime(t, "an opening far outside", func() error {
			return WriteFlow(path, layers, FlowPicture{Openings: openings, Flow: []float64{far, -1, -1, -1, 0}})
		})
		loads := []Load{{Cells: 1, Work: 1}, {Cells: math.MaxInt64, Work: far}, {Cells: math.MinInt64, Work: -far}}
		inTime(t, "a rank's work", func() error { return WriteRanks(path, layers, RanksPicture{Loads: loads}) })
	}
	inTime(t, "the same pressure everywhere", func() error {
		high := composites(t, tube(60, 1))
		for _, l := range high {
			for i := range l.stretches {
				l.stretches[i].pressure = 1e9
			}
		}
		return WriteFlow(path, high, FlowPicture{WallPressure: true})
	})
	inTime(t, "many openings", func() error {
		many := FlowPicture{Openings: make([]geometry.Opening, math.MaxUint16), Flow: make([]float64, math.MaxUint16)}
		for i := range many.Openings {
			many.Openings[i] = ends()[i%5]
			many.Openings[i].Number = i + 1
		}
		return WriteFlow(path, layers, many)
	})
}

// A line of sight through very many separate cells takes time in proportion.
func TestLayerOfManyStretches(t *testing.T) {
	const cells = 300_000
	p := &output.Piece{Frame: output.Frame{Spacing: 1e-3, Size: [3]int32{1, 2 * cells, 3}}, Ranks: 1, Pressure: make([]float32, cells), Velocity: make([][3]float32, cells)}
	for i := range int32(cells) {
		p.Runs = append(p.Runs, geometry.Run{X0: 0, X1: 1, Y: 2 * i})
	}
	for _, along := range []axis{{along: 1}, {1, true}} {
		v := Views(p.Frame)[0]
		v.right, v.up, v.away, v.Width, v.Height, v.Bin = axis{along: 0}, axis{along: 2}, along, 1, 3, 1
		inTime(t, "a line of sight", func() error {
			l := NewLayer(v)
			l.draw(p)
			_, err := Composite([]*Layer{l, l})
			if len(l.stretches) != cells {
				t.Errorf("%d stretches, want %d", len(l.stretches), cells)
			}
			return err
		})
	}
}

// extent is the part of the figure that the view covers.
func (p *panel) extent() rectangle {
	return rectangle{p.x, p.y, p.x + float64(p.view.Width)*p.scale, p.y + float64(p.view.Height)*p.scale}
}
