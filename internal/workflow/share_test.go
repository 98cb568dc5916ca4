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
	"carina/solver/cuda/tiling"

	"github.com/google/go-cmp/cmp"
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
	if err := WriteShares(&c, path, p, &Gridded{Grid: grid}); err != nil {
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
		want, err := tiling.Cut(whole, rank)
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

// A partition file, its grid and its shares are all of one partition, also
// where the last of them cannot be written.
func TestSharesComeAllOrNone(t *testing.T) {
	path := sharedGrid(t, 5)
	folder := filepath.Dir(path)
	read := func() map[string]string {
		files := map[string]string{}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.IsDir() {
				files[entry.Name()] = "folder"
				continue
			}
			data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[entry.Name()] = string(data)
		}
		return files
	}
	if err := os.Mkdir(SharePath(path, 3), 0o755); err != nil {
		t.Fatal(err)
	}
	before := read()
	grid := generate.BallsGrid([3]int32{40, 24, 24}, 9, 6)
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 4, MinSide: 4})
	if err != nil {
		t.Fatal(err)
	}
	c := carina.Case{Surface: "b.stl"}
	write := func() error { return WriteShares(&c, path, p, &Gridded{Grid: grid}) }
	if err := write(); err == nil || !strings.Contains(err.Error(), SharePath(path, 3)) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(before, read()); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
	if err := os.Remove(SharePath(path, 3)); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	for name := range read() {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left beside the shares", name)
		}
	}
	if _, _, err := carina.ReadPartition(path); err != nil {
		t.Error(err)
	}
	for rank := range 4 {
		if _, share, err := ReadShare(path, rank); err != nil || share == nil {
			t.Errorf("rank %d: %v", rank, err)
		}
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
	share, err := tiling.Cut(domain, 1)
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
