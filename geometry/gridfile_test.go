package geometry_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// linked gives a grid made of cells its links and an opening at the low end
// of x, so that every part of the file is in use.
func linked(g *geometry.Grid) *geometry.Grid {
	g.Openings = []geometry.Opening{{Number: 1, Name: "inlet", Role: geometry.Inlet, Center: g.Origin, Normal: r3.Vec{X: -1}, Area: 2e-4}}
	g.Links = geometry.Links{Directions: 18}
	var cell int64
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			var mask uint32
			for d, o := range geometry.Directions[:18] {
				if !g.Contains(x+int32(o.X), r.Y+int32(o.Y), r.Z+int32(o.Z)) {
					mask |= 1 << d
					if x == 0 && o.X < 0 {
						g.Links.Openings = append(g.Links.Openings, geometry.OpeningLink{Link: int64(len(g.Links.Distance)), Number: 1})
					}
					g.Links.Distance = append(g.Links.Distance, uint16(1000*d)+uint16(cell))
				}
			}
			if mask != 0 {
				g.Links.Append(cell, mask)
			}
			cell++
		}
	}
	return g
}

func encode(t interface{ Fatal(...any) }, g *geometry.Grid) []byte {
	var b bytes.Buffer
	if err := geometry.EncodeGrid(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGridFileKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := [3]int32{rapid.Int32Range(1, 12).Draw(t, "x"), rapid.Int32Range(1, 9).Draw(t, "y"), rapid.Int32Range(1, 9).Draw(t, "z")}
		g := linked(generate.NoiseGrid(size, rapid.Float64Range(0, 1).Draw(t, "share"), rapid.Uint64().Draw(t, "seed")))
		g.Enclosed = rapid.Float64Range(0, 1).Draw(t, "enclosed")
		back, err := geometry.DecodeGrid(bytes.NewReader(encode(t, g)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, back, cmp.AllowUnexported(geometry.Links{})); diff != "" {
			t.Error(diff)
		}
		if g.Fingerprint() != back.Fingerprint() {
			t.Error("the fingerprint changed")
		}
	})
}

func TestGridFileRefusesDamage(t *testing.T) {
	race.SkipArithmetic(t)
	data := encode(t, linked(generate.BallsGrid([3]int32{8, 7, 6}, 2, 7)))
	for n := range data {
		if _, err := geometry.DecodeGrid(bytes.NewReader(data[:n])); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(data))
		}
		altered := bytes.Clone(data)
		altered[n] ^= 0x10
		if _, err := geometry.DecodeGrid(bytes.NewReader(altered)); err == nil {
			t.Fatalf("accepted although byte %d of %d was altered", n, len(data))
		}
	}
	if _, err := geometry.DecodeGrid(bytes.NewReader(append(data, 0))); err == nil {
		t.Error("a byte too many was accepted")
	}
}

func TestGridFileErrors(t *testing.T) {
	data := encode(t, linked(generate.FullGrid([3]int32{3, 3, 3})))
	newer := bytes.Clone(data)
	newer[len(geometry.GridMagic)] = 99
	folder := t.TempDir()
	tests := []struct {
		name string
		data []byte
		says string
	}{
		{"empty", nil, "not a grid file"},
		{"other", []byte("solid airway\nfacet normal 0 0 0"), "not a grid file"},
		{"newer", newer, "newer program"},
		{"truncated", data[:len(data)-40], "truncated"},
	}
	for _, test := range tests {
		path := filepath.Join(folder, test.name)
		if err := os.WriteFile(path, test.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := geometry.ReadGrid(path); err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: says %v", test.name, err)
		}
	}
}

func FuzzDecodeGrid(f *testing.F) {
	f.Add(encode(f, linked(generate.BallsGrid([3]int32{8, 7, 6}, 2, 1))))
	f.Add([]byte(geometry.GridMagic + "\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := geometry.DecodeGrid(bytes.NewReader(data))
		if err == nil && !bytes.Equal(encode(t, g), encode(t, g)) {
			t.Error("a grid that was read is not written twice alike")
		}
	})
}

func TestWriteGridRefusesNamesThatCannotBeReadBack(t *testing.T) {
	g := linked(generate.FullGrid([3]int32{3, 3, 3}))
	for length, fits := range map[int]bool{4096: true, 4097: false} {
		g.Openings[0].Name = strings.Repeat("n", length)
		path := filepath.Join(t.TempDir(), "grid")
		err := geometry.WriteGrid(path, g)
		if fits != (err == nil) {
			t.Errorf("a name of %d bytes: %v", length, err)
		}
		if err == nil {
			if _, err := geometry.ReadGrid(path); err != nil {
				t.Errorf("a name of %d bytes is not read back: %v", length, err)
			}
		}
	}
}

