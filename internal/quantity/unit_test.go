package quantity

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Units are understood as people, papers and machines write them.
func TestUnitsAsPeopleWriteThem(t *testing.T) {
	const litrePerMinute = 1e-3 / 60
	for _, test := range []struct {
		kind  Kind
		texts []string
		want  float64
	}{
		{Length, []string{"1000 µm", "1000 μm", "1000um", "1 mm", "1\u00a0mm", "1\u202fmm", "0.1cm", "1 000 µm", "1\u2009000\u2009μm", "1 millimetre", "1millimeters", "1000 microns", "1000 micrometres"}, 1e-3},
		{Length, []string{"20 000 mm", "20m", "2e1 m"}, 20},
		{Length, []string{"−3mm", "-3mm", "–3 mm"}, -3e-3},
		{Flow, []string{"15L/min", "15 l/min", "15 L / min", "15 L/m", "15l/m", "15 lpm", "15LPM", "15 Lpm", "15 litres/minute", "15 liters per minute", "250 mL/s", "250ml/s", "250 cm3/s", "250 cm^3/s", "250cm³/s", "250 cc/s", "15000 cc/min", "15 dm³/min", "900 L/h", "0.9 m³/h", "15 L min⁻¹", "15 L·min⁻¹", "15 L min-1", "15 l min^-1", "15000 mL/m", "15\u00a0L/min", "2.5e-4 m3/s", "2.5e-4m^3/s", "2.5e−4 m³/s", "2.5e-4 m³∕s", "2.5e-4 m³ s⁻¹", "250000 mm³/s", "250000 µL/s", "250000 μl/s", "250000ul/s"}, 15 * litrePerMinute},
		{Time, []string{"20ms", "20 msec", "0.02 s", "0.02sec", "20000 μs", "20000µs", "20000us"}, 0.02},
		{Time, []string{"2 min", "2 minutes", "120 seconds"}, 120},
		{Viscosity, []string{"15mm2/s", "15 mm²/s", "15 mm^2/s", "15 mm**2/s", "15 cSt", "0.15 cm²/s", "0.15 St", "1.5e-5 m²/s", "1.5e-5 m2 s-1", "15 mm² s⁻¹"}, 15e-6},
		{Density, []string{"1.2kg/m3", "1.2 kg/m³", "1.2 kg/m^3", "1.2 kg m⁻³", "1.2 kg·m⁻³", "1.2 g/L", "1.2 g/l", "1.2 mg/mL", "0.0012 g/cm³", "0.0012 g/cc", "0.0012 g/ml", "0.0012 kg/L", "1.2 g/dm³"}, 1.2},
		{Pressure, []string{"490.3325 Pa", "5 cmH2O", "5 cm H2O", "5cmH₂O", "5 cm H₂O", "5 cmH20", "50 mmH2O", "4.903325 mbar", "4.903325 hPa", "0.004903325 bar", "0.4903325 kPa", "490332.5 mPa", "490.3325 N/m²", "490.3325 pascal"}, 490.3325},
		{Pressure, []string{"1 mmHg", "1 mm Hg", "1 Torr", "0.1 cmHg"}, 133.322},
		{Resistance, []string{"2cmH2O.s/L", "2 cmH2O·s/L", "2 cm H2O s/L", "2 cmH2O/L/s", "2 cmH₂O/(L/s)", "2 cmH2O*s/l", "196133 Pa·s/m³", "196133 Pa.s/m^3", "196133 Pa s m⁻³", "0.196133 kPa.s/L", "1.96133 mbar·s/L", "1.96133 hPa s/l", "196.133 Pa s/L"}, 196133},
		{Compliance, []string{"98.0665mL/cmH2O", "98.0665 ml/cm H2O", "1 mL/Pa", "1 cm³/Pa", "1e-6 m³/Pa", "1 L/kPa", "0.1 L/mbar", "0.1L/hPa"}, 1e-6},
		{Bytes, []string{"2GiB"}, 2 << 30},
	} {
		for _, text := range test.texts {
			got, err := test.kind.Parse(text)
			if math.Abs(got-test.want) > 1e-9*math.Abs(test.want) {
				err = errors.Join(err, errors.New(strconv.FormatFloat(got, 'g', -1, 64)))
			}
			if err != nil {
				t.Errorf("%q: %v, want %g", text, err, test.want)
			}
		}
	}
}

