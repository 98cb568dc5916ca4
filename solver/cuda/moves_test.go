package cuda

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"carina/solver"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// newDevice is one with fields of all sizes.
func newDevice(t *testing.T, cells int) *Device {
	t.Helper()
	d := New(devicetest.Open(t, 1)[0], nil, "")
	var fields []solver.Field
	for _, k := range []solver.Kind{solver.Uint8, solver.Float64, solver.Float16, solver.Float32} {
		fields = append(fields, solver.Field{Values: 2, Kind: k})
	}
	if err := d.Allocate(&solver.Layout{Cells: cells}, fields); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// What is written to some cells of an array is read there, and nowhere else.
func TestValuesAreWrittenAndRead(t *testing.T) {
	const cells = 3000
	d := newDevice(t, cells)
	sizes := []int{1, 1, 8, 8, 2, 2, 4, 4}
	var want [][]byte
	for _, size := range sizes {
		want = append(want, make([]byte, cells*size))
	}
	all := make([]int32, cells)
	for i := range all {
		all[i] = int32(i)
	}
	rapid.Check(t, func(t *rapid.T) {
		array := rapid.IntRange(0, len(sizes)-1).Draw(t, "array")
		size := sizes[array]
		var list []int32
		for len(list) < 700 && rapid.IntRange(0, 9).Draw(t, "more") > 0 {
			first := rapid.Int32Range(0, cells-1).Draw(t, "first")
			for c := first; c < min(cells, first+rapid.Int32Range(1, 300).Draw(t, "count")); c++ {
				list = append(list, c)
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
		if rapid.Bool().Draw(t, "backwards") {
			slices.Reverse(list)
		}
		values := make([]byte, len(list)*size)
		seed := rapid.Byte().Draw(t, "seed")
		for i := range values {
			values[i] = byte(i)*7 + seed
		}
		for i, c := range list {
			copy(want[array][int(c)*size:][:size], values[i*size:])
		}
		s := solver.Segment{Array: int32(array), Bytes: size, Cells: list}
		if err := d.Write(&s, values); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(values))
		if err := d.Read(&s, got); err != nil || !bytes.Equal(got, values) {
			t.Fatalf("%d values of %d bytes are read otherwise than written, %v", len(list), size, err)
		}
		s.Cells, got = all, make([]byte, cells*size)
		if err := d.Read(&s, got); err != nil || !bytes.Equal(got, want[array]) {
			t.Fatalf("other values have changed, %v", err)
		}
	})
}

// Values that are no numbers are found in floats of any size, and not in bytes.
func TestAllFinite(t *testing.T) {
	const cells = 300
	d := newDevice(t, cells)
	arrays := []int32{2, 3, 4, 5, 6, 7}
	for _, c := range []struct {
		array int32
		value []byte
	}{{2, device.BytesOf([]uint64{0x7ff8 << 48})}, {5, device.BytesOf([]uint16{0xfc00})}, {6, device.BytesOf([]uint32{0x7f800000})}} {
		s := solver.Segment{Array: c.array, Bytes: len(c.value), Cells: []int32{cells - 1}}
		if finite, err := d.AllFinite(arrays); err != nil || !finite {
			t.Fatalf("zeros are not finite, %v", err)
		}
		if err := d.Write(&s, c.value); err != nil {
			t.Fatal(err)
		}
		if finite, err := d.AllFinite(arrays); err != nil || finite {
			t.Errorf("what array %d holds is taken for finite, %v", c.array, err)
		}
		if err := d.Write(&s, make([]byte, len(c.value))); err != nil {
			t.Fatal(err)
		}
	}
}

// Work of a processor is refused.
func TestOtherWorkIsRefused(t *testing.T) {
	d := newDevice(t, 10)
	if d.Run(solver.BlockWork(func(*solver.Block, int) {}), solver.Side{}) == nil {
		t.Error("a GPU takes functions of blocks")
	}
}
