package share

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry/generate"
	"carina/solver"
)

// shared writes a partitioned grid with its shares and returns the partition file.
func shared(t *testing.T, seed uint64) (path string, p *balance.Partition, whole *solver.Domain) {
	t.Helper()
	grid := generate.BallsGrid([3]int32{40, 24, 24}, 9, seed)
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 3, MinSide: 4})
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = solver.NewDomain(grid, p); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "a.part.json")
	if err := p.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	for rank := range whole.Ranks {
		if err := Write(Path(path, rank), whole, rank, p); err != nil {
			t.Fatal(err)
		}
	}
	return path, p, whole
}

func TestSharesAreReadAsCut(t *testing.T) {
	path, p, whole := shared(t, 5)
	for rank := range 3 {
		got, err := Read(path, p, rank)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Cut(whole, rank)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the share of rank %d is not as it was written", rank)
		}
	}
	if share, err := Read(path, p, 3); share != nil || err != nil {
		t.Errorf("a rank without a share file got %v, %v", share, err)
	}
}

func TestSharesOfAnotherPartitionAreRefused(t *testing.T) {
	path, _, whole := shared(t, 5)
	p, err := balance.Make(context.Background(), whole.Grid, balance.Options{Ranks: 3, MinSide: 8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, p, 0); err == nil || !strings.Contains(err.Error(), "belong") {
		t.Errorf("a share of another partition: %v", err)
	}
}

func TestDamagedSharesAreRefused(t *testing.T) {
	path, p, _ := shared(t, 5)
	name := Path(path, 1)
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, len(magic) + 3, len(magic) + 20, len(content) / 3, len(content) - 5} {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x10
		for _, text := range [][]byte{damaged, content[:at]} {
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(path, p, 1); err == nil {
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
	domain, err := solver.NewDomain(grid, p)
	if err != nil {
		f.Fatal(err)
	}
	share, err := Cut(domain, 1)
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := encode(&b, share, 1, "x"); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, content []byte) {
		d, _, err := decode(bytes.NewReader(content))
		if err == nil && (len(d.Share.Starts) != len(d.Grid.Runs) || d.CellCount() < d.Grid.Cells()) {
			t.Error("a share without sense was read")
		}
	})
}
