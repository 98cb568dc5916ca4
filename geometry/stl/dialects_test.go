package stl

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pipeFacets are the facets of a closed pipe of eight sides, with as many digits
// as there are, moved along x.
func pipeFacets(x float64) string {
	var b strings.Builder
	facet := func(points ...[3]float64) {
		b.WriteString("facet normal 0 0 0\nouter loop\n")
		for _, p := range points {
			fmt.Fprintf(&b, "vertex %.17g %.17g %.17g\n", p[0]+x, p[1], p[2])
		}
		b.WriteString("endloop\nendfacet\n")
	}
	const n, length = 8, 20
	for i := range n {
		at := func(i int, z float64) [3]float64 {
			s, c := math.Sincos(2 * math.Pi * float64(i) / n)
			return [3]float64{5 * c, 5 * s, z}
		}
		facet(at(i, 0), at(i+1, 0), at(i+1, length))
		facet(at(i, 0), at(i+1, length), at(i, length))
		facet([3]float64{0, 0, 0}, at(i+1, 0), at(i, 0))
		facet([3]float64{0, 0, length}, at(i, length), at(i+1, length))
	}
	return b.String()
}

// pipeVolume is that of the pipe of eight sides.
var pipeVolume = 8 * 0.5 * 25 * math.Sin(2*math.Pi/8) * 20

// Whatever stands around facets that are whole, they are read.
func TestWholeFacetsAreRead(t *testing.T) {
	facets := pipeFacets(0)
	whole := "solid p\n" + facets + "endsolid p\n"
	normal := func(words string) string { return strings.ReplaceAll(whole, "normal 0 0 0", "normal "+words) }
	for name, c := range map[string]struct {
		text  string
		notes int
		says  string
	}{
		"end solid":            {strings.Replace(whole, "endsolid", "end solid", 1), 0, ""},
		"End Solid":            {strings.Replace(whole, "endsolid", "End  Solid", 1), 0, ""},
		"end facet, end loop":  {strings.NewReplacer("endfacet", "end facet", "endloop", "end loop").Replace(whole), 0, ""},
		"no endsolid":          {"solid p\n" + facets, 1, "has no endsolid"},
		"no endsolid, no line": {strings.TrimSpace("solid p\n" + facets), 1, "has no endsolid"},
		"no solid":             {facets + "endsolid", 0, ""},
		"neither":              {facets, 1, "has no endsolid"},
		"carriage returns":     {strings.ReplaceAll(whole, "\n", "\r"), 0, ""},
		"both":                 {strings.ReplaceAll(whole, "\n", "\r\n"), 0, ""},
		"CR, no endsolid":      {strings.ReplaceAll("solid p\n"+facets, "\n", "\r"), 1, "has no endsolid"},
		"one line":             {strings.ReplaceAll(whole, "\n", " "), 0, ""},
		"facet a line":         {strings.NewReplacer("\nouter", " outer", "\nvertex", " vertex", "\nend", " end").Replace(whole), 0, ""},
		"solid once more":      {strings.Replace(whole, "endsolid p", "solid q\n"+pipeFacets(100)+"endsolid", 1), 1, "without endsolid"},
		"-nan(ind)":            {normal("-nan(ind) -nan(ind) -nan(ind)"), 0, ""},
		"-1.#IND00":            {normal("-1.#IND00 -1.#IND00 -1.#IND00"), 0, ""},
		"1.#QNAN":              {normal("1.#QNAN 1.#QNAN 0"), 0, ""},
		"nan":                  {normal("nan nan nan"), 0, ""},
		"-nan":                 {normal("-nan -nan -nan"), 0, ""},
		"nan(snan)":            {normal("nan(snan) 0 1.#INF"), 0, ""},
		"decimal comma":        {normal("0,0 1,0 0,0"), 0, ""},
		"too large":            {normal("1e999 0 0"), 0, ""},
	} {
		s, notes, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := pipeVolume
		if name == "solid once more" {
			want *= 2
		}
		if v := s.Volume(); math.Abs(v-want) > 1e-4*want || len(notes) != c.notes || !strings.Contains(strings.Join(notes, " "), c.says) {
			t.Errorf("%s: volume %g, want %g; notes %q", name, v, want, notes)
		}
	}
}

