package opening

import (
	"math"
	"strings"
	"testing"
)

func TestWaveforms(t *testing.T) {
	table, err := ReadTable(strings.NewReader("time,factor\n0,0\n1,2\n3,-2\n4,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	periodic := *table
	periodic.Periodic = true
	breath := Breathing{Period: 4, Inspiration: 0.25}
	for _, c := range []struct {
		name string
		w    Waveform
		time float64
		want float64
	}{
		{"sine", Sine{Period: 2, Mean: 1, Amplitude: 3}, 0.5, 4},
		{"table", table, 0.5, 1}, {"table", table, 2, 0}, {"table ends", table, 9, 0}, {"table begins", table, -1, 0},
		{"periodic", &periodic, 4.5, 1}, {"periodic", &periodic, -3.5, 1},
		{"inspiration", breath, 0.5, 1}, {"expiration", breath, 2.5, -1. / 3}, {"next breath", breath, 4.5, 1},
		{"linear", Linear{table, -2, 7}, 0.5, 5},
	} {
		if got := c.w.Factor(c.time); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s at %g s: %g, want %g", c.name, c.time, got, c.want)
		}
	}
	if signs, err := ReadTable(strings.NewReader("\ufefftime,factor\r\n0,\u00a00\r\n1 ,\u22122\r\n")); err != nil || signs.Values[1] != -2 {
		t.Errorf("signs of documents: %+v, %v", signs, err)
	}
	var volume float64
	for i := range 4000 {
		volume += breath.Factor(float64(i)*1e-3+5e-4) * 1e-3
	}
	if math.Abs(volume) > 1e-6 {
		t.Errorf("a breath leaves %g behind", volume)
	}
	for bad, says := range map[string]string{
		"": "empty", "time,factor\n": "empty", "0,1\n0,2\n": "row 2 of the waveform is at 0 s like the row before it", "1,1\n0,2\n": "sort it by time",
		"0,1\nx,2\n": "row 2", "1_0,1\n": "row 1", "0,1\n1,2_0\n": "row 2", "0,NaN\n": "row 1", "0\n": "a comma between", "0,1,2\n": "a comma between", "0;1\n": "a comma between",
		"time (ms),factor\n0,1\n": "in ms: write them in s", "t_min,factor\n0,1\n": "in min", "t,Q [L/min]\n0,15\n": "values are in L/min", "t,p (cmH2O)\n0,5\n": "in cmH2O", "t,share (%)\n0,50\n": "in %",
		"\xff\xfe0\x00,\x001\x00": "UTF-16", "\x1f\x8b\x08": "gzipped",
	} {
		if _, err := ReadTable(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("of the waveform %q: %v, want %q", bad, err, says)
		}
	}
}

// A breath goes there and back fastest in its shorter half.
func TestShortestPeriods(t *testing.T) {
	table := &Table{Times: []float64{1, 2, 6}, Values: []float64{0, 1, 0}}
	periodic := *table
	periodic.Periodic = true
	for _, c := range []struct {
		name string
		w    Waveform
		want float64
	}{
		{"sine", Sine{Period: 3, Amplitude: -1}, 3}, {"constant", Sine{Period: 3, Mean: 1}, math.Inf(1)},
		{"short inspiration", Breathing{Period: 4, Inspiration: 0.25}, 2}, {"short expiration", Breathing{Period: 4, Inspiration: 0.75}, 2},
		{"table", table, math.Inf(1)}, {"periodic", &periodic, 5}, {"none", nil, math.Inf(1)},
		{"linear", Linear{&periodic, -2, 7}, 5},
	} {
		if got := ShortestPeriod(c.w); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g s, want %g", c.name, got, c.want)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add("time,factor\n0,0\n1,2\n")
	f.Add("0,1\n0,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ReadTable(strings.NewReader(text))
		if err == nil && (len(table.Times) == 0 || len(table.Times) != len(table.Values)) {
			t.Errorf("%d times and %d values", len(table.Times), len(table.Values))
		}
	})
}

// The slope of a breath changes at once where it turns, by what differences of its factors
// show; a sine's does not.
func TestSharpestBend(t *testing.T) {
	const h = 1e-6
	for _, w := range []Waveform{Breathing{Period: 4, Inspiration: 0.4}, Breathing{Period: 1, Inspiration: 0.3}, Breathing{Period: 2, Inspiration: 0.5},
		Linear{Of: Breathing{Period: 2, Inspiration: 0.35}, Slope: -3, Constant: 1}, Sine{Period: 1, Amplitude: 2}} {
		var sharpest float64
		for i := range 40000 {
			at := 1 + float64(i)*1e-4
			sharpest = max(sharpest, math.Abs(w.Factor(at+h)-2*w.Factor(at)+w.Factor(at-h))/h)
		}
		if got := SharpestBend(w); math.Abs(got-sharpest) > 1e-3*(1+sharpest) {
			t.Errorf("%+v bends by %g, its factors by %g", w, got, sharpest)
		}
	}
}
