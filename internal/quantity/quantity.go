package quantity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Parse reads a number followed by a unit of the kind, with or without a
// space between them, and returns it in SI units. A number without a unit is
// refused, because guessing it has ruined enough computations.
func (k Kind) Parse(text string) (float64, error) {
	plain := plainText(text)
	end := len(plain)
	for end > 0 {
		if _, err := strconv.ParseFloat(strings.TrimSpace(plain[:end]), 64); err == nil || isRange(err) {
			break
		}
		end--
	}
	number, unit := strings.TrimSpace(plain[:end]), strings.TrimSpace(plain[end:])
	if number == "" {
		return 0, fmt.Errorf("%q is not a %s: write a number and a unit, such as %s", text, k.name, k.example)
	}
	if unit == "" {
		return 0, fmt.Errorf("%s %q has no unit: write one of %s, such as %s", k.name, text, k.unitList(), k.example)
	}
	factor, ok := k.factor(unit)
	if !ok {
		return 0, k.unknown(text, unit)
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value*factor, 0) {
		return 0, fmt.Errorf("%s %q is not a finite number", k.name, text)
	}
	if mantissa, _, _ := strings.Cut(strings.ToLower(number), "e"); value*factor == 0 && strings.ContainsAny(mantissa, "123456789") {
		return 0, fmt.Errorf("%s %q is too small to be told from zero", k.name, text)
	}
	return value * factor, nil
}

// ParsePositive is Parse and refuses what is not above zero.
func (k Kind) ParsePositive(text string) (float64, error) {
	value, err := k.Parse(text)
	if err == nil && value <= 0 {
		err = fmt.Errorf("%s %q must be above zero", k.name, text)
	}
	return value, err
}

func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }

var prefixes = []struct {
	factor float64
	symbol string
}{
	{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"},
}

// Format writes a value in an SI unit with the metric prefix that suits its
// size and three significant digits, such as "1.23 mm" for 0.00123 and "m".
func Format(value float64, unit string) string {
	if value == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return fmt.Sprintf("%g %s", value, unit)
	}
	chosen := prefixes[len(prefixes)-1]
	for _, p := range prefixes {
		if math.Abs(value) >= p.factor*0.9995 {
			chosen = p
			break
		}
	}
	scaled := value / chosen.factor
	digits := 2 - int(math.Floor(math.Log10(math.Abs(scaled))+1e-3))
	const mostDigits = 6
	if digits > mostDigits {
		return strconv.FormatFloat(scaled, 'g', 3, 64) + " " + chosen.symbol + unit
	}
	return strconv.FormatFloat(scaled, 'f', max(0, digits), 64) + " " + chosen.symbol + unit
}

// FormatLength writes a length given in metres in m, mm, µm or nm, whichever
// suits its size, such as "0.25 mm" or "4.75 µm".
func FormatLength(metres float64) string { return FormatLengths(metres) }

// FormatLengths writes lengths given in metres in the one unit that suits the
// largest, such as "75 × 156 × 80 mm" for a box.
func FormatLengths(metres ...float64) string {
	largest := 0.0
	for _, m := range metres {
		largest = max(largest, math.Abs(m))
	}
	unit := lengths[len(lengths)-1]
	for _, u := range lengths {
		if largest >= u.from {
			unit = u
			break
		}
	}
	words := make([]string, len(metres))
	for i, m := range metres {
		words[i] = strconv.FormatFloat(rounded(m/unit.factor, 4), 'f', -1, 64)
	}
	return strings.Join(words, " × ") + " " + unit.symbol
}

// lengths are the units of FormatLength with the length from which on they
// suit. A tenth of a millimetre is still one in people's minds.
var lengths = []struct {
	from, factor float64
	symbol       string
}{
	{0.9995, 1, "m"}, {0.9995e-4, 1e-3, "mm"}, {0.9995e-7, 1e-6, "µm"}, {math.SmallestNonzeroFloat64, 1e-9, "nm"}, {0, 1e-3, "mm"},
}

// FormatPoint writes coordinates in one unit with so many digits and commas
// between them. What is nothing beside the largest, by rounding, is 0.
func FormatPoint(x, y, z float64, digits int) string {
	const rounding = 1e-9
	smallest := rounding * max(math.Abs(x), math.Abs(y), math.Abs(z))
	var words [3]string
	for i, c := range [3]float64{x, y, z} {
		if math.Abs(c) < smallest {
			c = 0
		}
		words[i] = strconv.FormatFloat(c+0, 'g', digits, 64)
	}
	return strings.Join(words[:], ",")
}

