package page

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"carina/geometry"
	"carina/internal/quantity"
)

// pulsing is a page of a pipe in which the pressure is everywhere 10 Pa at the end, and n at
// instant n, and the air moves as fast along x in mm/s.
func pulsing(t testing.TB, instants int) *Page {
	g := pipeGrid(t, 4000)
	p := &Page{Title: "pulse", Grid: g, Time: 1, Pressure: make([]float32, g.Cells())}
	for a := range p.Velocity {
		p.Velocity[a] = make([]float32, g.Cells())
	}
	for i := range p.Pressure {
		p.Pressure[i], p.Velocity[0][i] = 10, 10e-3
	}
	at := func(n float64) (flow, pressure []float64) {
		for range g.Openings {
			flow, pressure = append(flow, n*1e-3/60), append(pressure, n)
		}
		return flow, pressure
	}
	p.Flow, p.OpeningPressure = at(10)
	for n := range instants {
		i := Instant{Time: float64(n) / float64(instants), Read: func(each func(x, y, z int32, pressure float32, velocity [3]float32) error) error {
			return eachCell(g, func(x, y, z int32) error { return each(x, y, z, float32(n), [3]float32{float32(n) * 1e-3}) })
		}}
		i.Flow, i.OpeningPressure = at(float64(n))
		p.Instants = append(p.Instants, i)
	}
	return p
}

func eachCell(g *geometry.Grid, visit func(x, y, z int32) error) error {
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			if err := visit(x, r.Y, r.Z); err != nil {
				return err
			}
		}
	}
	return nil
}

// frames are those of the earlier instants of a page.
func frames(t testing.TB, p *Page) (w *written, list [][]byte) {
	t.Helper()
	w = writePage(t, p)
	data, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	for k := range max(0, len(w.Instants)-1) {
		list = append(list, part(t, data, fmt.Sprintf("instant-%d", k)))
	}
	return w, list
}

// Earlier instants have the values that were read, on one scale with the end, and numbers of
// their own at openings.
func TestInstants(t *testing.T) {
	p := pulsing(t, 3)
	p.Instants[1].Read = func(func(x, y, z int32, pressure float32, velocity [3]float32) error) error {
		return errors.New("gone")
	}
	w, list := frames(t, p)
	if len(list) != 2 || !strings.Contains(w.Note, "The fields of 1 instant cannot be read.") {
		t.Fatalf("%d frames, note %q", len(list), w.Note)
	}
	for k, want := range []float64{0, 2} {
		at := 0
		for i, scale := range []float64{1, 1e-3} {
			f := w.Fields[i]
			for _, stream := range []string{"vertex:" + f.Name, "voxel:" + f.Name} {
				for n := range w.streams[stream] {
					got := f.Low + (float64(list[k][at])-1)/254*(f.High-f.Low)
					if math.Abs(got-want*scale) > (f.High-f.Low)/250 {
						t.Fatalf("frame %d, %s: value %d is %g", k, stream, n, got)
					}
					at++
				}
			}
		}
		if at != len(list[k]) || !strings.HasSuffix(w.Instants[k].Openings[0].Text, ", "+quantity.Format(want, "Pa")) {
			t.Errorf("frame %d has %d bytes for %d, %+v", k, len(list[k]), at, w.Instants[k])
		}
	}
	if last := w.Instants[2]; last.Time != "1.00 s" || !strings.HasSuffix(last.Openings[0].Text, ", 10.0 Pa") {
		t.Errorf("the last is %+v", last)
	}
	// Fields of some of the cells, or of others, are none of the grid.
	for name, read := range map[string]func(each func(x, y, z int32, pressure float32, velocity [3]float32) error) error{
		"one cell": func(each func(x, y, z int32, pressure float32, velocity [3]float32) error) error {
			r := p.Grid.Runs[0]
			return each(r.X0, r.Y, r.Z, 1, [3]float32{})
		},
		"one cell again and again": func(each func(x, y, z int32, pressure float32, velocity [3]float32) error) error {
			r := p.Grid.Runs[0]
			return eachCell(p.Grid, func(int32, int32, int32) error { return each(r.X0, r.Y, r.Z, 1, [3]float32{}) })
		},
	} {
		p.Instants = []Instant{{Read: read}}
		if w, list := frames(t, p); len(list) != 0 || !strings.Contains(w.Note, "cannot be read") {
			t.Errorf("%s: %d frames, note %q", name, len(list), w.Note)
		}
	}
}

