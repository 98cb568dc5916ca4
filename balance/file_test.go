package balance_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry/generate"
	"github.com/google/go-cmp/cmp"
)

// example returns a small partition and its file.
func example(t testing.TB) (*balance.Partition, []byte) {
	t.Helper()
	g := generate.BallsGrid([3]int32{12, 10, 8}, 2, 5)
	p, err := balance.Make(context.Background(), g, balance.Options{
		Ranks: 3, Decompose: "shrink", Balance: "lpt", CuboidsPerRank: 2,
		Source: balance.Source{File: "airway.stl", SHA256: "abc", Unit: "mm"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return p, b.Bytes()
}

func TestFileKeepsEverything(t *testing.T) {
	want, _ := example(t)
	for _, name := range []string{"a.part.json", "a.part.json.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := want.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		got, err := balance.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWriteFileLeavesNothingHalfWritten(t *testing.T) {
	p, _ := example(t)
	folder := t.TempDir()
	p.Cost.Fluid = 0
	p.Quality.PredictedStep = 1 / p.Cost.Fluid // no JSON number
	if err := p.WriteFile(filepath.Join(folder, "a.part.json")); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if err := p.WriteFile(filepath.Join(folder, "missing", "a.part.json")); err == nil {
		t.Error("missing folder: no error")
	}
}

func TestReadRefuses(t *testing.T) {
	p, file := example(t)
	first := strings.Index(string(file), "\n  [")
	row := string(file[first+3 : first+3+strings.IndexByte(string(file[first+3:]), ']')])
	cells := strings.Split(row[1:], ",")
	replaced := func(column int, value string) string {
		changed := append([]string(nil), cells...)
		changed[column] = value
		return "[" + strings.Join(changed, ",")
	}
	for _, test := range []struct{ name, from, to, want string }{
		{"empty", string(file), "", "truncated"},
		{"other format", `"carina partition"`, `"something"`, "this is no partition file"},
		{"not an object", string(file), "[1,2]", "this is no partition file"},
		{"a surface", string(file), "solid a\nendsolid a\n", "make one of the surface or the grid"},
		{"a binary surface", string(file), strings.Repeat("\x00", 84), "make one of the surface or the grid"},
		{"a grid", string(file), "carina grid\n\x01", "make one of the surface or the grid"},
		{"newer version", `"version": 1`, `"version": 2`, "has version 2"},
		{"no version", ` "version": 1,`, ``, "has version 0"},
		{"section missing", `"cost"`, `"coast"`, `has no "cost"`},
		{"section of another kind", `"ranks": [`, `"ranks": 3, "x": [`, `cannot understand "ranks"`},
		{"columns", `"owner"`, `"keeper"`, "cuboid columns"},
		{"twice", row + "],", row + "],\n" + row + "],", "overlap"},
		{"missing cuboid", row + "],", "", "fluid cells, the grid"},
		{"owner too large", row, replaced(6, "3"), "belongs to rank 3, but the partition has 3 ranks"},
		{"owner negative", row, replaced(6, "-1"), "out of range"},
		{"outside", row, replaced(3, "13"), "reaches outside"},
		{"huge", row, replaced(3, "1000000000000"), "out of range"},
		{"number too long", row, replaced(3, "99999999999999999999"), "cannot understand row 0"},
		{"fraction", row, replaced(7, "1.5"), "cannot understand row 0"},
		{"count", row, replaced(7, "1"), "inconsistent"},
		{"more boundary than fluid", row, replaced(8, "100000"), "boundary"},
		{"opening", row, replaced(9, "100000"), "opening"},
		{"row too short", row, row[:strings.LastIndex(row, ",")], "cannot understand row 0"},
		{"cuboids no list", `"cuboids": [`, `"cuboids": {}, "x": [`, "no list of cuboids"},
		{"speed", `"speed":1`, `"speed":-1`, "speed -1"},
		{"spacing", `"spacing_m":0.001`, `"spacing_m":0`, "spacing of 0"},
		{"size", `"size":[12`, `"size":[12000000`, "out of range"},
		{"cost", `"layout":"sparse"`, `"layout":"fluffy"`, "unknown layout"},
		{"speeds far apart", `"ranks": [{"speed":1,`, `"ranks": [{"speed":1e-9,`, "less than a millionth"},
		{"origin", `"origin_m":[`, `"origin_m":[1e300],"x":[`, "origin"},
		{"spacing of a galaxy", `"spacing_m":0.001`, `"spacing_m":1e300`, "spacing of 1e+300"},
		{"no predicted step", `"predicted_step_seconds":`, `"predicted_step_seconds":0,"x":`, "the predicted step is 0 s"},
		{"short predicted step", `"predicted_step_seconds":`, `"predicted_step_seconds":1e-12,"x":`, "the predicted step is 1e-12 s"},
		{"endless work", `"work_s":`, `"work_s":1e308,"x":`, "rank 0 takes 1e+308 s"},
		{"negative exchange", `"exchange_s":`, `"exchange_s":-1,"x":`, "-1 s for messages"},
		{"work max over mean", `"work_max_over_mean":`, `"work_max_over_mean":1e300,"x":`, "of the mean work"},
		{"bytes", `"bytes_total":`, `"bytes_total":1,"x":`, "but 1,"},
		{"halo", `"halo_cells":`, `"halo_cells":-1,"x":`, "-1 halo cells"},
		{"boundary of a rank", `"boundary_cells":`, `"boundary_cells":1,"x":`, "boundary and"},
		{"kept cells", `"kept_cells":`, `"kept_cells":1,"x":`, "by the quality"},
		{"idle rank", `"ranks": [`, `"ranks": [{"speed":1,"host":0},`, "quality of 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(string(file), test.from) {
				t.Fatalf("the file has no %s", test.from)
			}
			_, err := balance.Read(strings.NewReader(strings.Replace(string(file), test.from, test.to, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
	for n := 0; n < len(file)-2; n += 1 + n/50 {
		if _, err := balance.Read(bytes.NewReader(file[:n])); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Fatalf("truncated after %d of %d bytes: error %v", n, len(file), err)
		}
	}
	p.Owners[0] = 2
	for i := range p.Owners {
		p.Owners[i] = p.Owners[0]
	}
	var idle bytes.Buffer
	if err := p.Write(&idle); err != nil {
		t.Fatal(err)
	}
	if _, err := balance.Read(&idle); err == nil || !strings.Contains(err.Error(), "rank 0 owns no fluid cell") {
		t.Errorf("idle rank: error %v", err)
	}
}

func TestReadFileRefuses(t *testing.T) {
	p, _ := example(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "a.part.json.gz")
	if err := p.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{3, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := balance.ReadFile(path); err == nil || !strings.Contains(err.Error(), "copy it again") {
			t.Errorf("gzip file truncated after %d bytes: error %v", n, err)
		}
	}
	if _, err := balance.ReadFile(filepath.Join(folder, "none")); err == nil {
		t.Error("missing file: no error")
	}
}

func TestSegmentsRefuseAnotherGrid(t *testing.T) {
	p, _ := example(t)
	same := func() *balance.Partition { c := *p; return &c }
	g := generate.BallsGrid([3]int32{12, 10, 8}, 2, 5)
	if _, err := p.Segments(g); err != nil {
		t.Fatal(err)
	}
	moved := *g
	moved.Origin.X++
	finer := *g
	finer.Spacing /= 2
	missing := *g
	missing.Runs = g.Runs[1:]
	other := *g
	other.Runs = append(other.Runs[:0:0], g.Runs...)
	other.Runs[0].X0--
	other.Runs[0].X1--
	hole := same()
	hole.Cuboids = p.Cuboids[1:]
	double := same()
	double.Cuboids = append(p.Cuboids[:len(p.Cuboids):len(p.Cuboids)], p.Cuboids[0])
	count := same()
	count.Counts = append(count.Counts[:0:0], p.Counts...)
	count.Counts[0].Fluid++
	for _, test := range []struct {
		name string
		p    *balance.Partition
		want string
	}{
		{"hole", hole, "lies in no cuboid"}, {"twice", double, "lies in cuboids"}, {"count", count, "partition this grid anew"},
	} {
		if _, err := test.p.Segments(g); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	if _, err := p.Segments(&moved); err == nil || !strings.Contains(err.Error(), "origin") {
		t.Errorf("moved: error %v", err)
	}
	if _, err := p.Segments(&finer); err == nil || !strings.Contains(err.Error(), "spacing") {
		t.Errorf("finer: error %v", err)
	}
	if _, err := p.Segments(&missing); err == nil || !strings.Contains(err.Error(), "fluid cells") {
		t.Errorf("run missing: error %v", err)
	}
	if _, err := p.Segments(&other); err == nil || !strings.Contains(err.Error(), "fingerprints differ") {
		t.Errorf("other: error %v", err)
	}
}

// FuzzRead checks that no file makes the reader panic, and that what it
// accepts survives writing and reading.
func FuzzRead(f *testing.F) {
	_, file := example(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte(`{"format":"carina partition","version":1,"cuboids":[[0,0,0,1,1,1,0,1,1,0]]}`))
	f.Add([]byte(`{"format":"carina partition","version":9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := balance.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := p.Write(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := balance.Read(&again); err != nil {
			t.Fatalf("cannot read back: %v", err)
		}
	})
}