// Coordinates that have lost digits are told, those of a text are read with all it
// has.
func TestFarOffsets(t *testing.T) {
	for _, x := range []float64{0, 100, 1e4, 1e6, 1e7, 1e9} {
		text := "solid p\n" + pipeFacets(x) + "endsolid p\n"
		s, notes, err := Read(strings.NewReader(text))
		if v := s.Volume(); err != nil || math.Abs(v-pipeVolume) > 1e-3*pipeVolume || len(notes) > 0 {
			t.Errorf("text at %g: volume %g, want %g; %q, %v", x, v, pipeVolume, notes, err)
		}
		var binary bytes.Buffer
		if err := Write(&binary, s, 1, ""); err != nil {
			t.Fatal(err)
		}
		s, notes, err = Read(&binary)
		far := math.Abs(s.Volume()-pipeVolume) > 0.02*pipeVolume
		if told := len(notes) > 0 && strings.Contains(notes[0], "lost digits"); err != nil || far && !told || told != (x >= 1e6) {
			t.Errorf("binary at %g: volume %g, want %g; %q, %v", x, s.Volume(), pipeVolume, notes, err)
		}
	}
	// A text may have lost its digits before.
	short := "solid p\n"
	for line := range strings.Lines(pipeFacets(1e7)) {
		var v [3]float64
		if n, _ := fmt.Sscanf(line, "vertex %g %g %g", &v[0], &v[1], &v[2]); n == 3 {
			line = fmt.Sprintf("vertex %.6e %.6e %.6e\n", v[0], float32(v[1]), v[2])
		}
		short += line
	}
	if _, notes, err := Read(strings.NewReader(short + "endsolid\n")); err != nil || len(notes) != 1 {
		t.Errorf("a text of seven digits: %q, %v", notes, err)
	}
}

// A vertex that cannot be meant is named in a sentence.
func TestVerticesThatCannotBeMeant(t *testing.T) {
	for _, far := range []string{"1e30", "-1e30", "3e38", "1e12", "-4e20"} {
		for _, line := range []string{"vertex %s 0 0", "vertex 0 %s 0", "vertex 5 0 %s"} {
			text := "solid p\n" + strings.Replace(pipeFacets(0), "vertex 5 0 0", fmt.Sprintf(line, far), 1) + "endsolid\n"
			s, _, err := Read(strings.NewReader(text))
			if err == nil || !strings.Contains(err.Error(), "triangle 1 has a corner at") || strings.Contains(err.Error(), "Inf") {
				low, high := s.Bounds()
				t.Errorf("%s, %s: %v, box %v %v", far, line, err, low, high)
			}
		}
	}
	// Large and small surfaces, and fine ones with a long piece, are none of those.
	for _, text := range []string{strings.ReplaceAll(pipeFacets(0), "vertex 5 0 0", "vertex 5000 0 0"), strings.ReplaceAll(pipeFacets(0), "\n", "e20\n")} {
		if _, _, err := Read(strings.NewReader("solid p\n" + text + "endsolid\n")); err != nil && strings.Contains(err.Error(), "corner at") {
			t.Error(err)
		}
	}
}

