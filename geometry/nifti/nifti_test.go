package nifti

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"carina/geometry/mesh"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

func readAll(data []byte) (*mesh.Mesh, *Image, error) {
	return Read(bufio.NewReaderSize(bytes.NewReader(data), 1<<12), 0)
}

// ball is an image of a ball of radius 8 mm around 20, -30, 40 with voxels that are no
// cubes.
func ball() []byte {
	sides, at := [3]float64{0.8, 0.9, 1.25}, [3]float64{8, -42, 28}
	return meshtest.NIfTI([3]int{30, 27, 20}, sides, at, func(x, y, z int) uint8 {
		p := r3.Vec{X: at[0] + sides[0]*float64(x), Y: at[1] + sides[1]*float64(y), Z: at[2] + sides[2]*float64(z)}
		if r3.Norm(r3.Sub(p, r3.Vec{X: 20, Y: -30, Z: 40})) < 8 {
			return 1
		}
		return 0
	})
}

// checkBall compares a surface with the ball.
func checkBall(t *testing.T, name string, m *mesh.Mesh, patient bool) {
	t.Helper()
	volume := 4 * math.Pi / 3 * 8 * 8 * 8
	if v := m.Volume(); math.Abs(v/volume-1) > 0.02 {
		t.Errorf("%s: volume %g, the ball has %g", name, v, volume)
	}
	low, high := m.Bounds()
	middle := r3.Scale(0.5, r3.Add(low, high))
	if want := (r3.Vec{X: 20, Y: -30, Z: 40}); patient && r3.Norm(r3.Sub(middle, want)) > 0.2 {
		t.Errorf("%s: its middle lies at %.2f", name, middle)
	}
}

// The same image lies at the same place however its header says it: by a matrix or a
// rotation, in any type, order of bytes and version, with axes that are turned over.
func TestHeaders(t *testing.T) {
	put := binary.LittleEndian
	change := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(ball())) }
	real := func(b []byte, at int, x float64) { put.PutUint32(b[at:], math.Float32bits(float32(x))) }
	wider := func(code uint16, add func(b []byte, label byte) []byte) []byte {
		return change(func(b []byte) []byte {
			put.PutUint16(b[70:], code)
			put.PutUint16(b[72:], uint16(8*len(add(nil, 0))))
			wide := bytes.Clone(b[:352])
			for _, label := range b[352:] {
				wide = add(wide, label)
			}
			return wide
		})
	}
	for name, c := range map[string]struct {
		data    []byte
		unit    float64
		patient bool
	}{
		"as written":              {ball(), 1e-3, true},
		"no unit":                 {change(func(b []byte) []byte { b[123] = 0; return b }), 0, true},
		"micrometres and seconds": {change(func(b []byte) []byte { b[123] = 3 | 8; return b }), 1e-6, true},
		"rotation": {change(func(b []byte) []byte {
			put.PutUint16(b[254:], 0)
			put.PutUint16(b[252:], 1)
			real(b, 268, 8)
			real(b, 272, -42)
			real(b, 276, 28)
			return b
		}), 1e-3, true},
		"sides alone": {change(func(b []byte) []byte { put.PutUint16(b[254:], 0); return b }), 1e-3, false},
		// The first axis points to the left: x falls from the right border.
		"turned over": {change(func(b []byte) []byte { real(b, 280, -0.8); real(b, 292, 8+29*0.8); return mirrored(b, 30) }), 1e-3, true},
		"16 bits":     {wider(512, func(b []byte, l byte) []byte { return put.AppendUint16(b, uint16(l)) }), 1e-3, true},
		"64 bits":     {wider(1024, func(b []byte, l byte) []byte { return put.AppendUint64(b, uint64(l)) }), 1e-3, true},
		"floats":      {wider(16, func(b []byte, l byte) []byte { return put.AppendUint32(b, math.Float32bits(float32(l))) }), 1e-3, true},
		"doubles":     {wider(64, func(b []byte, l byte) []byte { return put.AppendUint64(b, math.Float64bits(float64(l)*0.9)) }), 1e-3, true},
		"no bits":     {change(func(b []byte) []byte { b[72] = 0; return b }), 1e-3, true},
		"scaled":      {change(func(b []byte) []byte { real(b, 112, 16); return b }), 1e-3, true},
		"extended": {change(func(b []byte) []byte {
			real(b, 108, 352+16)
			return append(append(bytes.Clone(b[:352]), make([]byte, 16)...), b[352:]...)
		}), 1e-3, true},
		"version 2":  {version2(ball(), binary.LittleEndian), 1e-3, true},
		"big endian": {version2(ball(), binary.BigEndian), 1e-3, true},
	} {
		m, image, err := readAll(c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if image.Unit != c.unit || image.Patient != c.patient || !Is(c.data[:HeadSize]) {
			t.Errorf("%s: %+v", name, image)
		}
		checkBall(t, name, m, c.patient)
	}
}

// mirrored turns the rows of an image over.
func mirrored(b []byte, nx int) []byte {
	for at := 352; at < len(b); at += nx {
		for i, k := at, at+nx-1; i < k; i, k = i+1, k-1 {
			b[i], b[k] = b[k], b[i]
		}
	}
	return b
}

