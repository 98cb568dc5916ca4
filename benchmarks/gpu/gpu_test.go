package gpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
)

// Quick measurements where there is a GPU; elsewhere the error says what to do.
func TestMeasure(t *testing.T) {
	if _, err := device.Devices(); err != nil {
		if _, got := Measure(context.Background(), Options{Quick: true}); got == nil || errors.Is(err, device.ErrNoCUDA) && !errors.Is(got, device.ErrNoCUDA) {
			t.Errorf("without a GPU: error %v, want %v", got, err)
		}
		t.Skip(err)
	}
	r, err := Measure(context.Background(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Results {
		if row.MLUPS <= 0 || row.Fraction <= 0 || row.Fraction > 1.1 {
			t.Errorf("%s, %s: %g MLUPS, %g of the bandwidth", row.Case, row.Precision, row.MLUPS, row.Fraction)
		}
	}
	t.Log(r.Words())
}

func TestWords(t *testing.T) {
	if empty := (&Report{Device: "some GPU"}).Words(); !strings.HasPrefix(empty, "some GPU, copy 0 GB/s") || strings.Contains(empty, "\n\n\n") {
		t.Errorf("nothing measured: %s", empty)
	}
	r := Report{Device: "some GPU", BandwidthBytesPerSecond: 4e12, Results: []Row{
		{Case: "dense", Precision: "half", FluidCells: 1000, MLUPS: 48123.4, Fraction: 0.85, BytesPerCell: 41.5, EvenSeconds: 0.0025},
	}}
	for _, want := range []string{"some GPU", "4000 GB/s", "dense", "half", "48123", "0.850", "41.5", "2.500"} {
		if !strings.Contains(r.Words(), want) {
			t.Errorf("the tables lack %q:\n%s", want, r.Words())
		}
	}
}

// GPUs are counted from the first one on, in powers of two unless chosen.
func TestGPUsAreThere(t *testing.T) {
	for _, c := range []struct {
		device, machine int
		counts, want    []int
	}{
		{0, 1, nil, []int{1}}, {0, 7, nil, []int{1, 2, 4}}, {0, 8, nil, []int{1, 2, 4, 8}}, {5, 8, nil, []int{1, 2}},
		{7, 8, nil, []int{1}}, {6, 8, []int{2}, []int{2}},
		{0, 0, nil, nil}, {-1, 8, nil, nil}, {8, 8, nil, nil}, {6, 8, []int{3}, nil}, {0, 8, []int{0}, nil},
	} {
		o := Options{Device: c.device, Counts: c.counts}
		err := o.setDefaults(c.machine)
		if (err == nil) != (c.want != nil) || err == nil && !slices.Equal(o.Counts, c.want) {
			t.Errorf("GPU %d of %d, counts %v: %v, error %v; want %v", c.device, c.machine, c.counts, o.Counts, err, c.want)
		}
	}
	for kind, known := range map[string]bool{"dense": true, "airway": true, "strong": true, "sparse": false} {
		if err := (&Options{Cases: []string{kind}}).setDefaults(1); (err == nil) != known {
			t.Errorf("case %s: error %v", kind, err)
		}
	}
}

// Ranks have GPUs from the first one on; together they hold what each does, and
// the slowest is waited for.
func TestRanksAreSummedUp(t *testing.T) {
	if got := (&Options{Device: 3}).devices(3); !slices.Equal(got, []int{3, 4, 5}) {
		t.Errorf("three GPUs from 3 on are %v", got)
	}
	var m measured
	for i, setup := range []float64{1, 3, 2} {
		m.add(int64(i+1), setup)
	}
	if m.bytes != 6 || m.setup != 3 {
		t.Errorf("%+v, want 6 bytes and 3 s", m)
	}
}

// Every case is measured in both storages, on several GPUs by every way of
// exchanging; one GPU exchanges nothing. What does not grow needs several counts.
func TestCasesAndVariants(t *testing.T) {
	for _, c := range []struct {
		counts          []int
		kinds           []string
		cases, variants int
	}{
		{[]int{1}, nil, 2, 2 * 2},
		{[]int{1, 4}, nil, 5, 2*(2+4) + 6},
		{[]int{2, 4}, []string{"strong"}, 1, 8},
		{[]int{4}, []string{"dense"}, 1, 4},
	} {
		o := Options{Counts: c.counts, Cases: c.kinds, Exchanges: []cuda.Exchange{"one", "other"}}
		if err := o.setDefaults(4); err != nil {
			t.Fatal(err)
		}
		cases, variants := o.cases(), 0
		for _, b := range cases {
			for _, v := range b.variants(&o) {
				variants++
				if (v.devices == 1) != (v.exchange == "") || !slices.Contains(c.counts, v.devices) {
					t.Errorf("%s: %+v", b.name, v)
				}
			}
		}
		if len(cases) != c.cases || variants != c.variants {
			t.Errorf("%v GPUs, %v: %d cases and %d variants, want %d and %d", c.counts, c.kinds, len(cases), variants, c.cases, c.variants)
		}
	}
	d := dense(8, 3)
	if d.Grid.Cells() != 3*8*8*8 || d.Grid.Size != [3]int32{8, 8, 24} || d.Periodic != [3]bool{true, true, true} {
		t.Errorf("three cubes with a side of 8: %d cells in %v", d.Grid.Cells(), d.Grid.Size)
	}
}

// The speed-up is over the same case in the same storage on one GPU.
func TestSpeedUps(t *testing.T) {
	row := func(name string, storage gpu.Storage, devices int, speed float64) Row {
		return Row{Case: name, Precision: string(storage), Devices: devices, MLUPS: speed}
	}
	r := Report{Results: []Row{
		row("dense", gpu.Single, 4, 300), row("dense", gpu.Single, 1, 100), row("dense", gpu.Half, 1, 200), row("dense", gpu.Half, 4, 700), row("airway", gpu.Single, 2, 50),
	}}
	r.compare()
	for i, want := range []float64{3, 1, 1, 3.5, 0} {
		if got := r.Results[i].SpeedUp; got != want {
			t.Errorf("%+v: speed-up %g, want %g", r.Results[i], got, want)
		}
	}
}

// A step reads and writes every population once: of 19 or 27, in four bytes or in
// two.
func TestRowsOfCases(t *testing.T) {
	for _, c := range []struct {
		lattice airflow.Lattice
		storage gpu.Storage
		bytes   float64
	}{{airflow.D3Q19, gpu.Single, 2 * 19 * 4}, {airflow.D3Q19, gpu.Half, 2 * 19 * 2}, {airflow.D3Q27, gpu.Single, 2 * 27 * 4}, {airflow.D3Q27, gpu.Half, 2 * 27 * 2}} {
		m := measured{timing: gpu.Timing{Step: 0.5, Even: 0.4, Odd: 0.6}, bytes: 8000, tileShare: 0.75}
		m.used.Lattice = c.lattice
		row := m.row(2_000_000, variant{devices: 4, storage: c.storage}, 1e8)
		fraction := 4e6 * c.bytes / 4e8
		if row.MLUPS != 4 || row.BytesPerUpdate != c.bytes || math.Abs(row.Fraction-fraction) > 1e-12 || row.BytesPerCell != 0.004 || row.EvenSeconds != 0.4 || row.OddSeconds != 0.6 {
			t.Errorf("%s, %s: %+v, want %g bytes an update, %g of the bandwidth", c.lattice, c.storage, row, c.bytes, fraction)
		}
	}
}
