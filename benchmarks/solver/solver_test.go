package solverbench

import (
	"context"
	"strings"
	"testing"
)

// Every case is measured and set in relation to the bandwidth.
func TestMeasure(t *testing.T) {
	r, err := Measure(context.Background(), Options{FluidCells: 20000, Side: 24, Pairs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != len(variants) || r.BandwidthBytesPerSecond <= 0 {
		t.Fatalf("%d cases at %g bytes/s", len(r.Results), r.BandwidthBytesPerSecond)
	}
	for _, row := range r.Results {
		// The fraction lies among those of single turns.
		least := row.MedianMLUPS * 1e6 * row.BytesPerUpdate / r.BandwidthBytesPerSecond
		if row.MLUPS <= 0 || row.MLUPS < row.MedianMLUPS || row.CopyBytesPerSecond > r.BandwidthBytesPerSecond || row.Fraction < least/10 || row.Fraction > least*100 || row.BytesPerCell < row.BytesPerUpdate/2 {
			t.Errorf("%+v", row)
		}
	}
	if len(r.Comparisons) != 15 {
		t.Errorf("%d comparisons: %v", len(r.Comparisons), r.Comparisons)
	}
	for _, c := range r.Comparisons {
		if c.Ratio <= 0 {
			t.Errorf("%+v", c)
		}
	}
	if words := r.Words(); strings.Count(words, "\n") != len(variants)+len(r.Comparisons)+4 {
		t.Errorf("table:\n%s", words)
	}
}
