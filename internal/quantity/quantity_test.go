package quantity

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	tests := []struct {
		kind Kind
		text string
		want float64
	}{
		{Length, "0.25mm", 0.25e-3},
		{Length, " 1.5 cm ", 1.5e-2},
		{Length, "1e-3m", 1e-3},
		{Length, "250µm", 250e-6},
		{Length, "40nm", 40e-9},
		{Flow, "15L/min", 15e-3 / 60},
		{Flow, "250 mL/s", 250e-6},
		{Flow, "60µL/min", 1e-9},
		{Flow, "3 uL/s", 3e-9},
		{Flow, "60 nL/min", 1e-12},
		{Flow, "2.5e-4m3/s", 2.5e-4},
		{Time, "20ms", 0.02},
		{Viscosity, "15mm2/s", 15e-6},
		{Density, "1.2kg/m3", 1.2},
		{Bytes, "2GiB", 2 << 30},
		{Pressure, "5cmH2O", 490.3325},
		{Resistance, "2cmH2O.s/L", 196133},
		{Compliance, "98.0665mL/cmH2O", 1e-6},
	}
	for _, test := range tests {
		got, err := test.kind.Parse(test.text)
		if err != nil || math.Abs(got-test.want) > 1e-12*test.want {
			t.Errorf("Parse(%q) = %g, %v; want %g", test.text, got, err, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		kind Kind
		text string
		says string
	}{
		{Length, "0.25", "no unit"},
		{Length, "", "is not a length"},
		{Length, "mm", "is not a length"},
		{Length, "3 furlongs", "unknown unit"},
		{Length, "3L/min", "unknown unit"},
		{Length, "1e999mm", "finite"},
		{Length, "NaN mm", "finite"},
		{Length, "inf mm", "finite"},
		{Flow, "fast", "is not a flow rate"},
		{Flow, "15", "write one of m3/s, L/s, L/min, mL/s, mL/min, µL/s, µL/min, nL/s, nL/min, such as 15L/min"},
		{Length, "15", "write one of m, in, cm, mm, µm, nm, such as"},
		{Flow, "1e-400L/min", "told from zero"},
		{Flow, "-3E-323mL/min", "told from zero"},
	}
	for _, test := range tests {
		if _, err := test.kind.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("Parse(%q) says %v; want %q", test.text, err, test.says)
		}
	}
	for _, text := range []string{"0mm", "-1mm"} {
		if _, err := Length.ParsePositive(text); err == nil {
			t.Errorf("ParsePositive(%q) accepted", text)
		}
	}
}

