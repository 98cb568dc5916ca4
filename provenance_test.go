package carina

import (
	"math"
	"testing"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/run"
	"carina/solver/airflow"
)

// Of a grid that was made from a surface both are named, each with its own hash.
func TestProvenanceNamesGridAndSurface(t *testing.T) {
	surface := &balance.Source{File: "a.stl", SHA256: "12"}
	partition := &balance.Partition{Source: balance.Source{File: "a.grid", SHA256: "34", Surface: surface}}
	f := &Flow{from: origin{grid: &geometry.Grid{}, partition: partition}, job: run.Job{Plan: airflow.Plan{Steps: 7}}}
	p := f.provenance("")
	if p.Surface == nil || *p.Surface != *surface || p.Grid == nil || p.Grid.File != "a.grid" || p.Grid.SHA256 != "34" || p.Grid.Surface != nil || p.Steps != 7 {
		t.Errorf("surface %+v, grid %+v, %d steps", p.Surface, p.Grid, p.Steps)
	}
	if partition.Source.Surface == nil {
		t.Error("the partition has lost its surface")
	}
}

// The summary says by which part the cells hold more than their surface encloses, where
// that is known.
func TestProvenanceComparesVolumes(t *testing.T) {
	g := generate.FullGrid([3]int32{11, 11, 40})
	for _, part := range []float64{1 / 1.21, 0} {
		g.Enclosed = part * g.Volume()
		f := &Flow{from: origin{grid: g, partition: &balance.Partition{}}}
		if p := f.provenance(""); (p.VolumeExcess != nil) != (part > 0) || part > 0 && math.Abs(1+*p.VolumeExcess-1/part) > 1e-9 {
			t.Errorf("of %g of the cells' volume the summary says %v", part, p.VolumeExcess)
		}
	}
}
