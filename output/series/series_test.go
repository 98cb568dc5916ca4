package series

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var names = []string{"a.csv", "b.csv"}

func contents(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// write adds rows from one step to another, each 50 behind the last, whose value is a
// function of the step.
func write(t *testing.T, table *Table, from, to int64, value func(step int64) float64) {
	t.Helper()
	for step := from; step <= to; step += 50 {
		if err := table.Add(step, float64(step)*1e-3, []float64{value(step)}); err != nil {
			t.Fatal(err)
		}
	}
}

func square(step int64) float64 { return float64(step * step) }

// A table that goes on after a restart, or from an earlier step, is the one that was never
// interrupted, whatever was written behind, and wherever its last line was cut off.
func TestTableGoesOn(t *testing.T) {
	folder := t.TempDir()
	open := func(after int64) (*Folder, *Table) {
		t.Helper()
		f, err := Open(folder, names, after)
		if err != nil {
			t.Fatal(err)
		}
		table, err := f.Table("a.csv", []string{"x, y", "\"z\""}[:1], after)
		if err != nil {
			t.Fatal(err)
		}
		return f, table
	}
	f, table := open(-1)
	write(t, table, 50, 500, square)
	table.Close()
	want := contents(t, f.Path("a.csv"))
	for _, lost := range []int{0, 1, 7, 200} {
		_, table = open(-1)
		write(t, table, 50, 200, square)
		write(t, table, 250, 400, func(int64) float64 { return -1 })
		table.Close()
		text := contents(t, f.Path("a.csv"))
		if err := os.WriteFile(f.Path("a.csv"), []byte(text[:max(len(text)-lost, strings.Index(text, "\n250,")+1)]), 0o666); err != nil {
			t.Fatal(err)
		}
		_, table = open(200)
		write(t, table, 250, 350, func(int64) float64 { return -1 })
		write(t, table, 250, 500, square) // the flow has gone back
		table.Close()
		if got := contents(t, f.Path("a.csv")); got != want {
			t.Fatalf("%d bytes lost:\n%s\nwant\n%s", lost, got, want)
		}
	}
	heading, columns, err := Read(f.Path("a.csv"))
	if err != nil || !slices.Equal(heading, []string{"step", "time_s", "x, y"}) || len(columns[2]) != 10 || columns[2][9] != 250000 {
		t.Errorf("%v: %v %v", err, heading, columns)
	}
	_, table = open(500)
	err = table.Add(550, 0.55, []float64{math.NaN()}) // what is not known stays so
	table.Close()
	if _, columns, again := Read(f.Path("a.csv")); err != nil || again != nil || !strings.HasSuffix(contents(t, f.Path("a.csv")), "\n550,0.55,\n") || !math.IsNaN(columns[2][10]) {
		t.Errorf("%v, %v: %v", err, again, columns)
	}
	if _, err := f.Table("a.csv", []string{"other"}, 500); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("other columns: %v", err)
	}
}

// Fields are listed in order, and those behind the step from which a flow goes on go.
func TestFieldsGoOn(t *testing.T) {
	folder := t.TempDir()
	f, err := Open(folder, names, -1)
	if err != nil {
		t.Fatal(err)
	}
	add := func(steps ...int64) {
		t.Helper()
		for _, step := range steps {
			if err := os.WriteFile(f.Path(FieldsName(step, 3)), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := f.AddFields(step, float64(step)/1000, func(path string) error { return os.WriteFile(path, nil, 0o666) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	there := func() []string {
		list, err := filepath.Glob(filepath.Join(folder, "fields_*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	add(100, 200, 300)
	want := contents(t, f.Path(collected))
	add(400, 500, 300)
	if got := contents(t, f.Path(collected)); got != want || len(there()) != 6 {
		t.Errorf("after going back:\n%s\n%v", got, there())
	}
	add(400, 500)
	if f, err = Open(folder, names, 350); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, f.Path(collected)); got != want || len(there()) != 6 {
		t.Errorf("after a restart:\n%s\n%v", got, there())
	}
	if _, err = Open(folder, names, -1); err != nil || len(there()) != 0 {
		t.Errorf("begun anew: %v, %v", err, there())
	}
}

// What others have made is never touched.
func TestForeignFilesStay(t *testing.T) {
	for _, name := range []string{"a.csv", "fields.pvd", "fields_000000100.pvtu", "fields_000000100_0001.vtu", "fields_000000100.vti"} {
		folder := t.TempDir()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder, names, -1); err == nil || !strings.Contains(err.Error(), "somebody else") {
			t.Errorf("%s: %v", name, err)
		}
		if contents(t, path) != "mine" {
			t.Errorf("%s was touched", name)
		}
	}
	folder := t.TempDir()
	mine := filepath.Join(folder, "mine.csv")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Open(folder, names, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, filepath.Join(folder, "b.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder, names, -1); err == nil {
		t.Error("a link was taken for a series")
	}
	if contents(t, mine) != "mine" || contents(t, target) != "mine" {
		t.Error("foreign files were touched")
	}
}

// The integral of a spectrum is the variance, a wave is found at its frequency, and white
// noise is alike at all.
func TestSpectrum(t *testing.T) {
	const interval, n = 1e-3, 4000
	random := rand.New(rand.NewPCG(1, 2))
	wave, noise := make([]float64, n), make([]float64, n)
	for i := range wave {
		wave[i] = 5 + 3*math.Sin(2*math.Pi*40*float64(i)*interval)
		noise[i] = 2 * random.NormFloat64()
	}
	integral := func(samples []float64, low, high float64) (sum float64) {
		f, d := Spectrum(samples, interval)
		for k := range f {
			if f[k] >= low && f[k] < high {
				sum += d[k] * f[0]
			}
		}
		return sum
	}
	for _, test := range []struct {
		name                 string
		got, want, tolerance float64
	}{
		{"variance of a wave", integral(wave, 0, 1e9), 4.5, 0.01},
		{"near its frequency", integral(wave, 38, 42), 4.5, 0.01},
		{"variance of noise", integral(noise, 0, 1e9), 4, 0.06},
		{"half of its frequencies", integral(noise, 0, 250), 2, 0.1},
	} {
		if math.Abs(test.got/test.want-1) > test.tolerance {
			t.Errorf("%s: %g, want %g", test.name, test.got, test.want)
		}
	}
	if f, _ := Spectrum(wave[:31], interval); f != nil {
		t.Error("a spectrum of 31 samples")
	}
}
