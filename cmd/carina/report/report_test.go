package report

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"
)

// read is the report of a grid that was read from a file.
func read(t *testing.T, g *geometry.Grid) *carina.GridReport {
	t.Helper()
	c := carina.Case{SurfaceCase: carina.SurfaceCase{Surface: filepath.Join(t.TempDir(), "a.grid")}}
	if err := geometry.WriteGrid(c.Surface, g); err != nil {
		t.Fatal(err)
	}
	v, err := c.Voxelize(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &v.Report
}

// Grids are compared with the volume that their surface encloses, and what differs
// much is told with what it does.
func TestVolumesAreCompared(t *testing.T) {
	g := generate.FullGrid([3]int32{11, 11, 40})
	for _, c := range []struct {
		part float64
		want []string
	}{
		{1.0 / 1.21, []string{"+21.0 % against the surface", "21.0 % more than the", "32 % too low"}},
		{1.0 / 0.81, []string{"-19.0 % against the surface", "19.0 % less than the", "52 % too high"}},
		{1.0 / 1.015, []string{"+1.5 % against the surface"}},
		{0, nil},
	} {
		g.Enclosed = c.part * g.Volume()
		words := GridWords(read(t, g))
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("of %g of the cells' volume says %q, want %q", c.part, words, want)
			}
		}
		if told := strings.Contains(words, "too low") || strings.Contains(words, "too high"); told != (len(c.want) > 1) {
			t.Errorf("of %g of the cells' volume says %q", c.part, words)
		}
		if len(c.want) == 0 && strings.Contains(words, "against") {
			t.Errorf("of an unknown volume says %q", words)
		}
	}
}

// The size of a surface is that of its box, wherever it lies.
func TestSurfaceSizeIsSaid(t *testing.T) {
	r := SurfaceReport{}
	r.Low, r.High = [3]float64{10e-3, -20e-3, 100e-3}, [3]float64{12e-3, -15e-3, 107e-3}
	if words, want := r.Words(), "2 × 5 × 7 mm"; !strings.Contains(words, want) {
		t.Errorf("says %q, want %q", words, want)
	}
}

// No number of the table of openings is a zero with a minus.
func TestOpeningsTableHasNoNegativeZero(t *testing.T) {
	table := openingsTable([]geometry.OpeningReport{{Number: 1, Center: [3]float64{-4e-6, math.Copysign(0, -1), -6e-6}, Normal: [3]float64{-0.0004, 0.6, -0.0006}, Area: 1e-5}}, 0)
	if strings.Contains(table, "-0.00 ") || strings.Contains(table, "-0.000") || !strings.Contains(table, "-0.01") || !strings.Contains(table, "-0.001") {
		t.Error(table)
	}
}

// What a collision forgets of third moments is said of those that forget.
func TestMemoryWords(t *testing.T) {
	for _, c := range []struct {
		used *airflow.UsedSettings
		want string
	}{
		{nil, ""}, {&airflow.UsedSettings{}, ""},
		{&airflow.UsedSettings{SumForgetting: 0.2, DifferenceForgetting: 0.04}, "at least 20 % a step of third moments' sums, 4 % of"},
		{&airflow.UsedSettings{SumForgetting: 1, DifferenceForgetting: 1}, "the smaller the step"},
	} {
		if got := memoryWords(c.used); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q, want %q in it", c.used, got, c.want)
		}
	}
}

// Percentages are written as people write them, and pressures say of which moment they are
// where a waveform changes them.
func TestFlowWordsArePlain(t *testing.T) {
	all := 1.0
	m := &airflow.Summary{Limited: &all, MassBalance: 13.64, PressureDrop: 2, Settings: &airflow.UsedSettings{SumForgetting: 1, DifferenceForgetting: 0.5}}
	words := FlowWords(&carina.Case{}, &carina.Summary{Summary: m}, nil, nil)
	for _, want := range []string{"acts in 100 % of the cells", "pressure drop 2.00 Pa, inflow and outflow differ by 1360 %", "at least 100 % a step of third moments' sums, 50 % of"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is missing in\n%s", want, words)
		}
	}
	if strings.Contains(words, "e+") {
		t.Errorf("powers of ten in\n%s", words)
	}
	if words := FlowWords(&carina.Case{FlowCase: carina.FlowCase{Waveform: "sine:2s"}}, &carina.Summary{Summary: m}, nil, nil); !strings.Contains(words, "pressure drop 2.00 Pa at the end, ") {
		t.Error(words)
	}
}