// A line of a triangle that cannot be meant is named by its number in the file. Behind the
// words that a line takes may stand remarks, but no fourth number of a vertex.
func TestWrongLinesAreNamed(t *testing.T) {
	// Blank lines and those of other programs count, too.
	begin, facets := "solid p\n\ncolour 1 0 0\n", pipeFacets(0)
	const vertex, normal = "vertex 5 0 0", "facet normal 0 0 0"
	for _, c := range []struct{ was, is, says string }{
		{vertex, "vertex 5 0 0 7", `line 6: a vertex has three coordinates, found a fourth number in "vertex 5 0 0 7"`},
		{vertex, "vertex 5 0 0 7 vertex 5 0 0", `line 6: a vertex has three coordinates`},
		{vertex, "VERTEX 5 0 0 nan", `line 6: a vertex has three coordinates`},
		{vertex, "vertex 5 0", `line 6: expected three numbers behind vertex, found "vertex 5 0"`},
		{vertex, "vertex", `line 6: expected three numbers behind vertex`},
		{vertex, "vertex 5 0 x", `line 6: expected three numbers behind vertex`},
		{vertex, "vertex 5,0 0,0 0,0", `line 6: expected three numbers behind vertex`},
		{vertex, "vertex 5_0 0 0", `line 6: expected three numbers behind vertex, found "vertex 5_0 0 0"`},
		{vertex, "vertex 5 0 1e-0_3", `line 6: expected three numbers behind vertex`},
		{vertex, "vertx 5 0 0", `line 6: expected vertex, found "vertx 5 0 0"`},
		{vertex, "remark\nvertex 5 0 0", `line 6: expected vertex, found "remark"`},
		{vertex, "vertex 5 0 0\nvertex 5 0 0", `line 9: expected endloop, found "vertex`},
		{vertex + "\n", "", `line 8: expected vertex, found "endloop"`},
		{normal, "facet normal 0 0", `line 4: expected three numbers behind facet normal`},
		{normal, "facet 0 0 0", `line 4: expected facet normal, found "facet 0 0 0"`},
		{"outer loop", "inner loop", `line 5: expected outer loop, found "inner loop"`},
		{"outer loop\n", "", `line 5: expected outer loop, found "vertex`},
		{"endloop\n", "", `line 9: expected endloop, found "endfacet"`},
		{"endfacet\n", "", `line 10: expected endfacet, found "facet normal 0 0 0"`},
		{vertex, "vertex 5 0 0 # 7", ""},
		{vertex, "vertex 5 0 0 seven", ""},
		{normal, "facet normal 0 0 0 1", ""},
	} {
		m, _, err := Read(strings.NewReader(begin + strings.Replace(facets, c.was, c.is, 1) + "endsolid p\n"))
		if c.says == "" {
			if err != nil || math.Abs(m.Volume()-pipeVolume) > 1e-4*pipeVolume {
				t.Errorf("%q: %v", c.is, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v, want %q", c.is, err, c.says)
		}
		// The same in the second solid.
		second := begin + facets + "endsolid p\n" + begin + strings.Replace(facets, c.was, c.is, 1) + "endsolid p\n"
		if _, _, err := Read(strings.NewReader(second)); err == nil || strings.Contains(err.Error(), "line 6:") {
			t.Errorf("%q in the second solid: %v", c.is, err)
		}
	}
}

// The files of strangers, as they are.
func TestStrangersSurfaces(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "cases")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the collection of cases is not there: %v", err)
	}
	for name, c := range map[string]struct {
		volume float64
		note   string
		err    string
	}{
		"end-solid-called-truncated.stl": {3.06e3, "", ""}, "no-endsolid-called-truncated.stl": {3.06e3, "no endsolid", ""},
		"nan-ind-normal-refused.stl": {3.06e3, "", ""}, "offset-1e7-float32.stl": {3e3, "", ""}, "vertex-1e30-says-Inf.stl": {0, "", "corner at 1e+30"},
	} {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		s, notes, err := Read(file)
		file.Close()
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", name, err, c.err)
			}
			continue
		}
		if err != nil || math.Abs(s.Volume()-c.volume) > 0.02*c.volume || !strings.Contains(strings.Join(notes, " "), c.note) || (c.note == "") != (len(notes) == 0) {
			t.Errorf("%s: %v, volume %g, want %g, notes %q", name, err, s.Volume(), c.volume, notes)
		}
	}
}
