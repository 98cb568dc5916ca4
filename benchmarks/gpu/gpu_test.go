package gpu

import (
	"context"
	"errors"
	"strings"
	"testing"

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
	r := Report{Device: "some GPU", BandwidthBytesPerSecond: 4e12, Results: []Row{
		{Case: "dense", Precision: "half", FluidCells: 1000, MLUPS: 48123.4, Fraction: 0.85, BytesPerCell: 41.5, EvenSeconds: 0.0025},
	}}
	for _, want := range []string{"some GPU", "4000 GB/s", "dense", "half", "48123", "0.850", "41.5", "2.500"} {
		if !strings.Contains(r.Words(), want) {
			t.Errorf("the tables lack %q:\n%s", want, r.Words())
		}
	}
}