// What may mean something else is refused with what to do.
func TestUnitsThatMeanSomethingElse(t *testing.T) {
	for _, test := range []struct {
		kind       Kind
		text, says string
	}{
		{Flow, "15 slpm", "flow of mass"}, {Flow, "15 SLPM", "flow of mass"}, {Flow, "20 sccm", "flow of mass"}, {Flow, "15 NL/min", "flow of mass"},
		{Viscosity, "18 µPa·s", "dynamic viscosity"}, {Viscosity, "18 μPa s", "dynamic viscosity"}, {Viscosity, "1 cP", "dynamic viscosity"}, {Viscosity, "1.8e-5 kg/(m·s)", "dynamic viscosity"},
		{Length, "0,5mm", "write a point"}, {Flow, "1,5 L/min", "write a point"},
		{Length, "1 MM", "did you mean"}, {Pressure, "5 KPA", "unknown unit"}, {Time, "5 m", "unknown unit"}, {Length, "1 000mm 2", "unknown unit"}, {Length, "1000 000 mm", "unknown unit"}, {Length, "1 0000 mm", "unknown unit"},
	} {
		if value, err := test.kind.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q: %g, %v, want %q", test.text, value, err, test.says)
		}
	}
}

// Every unit that is named to users is understood, in both spellings of micro.
func TestListedUnits(t *testing.T) {
	for _, kind := range []Kind{Length, Flow, Time, Viscosity, Density, Pressure, Resistance, Compliance, Bytes} {
		for unit, factor := range kind.listed {
			for _, text := range []string{"3" + unit, "3 " + unit, "3" + strings.ReplaceAll(unit, "µ", "μ"), "3" + strings.ReplaceAll(unit, "µ", "u")} {
				if got, err := kind.Parse(text); err != nil || math.Abs(got-3*factor) > 1e-12*3*factor {
					t.Errorf("%q is %g, %v, want %g", text, got, err, 3*factor)
				}
			}
			if also, is := kind.besides()[unit]; is && math.Abs(also-factor) > 1e-12*factor {
				t.Errorf("%s is %g and %g", unit, factor, also)
			}
		}
	}
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]int64{"3000": 3000, "03000": 3000, "020": 20, "-08": -8, "+5": 5, " 7 ": 7, "1_000": 1000, "1e6": 1e6, "2.5e3": 2500, "2.0": 2, "0x10": 16, "0o17": 15, "−4": -4, "20 000": 20000,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64, "0": 0, "000": 0} {
		if got, err := Whole(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]error{"2.9": ErrFraction, "1e-1": ErrFraction, "3.000": ErrFraction, "9223372036854775808": ErrRange, "-9223372036854775809": ErrRange, "1e30": ErrRange, "1e999999999": ErrRange,
		"": errNumber, "x": errNumber, "--3": errNumber, "+-3": errNumber, "1__0": errNumber, "_1": errNumber, "1_": errNumber, "0x": errNumber, "NaN": errNumber, "inf": errNumber, "3,000": errNumber, "1 2": errNumber} {
		if got, err := Whole(text); !errors.Is(err, want) {
			t.Errorf("%q is %d, %v, want %v", text, got, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Int64().Draw(t, "number")
		text := strconv.FormatInt(want, 10)
		if digits, negative := strings.CutPrefix(text, "-"); negative {
			text = "-00" + digits
		}
		if got, err := Whole(text); err != nil || got != want {
			t.Fatalf("%q is %d, %v", text, got, err)
		}
		unsigned := rapid.Uint64().Draw(t, "unsigned")
		if got, err := Unsigned("0" + strconv.FormatUint(unsigned, 10)); err != nil || got != unsigned {
			t.Fatalf("%d is %d, %v", unsigned, got, err)
		}
	})
	for _, text := range []string{"18446744073709551616", "-1"} {
		if got, err := Unsigned(text); !errors.Is(err, ErrRange) {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"30s": 30 * time.Second, "30 s": 30 * time.Second, "2 min": 2 * time.Minute, "1m30s": 90 * time.Second, "1.5h": 90 * time.Minute, "500 μs": 500 * time.Microsecond} {
		if got, err := Duration(text); err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"30", "soon", "1e300 h", ""} {
		if got, err := Duration(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