// A page stays small: instants are left out, evenly, and that is told.
func TestManyInstants(t *testing.T) {
	p := pulsing(t, 200)
	w, list := frames(t, p)
	if len(list) != mostInstants || !strings.Contains(w.Note, "48 of 200 earlier instants are shown") {
		t.Errorf("%d frames, note %q", len(list), w.Note)
	}
	frame, err := compressed(list[0])
	if err != nil {
		t.Fatal(err)
	}
	v := voxelsOf(p)
	s := scene{Fields: w.Fields, order: []int{0, 1}}
	read, _ := v.survey(p)
	shown, err := s.fit(p, v, meshOf(v), read, 10*len(frame))
	if err != nil || len(shown) < 5 || len(shown) > 11 || len(shown) != len(s.frames) || shown[len(shown)-1] != &p.Instants[199] {
		t.Errorf("%d instants have room: %v", len(shown), err)
	}
	if none, err := s.fit(p, v, meshOf(v), read, 10); err != nil || len(none)+len(s.frames) > 0 {
		t.Errorf("%d instants have no room: %v", len(none), err)
	}
}

// In a browser the slider changes the time, the numbers at openings and the colours,
// names from files are text, and numbers of openings beside each other do not cover each
// other.
func TestPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes some seconds")
	}
	const crowd = 60
	p := pulsing(t, 3)
	p.Openings = append([]geometry.Opening{}, p.Grid.Openings...)
	p.Openings[0].Name = "<img src=x onerror=alert(1)>"
	for number := len(p.Openings) + 1; number <= crowd; number++ {
		o := p.Openings[1]
		o.Number, o.Center.Y = number, o.Center.Y+math.Sqrt(o.Area)*float64(number)/crowd
		p.Openings = append(p.Openings, o)
		p.Flow, p.OpeningPressure = append(p.Flow, 0), append(p.OpeningPressure, 0)
		for i := range p.Instants {
			i := &p.Instants[i]
			i.Flow, i.OpeningPressure = append(i.Flow, 0), append(i.OpeningPressure, 0)
		}
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := Write(path, p); err != nil {
		t.Fatal(err)
	}
	shown, err := exec.Command("bash", "../../scripts/browser.sh", path, "pressure,y,instant=2").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skipf("%s", exit.Stderr)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, exit.Stderr)
	}
	when := regexp.MustCompile(`<div class="when">([^<]*)</div>`).FindSubmatch(shown)
	switch marks := string(regexp.MustCompile(`(?s)<div id="labels">.*?<header>`).Find(shown)); {
	case when == nil || string(when[1]) != "667 ms":
		t.Errorf("the time is %q", when)
	case strings.Contains(marks, "<img"), !strings.Contains(marks, "&lt;img src=x"):
		t.Errorf("names are markup: %s", marks)
	case !strings.Contains(marks, ", 2.00 Pa</span>"), !strings.Contains(marks, "<em>2.0000 L/min</em>"):
		t.Errorf("the numbers at openings are others: %s", marks)
	case strings.Contains(string(shown), "Unpacking"):
		t.Error("the page is not ready")
	default:
		checkApart(t, marks, crowd)
	}
}

// checkApart wants so many marks of openings, of which some are hidden and the others do not
// cover each other.
func checkApart(t *testing.T, marks string, want int) {
	t.Helper()
	all := regexp.MustCompile(`<div class="(?:inlet|outlet|wall)[^>]*?style="left: ([-0-9.]+)px; top: ([-0-9.]+)px;"([^>]*)>`).FindAllStringSubmatch(marks, -1)
	var seen [][2]float64
	for _, m := range all {
		if strings.Contains(m[0], "hidden") {
			continue
		}
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		for _, other := range seen {
			const size = 22 // of a mark, in pixels
			if math.Abs(x-other[0]) < size && math.Abs(y-other[1]) < size {
				t.Errorf("marks at %v and %v cover each other", other, [2]float64{x, y})
			}
		}
		seen = append(seen, [2]float64{x, y})
	}
	if len(all) != want || len(seen) < 2 || len(seen) == want {
		t.Errorf("%d marks, of which %d are seen, in %s", len(all), len(seen), marks)
	}
}