// A grid file keeps how doubtful its openings are, and files of none are as they
// always were.
func TestGridFileKeepsDoubt(t *testing.T) {
	g := &geometry.Grid{Spacing: 1e-3, Size: [3]int32{1, 1, 1}, Runs: []geometry.Run{{X1: 1}}, Openings: []geometry.Opening{
		{Number: 1, Name: "inlet", Role: geometry.Inlet, Normal: r3.Vec{Z: 1}}, {Number: 2, Name: "outlet", Role: geometry.Outlet, Normal: r3.Vec{Z: 1}},
	}}
	for _, doubt := range []float64{0, 0.84} {
		g.Openings[1].Doubt = doubt
		var file bytes.Buffer
		if err := geometry.EncodeGrid(&file, g); err != nil {
			t.Fatal(err)
		}
		back, err := geometry.DecodeGrid(&file)
		if err != nil {
			t.Fatal(err)
		}
		words := geometry.DoubtWords(back.Openings, nil)
		if back.Openings[1].Doubt != doubt || (words != "") != (doubt > 0) {
			t.Errorf("doubt %g is %g: %q", doubt, back.Openings[1].Doubt, words)
		}
		if doubt > 0 && (!strings.Contains(words, "16 % sure") || !strings.Contains(words, "--drop-opening 2 ")) {
			t.Errorf("it says %q", words)
		}
	}
}

// A grid file keeps places that may be ends, and refuses what is none.
func TestGridFileKeepsPlaces(t *testing.T) {
	g := &geometry.Grid{Spacing: 1e-3, Size: [3]int32{1, 1, 1}, Runs: []geometry.Run{{X1: 1}}, Openings: []geometry.Opening{{Number: 1, Role: geometry.Inlet}}}
	encoded := func() []byte {
		var file bytes.Buffer
		if err := geometry.EncodeGrid(&file, g); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	version := func(file []byte) byte { return file[len(geometry.GridMagic)] }
	if file := encoded(); version(file) != 2 {
		t.Errorf("a file without places has version %d", version(file))
	}
	for n := 1; n < 4; n++ {
		g.Perhaps = append(g.Perhaps, geometry.Place{Center: r3.Vec{X: float64(n) * 1e-3}, Radius: 2e-3})
		back, err := geometry.DecodeGrid(bytes.NewReader(encoded()))
		if err != nil || !slices.Equal(back.Perhaps, g.Perhaps) || version(encoded()) != 3 {
			t.Fatalf("%d places: error %v, %+v", n, err, back)
		}
		if words := geometry.DoubtWords(back.Openings, back.Perhaps); !strings.Contains(words, "may be an end") && !strings.Contains(words, fmt.Sprintf("%d further places may be ends", n)) {
			t.Errorf("%d places: it says %q", n, words)
		}
	}
	g.Perhaps[0].Center.X = 1e3
	if _, err := geometry.DecodeGrid(bytes.NewReader(encoded())); err == nil {
		t.Error("a place a kilometre away is taken")
	}
}

// A grid file keeps narrow places, and refuses what is none.
func TestGridFileKeepsNarrowPlaces(t *testing.T) {
	g := &geometry.Grid{Spacing: 1e-3, Size: [3]int32{1, 1, 1}, Runs: []geometry.Run{{X1: 1}}, Openings: []geometry.Opening{{Number: 3, Role: geometry.Inlet}, {Number: 7, Role: geometry.Outlet, Doubt: 0.25}}}
	for _, test := range []struct {
		places []geometry.Narrow
		taken  bool
	}{
		{[]geometry.Narrow{{Center: r3.Vec{X: 1e-3, Y: 2e-3}, Area: 3e-6, Behind: []int{7}}, {Area: 1e-6, Behind: []int{3, 7}}}, true},
		{[]geometry.Narrow{{Center: r3.Vec{X: 1e3}, Area: 3e-6}}, false},
		{[]geometry.Narrow{{Area: 0}}, false},
		{make([]geometry.Narrow, 5), false},
	} {
		var file bytes.Buffer
		g.Narrow = test.places
		if err := geometry.EncodeGrid(&file, g); err != nil {
			t.Fatal(err)
		}
		back, err := geometry.DecodeGrid(&file)
		if (err == nil) != test.taken || err == nil && (!reflect.DeepEqual(back.Narrow, g.Narrow) || back.Openings[1].Doubt != 0.25) {
			t.Errorf("%+v: error %v, %+v", test.places, err, back)
		}
	}
}

// The line about doubtful openings stays readable however many they are.
func TestDoubtIsTold(t *testing.T) {
	for _, test := range []struct {
		doubts []float64
		says   string
	}{
		{[]float64{0, 0.2, 0.3}, ""},
		{[]float64{0, 0.28, 0.31}, "opening 3 is doubtful, 69 % sure"},
		{[]float64{0.4, 0, 1}, "openings 1 and 3 are doubtful, 0 to 60 % sure"},
		{[]float64{0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, "openings 2, 3, 4, 5, 6 and 7 are doubtful, 50 % sure"},
		{[]float64{0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, "openings 1, 2, 3, 4, 5 and 2 others are doubtful, 10 to 50 % sure"},
		{make([]float64, 300), ""},
	} {
		openings := make([]geometry.Opening, len(test.doubts))
		for i, doubt := range test.doubts {
			openings[i] = geometry.Opening{Number: i + 1, Doubt: doubt}
		}
		if words := geometry.DoubtWords(openings, nil); !strings.HasPrefix(words, test.says) || (words == "") != (test.says == "") || len(words) > 200 || strings.Contains(words, "\n") {
			t.Errorf("of %v it says %q, want %q", test.doubts, words, test.says)
		}
	}
}
