package picture

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"carina/geometry"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

func encode(t testing.TB, l *Layer) []byte {
	t.Helper()
	b, err := l.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// composites renders the pieces and puts their layers together in any order.
func composites(t testing.TB, pieces []*output.Piece) []*Layer {
	t.Helper()
	views := Views(pieces[0].Frame)
	byView := make([][]*Layer, len(views))
	for _, p := range pieces {
		layers, err := Render(p)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range layers {
			sent, err := DecodeLayer(views[i], encode(t, l))
			if err != nil {
				t.Fatal(err)
			}
			byView[i] = append(byView[i], sent)
		}
	}
	var out []*Layer
	for _, layers := range byView {
		rand.Shuffle(len(layers), func(i, j int) { layers[i], layers[j] = layers[j], layers[i] })
		all, err := Composite(layers)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, all)
	}
	return out
}

// withoutOwners is the encoding of a layer as the flow picture sees it.
func withoutOwners(t testing.TB, l *Layer) []byte {
	t.Helper()
	blind := *l
	blind.stretches = append([]stretch(nil), l.stretches...)
	for i := range blind.stretches {
		blind.stretches[i].owner = 0
	}
	return encode(t, &blind)
}

func TestCompositeIsIndependentOfRanks(t *testing.T) {
	want := composites(t, tube(60, 1))
	for _, ranks := range []int{2, 3, 7} {
		for i, got := range composites(t, tube(60, ranks)) {
			if !bytes.Equal(withoutOwners(t, got), withoutOwners(t, want[i])) {
				t.Errorf("%s view from %d ranks differs", got.View.Name, ranks)
			}
		}
	}
}

// A pixel's stretches must be the maximal unions of the depths put in, with
// the largest speed and the nearest cell's pressure and owner.
func TestLayerAdd(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const depth = 12
		view := Views(output.Frame{Spacing: 1, Size: [3]int32{1, depth, 1}})[1]
		view.away, view.Size = axis{along: 1}, [3]int32{1, depth, 1}
		l := NewLayer(view)
		var speed, pressure [depth]float32
		var filled [depth + 1]bool
		for range rapid.IntRange(0, 2*depth).Draw(r, "cells") {
			d := rapid.Int32Range(0, depth-1).Draw(r, "depth")
			s := stretch{near: d, far: d + 1, speed: rapid.Float32Range(0, 1).Draw(r, "speed"), pressure: rapid.Float32Range(-1, 1).Draw(r, "p")}
			if filled[d] {
				s.pressure = max(s.pressure, pressure[d])
			}
			filled[d], speed[d], pressure[d] = true, max(speed[d], s.speed), s.pressure
			l.add(0, s)
		}
		at := l.head[0]
		for d := 0; d < depth; d++ {
			if !filled[d] {
				continue
			}
			want := stretch{near: int32(d), pressure: pressure[d]}
			for ; filled[d]; d++ {
				want.speed = max(want.speed, speed[d])
			}
			want.far = int32(d)
			if at < 0 {
				r.Fatalf("no stretch at %d", want.near)
			}
			got := l.stretches[at]
			at = got.next
			got.next = 0
			if got != want {
				r.Fatalf("got %+v, want %+v", got, want)
			}
		}
		if at >= 0 {
			r.Fatalf("one stretch too many: %+v", l.stretches[at])
		}
	})
}

func TestViews(t *testing.T) {
	for _, c := range []struct {
		size [3]int32
		name string
	}{
		{[3]int32{100, 50, 200}, "seen along y"},
		{[3]int32{50, 100, 200}, "seen against x"},
		{[3]int32{100, 200, 10}, "seen against z"},
		{[3]int32{30, 30, 30}, "seen along y"},
		{[3]int32{200, 20, 20}, "seen along y"},
	} {
		if got := Views(output.Frame{Spacing: 1, Size: c.size}); got[0].Name != c.name {
			t.Errorf("a box of %v is %s, want %s", c.size, got[0].Name, c.name)
		}
	}
	// Fine grids are binned: the picture's size bounds the layer's.
	for _, v := range Views(output.Frame{Spacing: 1, Size: [3]int32{5000, 800, 3300}}) {
		if v.Width > maxPixels || v.Height > maxPixels || v.Width*v.Bin < v.Size[v.right.along] {
			t.Errorf("%+v", v)
		}
	}
}

func FuzzDecodeLayer(f *testing.F) {
	pieces := tube(8, 1)
	layers, err := Render(pieces[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encode(f, layers[0]))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := DecodeLayer(layers[0].View, b)
		if err != nil {
			return
		}
		again, err := DecodeLayer(l.View, encode(t, l))
		if err != nil || !bytes.Equal(encode(t, again), encode(t, l)) {
			t.Fatalf("a decoded layer does not survive encoding: %v", err)
		}
	})
}

// Where the axes are known, the patient's left lies to the right of a view from the
// front, whichever way x points, and what stands below a view names its sides.
func TestViewsShowThePatientFromTheFront(t *testing.T) {
	left := map[geometry.Axes]r3.Vec{geometry.LPS: {X: 1}, geometry.RAS: {X: -1}}
	back := map[geometry.Axes]r3.Vec{geometry.LPS: {Y: 1}, geometry.RAS: {Y: -1}}
	for _, axes := range geometry.AxesNames {
		for _, size := range [][3]int32{{100, 50, 200}, {50, 100, 200}, {100, 200, 10}} {
			for _, v := range Views(output.Frame{Spacing: 1, Size: size, Axes: axes}) {
				p := panel{view: &v}
				toLeft, _ := v.direction(left[axes])
				toBack, _ := v.direction(back[axes])
				want, right := "← right     seen from the front     left →", 1.0
				switch {
				case strings.Contains(v.Name, "side"):
					want, toLeft = "← front     seen from the left side     back →", toBack
				case strings.Contains(v.Name, "above"):
					want = "← right     seen from above     left →"
				}
				if p.words() != want || toLeft != right {
					t.Errorf("%s: %q, %g to the right; want %q", axes, p.words(), toLeft, want)
				}
				// The viewer stands outside, on the side that is named.
				if away := v.away.of(back[axes]); strings.Contains(v.Name, "front") && away != 1 {
					t.Errorf("%s from the front looks %g towards the back", axes, away)
				}
				if away := v.away.of(left[axes]); strings.Contains(v.Name, "left") && away != -1 {
					t.Errorf("%s from the left looks %g towards the left", axes, away)
				}
			}
		}
	}
	if p := (panel{view: &Views(output.Frame{Spacing: 1, Size: [3]int32{2, 1, 3}})[0]}); strings.Contains(p.words(), "left") || strings.Contains(p.words(), "front") {
		t.Errorf("where nothing is known, the view is %q", p.words())
	}
}