// FormatVolume writes a volume given in m³ in L, mL, µL or nL.
func FormatVolume(cubicMetres float64) string {
	const litre = 1e-3
	return formatStep(cubicMetres, []step{{litre, "L", 1}, {1e-3 * litre, "mL", 1}, {1e-6 * litre, "µL", 1}, {1e-9 * litre, "nL", 1}})
}

// FormatArea writes an area given in m² in m², cm², mm² or, below 0.01 mm², µm².
func FormatArea(squareMetres float64) string {
	return formatStep(squareMetres, []step{{1, "m²", 1}, {1e-4, "cm²", 1}, {1e-6, "mm²", 0.01}, {1e-12, "µm²", 1}})
}

// step is a unit in SI, and the least number of it, rounded, that is written in it.
type step struct {
	factor float64
	symbol string
	least  float64
}

// formatStep writes a value with four digits in the largest unit that suits it, or the
// smallest.
func formatStep(value float64, units []step) string {
	unit := units[len(units)-1]
	for _, u := range units {
		if math.Abs(value) >= 0.9995*u.least*u.factor {
			unit = u
			break
		}
	}
	return strconv.FormatFloat(rounded(value/unit.factor, 4), 'f', -1, 64) + " " + unit.symbol
}

// rounded is a value with so many significant digits.
func rounded(value float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', digits, 64), 64)
	if err != nil {
		return value
	}
	return out
}

// FormatFlow writes a flow rate given in m³/s with four digits in L/min, mL/min,
// µL/min or nL/min, in the largest unit of which it is at least a tenth.
func FormatFlow(flow float64) string {
	unit := flowUnit(flow)
	return fmt.Sprintf("%.4g %s", flow/unit.factor+0, unit.symbol) // no minus before a zero
}

// FormatFlows writes flow rates below each other: in the unit that suits the
// largest as FormatFlow says, of which five digits are shown, with as many
// decimals for all.
func FormatFlows(flows ...float64) []string {
	const digits = 5
	largest := 0.0
	for _, flow := range flows {
		largest = max(largest, math.Abs(flow))
	}
	unit := flowUnit(largest)
	decimals := digits - 1
	for limit := 10.; decimals > 0 && largest/unit.factor >= limit; limit *= 10 {
		decimals--
	}
	words := make([]string, len(flows))
	for i, flow := range flows {
		words[i] = withoutMinus(strconv.FormatFloat(flow/unit.factor, 'f', decimals, 64)) + " " + unit.symbol
	}
	return words
}

// flowUnit is the largest unit of which a flow rate is at least a tenth.
func flowUnit(flow float64) step {
	const litrePerMinute = 1e-3 / 60
	units := []step{{litrePerMinute, "L/min", 0.1}, {1e-3 * litrePerMinute, "mL/min", 0.1}, {1e-6 * litrePerMinute, "µL/min", 0.1}, {1e-9 * litrePerMinute, "nL/min", 0.1}}
	for _, u := range units {
		if flow == 0 || math.Abs(flow) >= u.least*u.factor {
			return u
		}
	}
	return units[len(units)-1]
}

// withoutMinus takes the minus from a number of zeros alone.
func withoutMinus(number string) string {
	if strings.Trim(number, "-0.") == "" {
		return strings.TrimPrefix(number, "-")
	}
	return number
}

// FormatDigits writes a number with so many significant digits, and as a power of ten only
// from a million on and below a ten-thousandth.
func FormatDigits(value float64, digits int) string {
	text := strconv.FormatFloat(value, 'g', digits, 64)
	rounded, err := strconv.ParseFloat(text, 64)
	if size := math.Abs(rounded); err != nil || size >= 1e6 || size < 1e-4 {
		return text
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// FormatPercent writes a part of one in percent, with one decimal.
func FormatPercent(part float64) string {
	return withoutMinus(strconv.FormatFloat(100*part, 'f', 1, 64)) + " %"
}

// FormatPart writes a part of one in percent, with so many significant digits.
func FormatPart(part float64, digits int) string { return FormatDigits(100*part, digits) + " %" }

// FormatBytes writes an amount of memory with a binary prefix.
func FormatBytes(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, symbols := float64(n)/unit, "KMGTPE"
	for value >= unit && len(symbols) > 1 {
		value, symbols = value/unit, symbols[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, symbols[0])
}
