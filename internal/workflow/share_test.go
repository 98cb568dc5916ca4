package workflow

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry/generate"
	"carina/internal/run"
	"carina/solver/cuda"
)

// sharedGrid writes a partitioned grid with its shares and returns the
// partition file.
func sharedGrid(t *testing.T, seed uint64) string {
	t.Helper()
	grid := generate.BallsGrid([3]int32{40, 24, 24}, 9, seed)
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 3, MinSide: 4})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.part.json")
	c := carina.Case{Surface: "a.stl"}
	if err := WritePartition(&c, path, p, &Gridded{Grid: grid}); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteShares(path, p, grid); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSharesAreReadAsCut(t *testing.T) {
	path := sharedGrid(t, 5)
	p, grid, err := carina.ReadPartition(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := run.Domain(p, grid)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 3 {
		_, got, err := ReadShare(path, rank)
		if err != nil {
			t.Fatal(err)
		}
		want, err := cuda.Cut(whole, rank)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the share of rank %d is not as it was written", rank)
		}
	}
	if _, share, err := ReadShare(path, 3); share != nil || err != nil {
		t.Errorf("a rank without a share file got %v, %v", share, err)
	}
}

func TestSharesOfAnotherPartitionAreRefused(t *testing.T) {
	path := sharedGrid(t, 5)
	p, grid, err := carina.ReadPartition(path)
	if err != nil {
		t.Fatal(err)
	}
	source := p.Source
	if p, err = balance.Make(context.Background(), grid, balance.Options{Ranks: 3, MinSide: 8}); err != nil {
		t.Fatal(err)
	}
	p.Source = source
	if err := p.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadShare(path, 0); err == nil || !strings.Contains(err.Error(), "belong") {
		t.Errorf("a share of another partition: %v", err)
	}
}

func TestDamagedSharesAreRefused(t *testing.T) {
	path := sharedGrid(t, 5)
	name := SharePath(path, 1)
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, len(shareMagic) + 3, len(shareMagic) + 20, len(content) / 3, len(content) - 5} {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x10
		for _, text := range [][]byte{damaged, content[:at]} {
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := ReadShare(path, 1); err == nil {
				t.Errorf("a share damaged at byte %d was read", at)
			}
		}
	}
}

func FuzzDecodeShare(f *testing.F) {
	grid := generate.BallsGrid([3]int32{12, 8, 8}, 2, 3)
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 2, MinSide: 4})
	if err != nil {
		f.Fatal(err)
	}
	domain, err := run.Domain(p, grid)
	if err != nil {
		f.Fatal(err)
	}
	share, err := cuda.Cut(domain, 1)
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := encodeShare(&b, share, 1, "x"); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, content []byte) {
		d, _, err := decodeShare(bytes.NewReader(content))
		if err == nil && (len(d.Share.Starts) != len(d.Grid.Runs) || d.CellCount() < d.Grid.Cells()) {
			t.Error("a share without sense was read")
		}
	})
}
