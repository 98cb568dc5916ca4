package share

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
)

// held is the memory in bytes of what lies behind a value, without the value itself;
// what several point to counts once.
func held(v reflect.Value, seen map[uintptr]bool) (bytes int64) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			bytes += int64(v.Type().Elem().Size()) + held(v.Elem(), seen)
		}
	case reflect.Slice:
		if v.Cap() == 0 || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
		bytes += int64(v.Cap()) * int64(v.Type().Elem().Size())
		switch v.Type().Elem().Kind() {
		case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.String, reflect.Interface, reflect.Array:
			for i := range v.Len() {
				bytes += held(v.Index(i), seen)
			}
		}
	case reflect.String:
		bytes += int64(v.Len())
	case reflect.Struct:
		for i := range v.NumField() {
			bytes += held(v.Field(i), seen)
		}
	case reflect.Interface:
		if !v.IsNil() {
			bytes += held(v.Elem(), seen)
		}
	}
	return bytes
}

// Ranks of eight that read their shares hold less than a fifth of the grid each, with the
// walls that their links cross and what they know of their neighbours.
func TestRanksOfEightHoldLessThanAFifth(t *testing.T) {
	race.SkipArithmetic(t)
	surface, _, err := generate.Airway(generate.AirwayOptions{Generations: 4, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{FluidCells: 600_000})
	if err != nil {
		t.Fatal(err)
	}
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 8})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := solver.NewDomain(grid, p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.part.json")
	all := held(reflect.ValueOf(grid), map[uintptr]bool{})
	most, sum := 0., 0.
	for rank := range whole.Ranks {
		if err := Write(Path(path, rank), whole, rank, p); err != nil {
			t.Fatal(err)
		}
		domain, err := Read(path, p, rank)
		if err != nil {
			t.Fatal(err)
		}
		// The cuboids are the partition file's, which every rank reads.
		domain.Boxes, domain.Owners, domain.Work = nil, nil, nil
		domain.InGrid(domain.Share.Starts[0]) // which makes what is looked up in steps
		part := float64(held(reflect.ValueOf(domain), map[uintptr]bool{})) / float64(all)
		most, sum = max(most, part), sum+part
	}
	said := fmt.Sprintf("%d cells, %d links, %d bytes: a rank of 8 holds %.3f, and up to %.3f", grid.Cells(), grid.Links.Len(), all, sum/8, most)
	t.Log(said)
	if most >= 0.2 {
		t.Error(said)
	}
}