// version2 is an image of version 1 with a header of version 2.
func version2(b []byte, order binary.ByteOrder) []byte {
	little := binary.LittleEndian
	out := make([]byte, 544)
	real := func(to, from int) {
		order.PutUint64(out[to:], math.Float64bits(float64(math.Float32frombits(little.Uint32(b[from:])))))
	}
	order.PutUint32(out, 540)
	copy(out[4:], "n+2\x00\r\n\x1a\n")
	order.PutUint16(out[12:], 2)
	order.PutUint16(out[14:], 8)
	for i := range 4 {
		order.PutUint64(out[16+8*i:], uint64(little.Uint16(b[40+2*i:])))
		real(104+8*i, 76+4*i)
	}
	for i := range 12 {
		real(400+8*i, 280+4*i)
	}
	order.PutUint64(out[168:], 544)
	order.PutUint32(out[348:], 1)
	order.PutUint32(out[500:], 2)
	return append(out, b[352:]...)
}

func TestNotes(t *testing.T) {
	labels := bytes.Clone(ball())
	half := bytes.Clone(ball())
	for i := 352; i < len(labels); i++ {
		if labels[i] > 0 && i%2 == 0 {
			labels[i] = 7
		}
		half[i] *= 3
	}
	half[112], half[113], half[114], half[115] = 0, 0, 0x80, 0x3e // a quarter
	for data, want := range map[string]string{string(labels): "holds the labels 1, 7: all", string(half): "probabilities"} {
		m, image, err := readAll([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		checkBall(t, want, m, true)
		if notes := strings.Join(image.Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
}

// Where the lumen reaches the border of the image the surface is open, in a plane.
func TestOpenAtTheBorder(t *testing.T) {
	m, image, err := readAll(meshtest.NIfTI([3]int{20, 20, 15}, [3]float64{1, 1, 1}, [3]float64{}, func(x, y, z int) uint8 {
		if math.Hypot(float64(x)-9.7, float64(y)-10.2) < 6 {
			return 1
		}
		return 0
	}))
	if err != nil {
		t.Fatal(err)
	}
	loose := map[[2]int32]int{}
	for _, triangle := range m.Triangles {
		for k, a := range triangle.V {
			b := triangle.V[(k+1)%3]
			loose[[2]int32{a, b}]++
			loose[[2]int32{b, a}]--
		}
	}
	low, high := m.Bounds()
	edges := 0
	for edge, n := range loose {
		if n == 0 {
			continue
		}
		edges++
		if z := m.Vertices[edge[0]].Z; z != low.Z && z != high.Z || low.Z != 0 || high.Z != 14 {
			t.Fatalf("an edge at %g is open, from %g to %g", z, low.Z, high.Z)
		}
	}
	if edges == 0 || !strings.Contains(strings.Join(image.Notes, "\n"), "reaches the border") {
		t.Errorf("%d open edges, notes %q", edges, image.Notes)
	}
}

func TestWrongImages(t *testing.T) {
	wrong := meshtest.WrongImages(ball())
	for name, data := range wrong {
		if !Is(data[:min(len(data), HeadSize)]) {
			if name != "truncated header" && name != "no dimensions" {
				t.Errorf("%s: is taken for another file", name)
			}
		}
		m, _, err := readAll(data)
		switch {
		case err == nil:
			t.Errorf("%s: %d triangles are read", name, len(m.Triangles))
		case strings.Contains(err.Error(), "\n"), !strings.Contains(err.Error(), "write") && !strings.Contains(err.Error(), "convert"):
			t.Errorf("%s: says %q", name, err)
		default:
			t.Logf("%s: %v", name, err)
		}
	}
}

// Memory is taken for what is there, not for what a header declares.
func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	large := bytes.Clone(ball())
	copy(large[42:], "\xff\x7f\xff\x7f\xff\x7f")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := readAll(large); err == nil {
		t.Fatal("it is read")
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d bytes were taken", taken)
	}
}

func FuzzRead(f *testing.F) {
	small := meshtest.NIfTI([3]int{4, 4, 4}, [3]float64{1, 1, 1}, [3]float64{}, func(x, y, z int) uint8 { return uint8(x*y*z) % 3 })
	f.Add(small)
	f.Add(version2(small, binary.BigEndian))
	for _, data := range meshtest.WrongImages(small) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, _, err := readAll(data)
		if err != nil {
			return
		}
		for _, v := range m.Vertices {
			if length := r3.Norm(v); math.IsNaN(length) || math.IsInf(length, 0) {
				t.Fatalf("vertex %v", v)
			}
		}
	})
}

// A label is read alone, and one that does not occur is refused with those that do.
func TestLabel(t *testing.T) {
	data := meshtest.NIfTI([3]int{20, 12, 12}, [3]float64{1, 1, 1}, [3]float64{}, func(x, y, z int) uint8 {
		if y < 2 || y > 9 || z < 2 || z > 9 {
			return 0
		}
		switch {
		case x >= 2 && x < 6:
			return 2
		case x >= 6 && x < 16:
			return 7
		}
		return 0
	})
	for label, size := range map[int]float64{0: 14, 2: 4, 7: 10} {
		m, image, err := Read(bufio.NewReader(bytes.NewReader(data)), label)
		if err != nil {
			t.Fatal(err)
		}
		low, high := m.Bounds()
		if math.Abs(high.X-low.X-size) > 0.5 {
			t.Errorf("label %d is %g long, want %g", label, high.X-low.X, size)
		}
		if told := strings.Contains(strings.Join(image.Notes, " "), "holds the labels 2, 7: all"); told != (label == 0) {
			t.Errorf("label %d: notes %q", label, image.Notes)
		}
	}
	if _, _, err := Read(bufio.NewReader(bytes.NewReader(data)), 3); err == nil || !strings.Contains(err.Error(), "no voxel has the label 3: the image holds 2, 7") {
		t.Errorf("label 3: %v", err)
	}
}