func TestFormat(t *testing.T) {
	tests := []struct{ got, want string }{
		{Format(0.00123, "m"), "1.23 mm"},
		{Format(0.25e-3, "m"), "250 µm"},
		{Format(1, "Pa"), "1.00 Pa"},
		{Format(999.9, "Pa"), "1.00 kPa"},
		{Format(0, "Pa"), "0 Pa"},
		{Format(-0.0153, "Pa"), "-15.3 mPa"},
		{Format(2.5e-13, "Pa"), "0.000250 nPa"}, {Format(2.5e-20, "Pa"), "2.5e-11 nPa"},
		{FormatLength(0.25e-3), "0.25 mm"},
		{FormatLength(4.75e-6), "4.75 µm"},
		{FormatLength(2.06), "2.06 m"},
		{FormatLength(31e-9), "31 nm"},
		{FormatLength(0), "0 mm"},
		{FormatLengths(0.07472, 0.1563, 0.08006), "74.72 × 156.3 × 80.06 mm"},
		{FormatVolume(26.49e-6), "26.49 mL"},
		{FormatVolume(2e-9), "2 µL"},
		{FormatVolume(0.1667), "166.7 L"},
		{FormatArea(95.59e-4), "95.59 cm²"},
		{FormatArea(7.5e-6), "7.5 mm²"},
		{FormatArea(0.6696e-6), "0.6696 mm²"},
		{FormatArea(0.012e-6), "0.012 mm²"},
		{FormatArea(0.0075e-6), "7500 µm²"},
		{FormatFlow(15e-3 / 60), "15 L/min"},
		{FormatFlow(-2e-6), "-0.12 L/min"},
		{FormatFlow(1e-9), "60 µL/min"},
		{FormatFlow(0.0002759e-6 / 60), "0.2759 µL/min"},
		{FormatFlow(-1e-12), "-60 nL/min"},
		{FormatFlow(1e-16), "0.006 nL/min"},
		{FormatFlow(math.Copysign(0, -1)), "0 L/min"},
		{FormatBytes(512), "512 B"},
		{FormatBytes(1023), "1023 B"},
		{FormatBytes(1024), "1.0 KiB"},
		{FormatBytes(1 << 20), "1.0 MiB"},
		{FormatBytes(3 << 29), "1.5 GiB"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// A flow of any size that is written can be read, and reads well: from a tenth to
// a thousand of its unit, but for what no unit suits.
// Numbers of people are written without powers of ten.
func TestFormatDigits(t *testing.T) {
	for _, c := range []struct {
		value  float64
		digits int
		want   string
	}{
		{1573.4, 3, "1570"}, {254, 2, "250"}, {0.12345, 3, "0.123"}, {78.6, 3, "78.6"}, {0, 3, "0"}, {-1999.6, 3, "-2000"},
		{999999, 2, "1e+06"}, {2e-5, 2, "2e-05"}, {math.Inf(1), 3, "+Inf"}, {5, 3, "5"},
	} {
		if got := FormatDigits(c.value, c.digits); got != c.want {
			t.Errorf("%g with %d digits: %s, want %s", c.value, c.digits, got, c.want)
		}
	}
}

func TestFlowsCanBeReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := math.Pow(10, rapid.Float64Range(-18, 2).Draw(t, "exponent"))
		if rapid.Bool().Draw(t, "back") {
			flow = -flow
		}
		text := FormatFlow(flow)
		got, err := Flow.Parse(text)
		if err != nil || math.Abs(got-flow) > 0.6e-3*math.Abs(flow) {
			t.Fatalf("%g was written %q and read %g, %v", flow, text, got, err)
		}
		number, _, _ := strings.Cut(text, " ")
		if shown, err := strconv.ParseFloat(number, 64); err != nil || math.Abs(flow) > 0.1e-12/60 && math.Abs(flow) < 1e-3 && (math.Abs(shown) < 0.0999 || math.Abs(shown) > 1000) {
			t.Fatalf("%g was written %q, %v", flow, text, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0.25mm", "1e-3 m", "-", "0x1p-2mm", "1_000mm", "∞m", "1 000 μm", "−3\u00a0mm", "1e999999 m", "1,5 mm"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := Length.Parse(text)
		if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
			t.Errorf("Parse(%q) = %g without an error", text, value)
		}
	})
}

// What rounding leaves beside other coordinates is 0.
// Flows below each other have one unit and as many decimals.
func TestFormatFlows(t *testing.T) {
	const litre = 1e-3 / 60
	for _, test := range []struct {
		flows []float64
		want  string
	}{
		{[]float64{1 * litre, -0.06581 * litre, -1.5e-6 * litre, math.Copysign(0, -1)}, "1.0000 L/min, -0.0658 L/min, 0.0000 L/min, 0.0000 L/min"},
		{[]float64{0.02e-3 * litre, -0.15e-3 * litre}, "0.0200 mL/min, -0.1500 mL/min"}, {[]float64{-15.25 * litre, 60 * litre}, "-15.250 L/min, 60.000 L/min"},
		{[]float64{120 * litre, 1.234 * litre}, "120.00 L/min, 1.23 L/min"}, {[]float64{2e6 * litre}, "2000000 L/min"}, {[]float64{0, 0}, "0.0000 L/min, 0.0000 L/min"}, {nil, ""},
	} {
		if got := strings.Join(FormatFlows(test.flows...), ", "); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	for part, want := range map[float64]string{1: "100.0 %", -0.0658: "-6.6 %", -0.0004: "0.0 %", -0.0005001: "-0.1 %"} {
		if got := FormatPercent(part); got != want {
			t.Errorf("%g is %s, want %s", part, got, want)
		}
	}
}

func TestFormatPoint(t *testing.T) {
	for _, test := range []struct {
		x, y, z float64
		want    string
	}{
		{2.1684e-16, -1e-17, 12.34567, "0,0,12.346"}, {0, 0, 0, "0,0,0"}, {1e-6, -2.5e-6, 0, "1e-06,-2.5e-06,0"}, {-20, 3, 1e-3, "-20,3,0.001"},
	} {
		if got := FormatPoint(test.x, test.y, test.z, 5); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestFormatPart(t *testing.T) {
	for part, want := range map[float64]string{0.123456: "12.3 %", 1: "100 %", 78: "7800 %", 0: "0 %"} {
		if got := FormatPart(part, 3); got != want {
			t.Errorf("%g is written %q, want %q", part, got, want)
		}
	}
}
