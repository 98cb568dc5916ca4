package geometry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// benchmarkAirway prepares a real surface once per benchmark.
func benchmarkAirway(b *testing.B, name string) *Prepared {
	b.Helper()
	s, err := ReadSurface(shared(b, name), UnknownUnit)
	if err != nil {
		b.Fatal(err)
	}
	p, err := Prepare(s, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// peakHeap samples the heap while work runs and returns its highest mark.
func peakHeap(work func()) uint64 {
	runtime.GC()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var high uint64
		var m runtime.MemStats
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			runtime.ReadMemStats(&m)
			high = max(high, m.HeapInuse)
			select {
			case <-stop:
				peak <- high
				return
			case <-tick.C:
			}
		}
	}()
	work()
	close(stop)
	return <-peak
}

// BenchmarkVoxelize shows that time and memory follow the surface: from one
// size to the next the cells grow tenfold, the surface 4.6-fold.
func BenchmarkVoxelize(b *testing.B) {
	p := benchmarkAirway(b, "airway-full-mm.stl")
	for _, cells := range []int64{1e6, 1e7, 1e8, 1e9} {
		for _, directions := range []int{18, 26} {
			b.Run(fmt.Sprintf("cells=%.0e/directions=%d", float64(cells), directions), func(b *testing.B) {
				for b.Loop() {
					var fill, links time.Duration
					var g *Grid
					peak := peakHeap(func() {
						start := time.Now()
						fill, links = 0, 0
						o := Options{FluidCells: cells, Directions: directions, Progress: func(stage string, done float64) {
							if done == 1 {
								if stage == "fill" {
									fill = time.Since(start)
								} else {
									links = time.Since(start) - fill
								}
							}
						}}
						var err error
						if g, _, err = VoxelizePrepared(context.Background(), p, o); err != nil {
							b.Fatal(err)
						}
					})
					b.ReportMetric(fill.Seconds(), "fill-s")
					b.ReportMetric(links.Seconds(), "links-s")
					b.ReportMetric(float64(peak)/(1<<30), "peak-GiB")
					b.ReportMetric(float64(len(g.Links.Distance)), "links")
					b.ReportMetric(float64(g.Cells())/fill.Seconds()/1e6, "Mcells/s")
				}
			})
		}
	}
}

// BenchmarkMethods compares the voxelizers on the damaged airway at 10^7
// cells.
func BenchmarkMethods(b *testing.B) {
	p := benchmarkAirway(b, "difficult/airway-central-damaged-mm.stl")
	for _, m := range []Method{Rows, Vote, Winding} {
		b.Run(string(m), func(b *testing.B) {
			for b.Loop() {
				g, _, err := VoxelizePrepared(context.Background(), p, Options{FluidCells: 1e7, Method: m})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(g.Cells()), "cells")
			}
		})
	}
}

// BenchmarkPrepare is what a surface costs before any cell is made.
func BenchmarkPrepare(b *testing.B) {
	for _, name := range []string{"airway-central-mm.stl", "difficult/airway-central-damaged-mm.stl", "airway-full-mm.stl"} {
		s, err := ReadSurface(shared(b, name), UnknownUnit)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(name, ".stl"), func(b *testing.B) {
			for b.Loop() {
				if _, err := Prepare(s, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGridFile writes and reads the grid file of 10^8 cells with links.
func BenchmarkGridFile(b *testing.B) {
	p := benchmarkAirway(b, "airway-full-mm.stl")
	g, _, err := VoxelizePrepared(context.Background(), p, Options{FluidCells: 1e8})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "airway.grid")
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			if err := WriteGrid(path, g); err != nil {
				b.Fatal(err)
			}
		}
		if info, err := os.Stat(path); err == nil {
			b.ReportMetric(float64(info.Size())/(1<<20), "MiB")
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, err := ReadGrid(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
