package quantity

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"carina/internal/spelling"
)

// Kind is a physical quantity with the units it may be written in.
type Kind struct {
	name    string
	example string
	// listed are the units that are named to users; also are those that are
	// understood besides, made when they are first asked for.
	listed units
	also   func() units
	// elsewhere says what to do with units of another quantity that people take
	// for this one.
	elsewhere map[string]string
}

// units are factors to SI units, by name.
type units map[string]float64

// The quantities that commands and case files use, each read into SI units.
var (
	// Length is read into metres.
	Length = Kind{name: "length", example: "0.25mm",
		listed: units{"m": 1, "cm": 1e-2, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9, "in": 0.0254},
		also: sync.OnceValue(func() units {
			return units{"km": 1e3, "dm": 0.1, "inch": 0.0254, "inches": 0.0254, "\"": 0.0254, "ft": 0.3048}
		})}
	// Flow is a volume flow rate, read into m³/s.
	Flow = Kind{name: "flow rate", example: "15L/min",
		listed: units{
			"m3/s": 1, "L/s": litre, "L/min": litre / 60, "mL/s": 1e-3 * litre, "mL/min": 1e-3 * litre / 60,
			"µL/s": 1e-6 * litre, "µL/min": 1e-6 * litre / 60, "nL/s": 1e-9 * litre, "nL/min": 1e-9 * litre / 60,
		},
		also: sync.OnceValue(func() units {
			return joined(ratios(volumes, times), units{
				"L/m": litre / 60, "mL/m": 1e-3 * litre / 60, "Lpm": litre / 60, "LPM": litre / 60, "mLpm": 1e-3 * litre / 60,
				"ccm": 1e-6 / 60, "ccpm": 1e-6 / 60, "cfm": 0.3048 * 0.3048 * 0.3048 / 60,
			})
		}),
		elsewhere: map[string]string{"sLpm": standard, "SLPM": standard, "sLm": standard, "sccm": standard, "NL/min": standard, "NLpm": standard}}
	// Time is read into seconds.
	Time = Kind{name: "time", example: "0.5s",
		listed: units{"s": 1, "ms": 1e-3, "µs": 1e-6, "min": 60, "h": 3600},
		also: sync.OnceValue(func() units {
			return units{"ns": 1e-9, "sec": 1, "second": 1, "seconds": 1, "hour": 3600, "hours": 3600, "hr": 3600, "msec": 1e-3}
		})}
	// Viscosity is a kinematic viscosity, read into m²/s.
	Viscosity = Kind{name: "kinematic viscosity", example: "15mm2/s",
		listed:    units{"m2/s": 1, "mm2/s": 1e-6, "cSt": 1e-6},
		also:      sync.OnceValue(func() units { return units{"cm2/s": 1e-4, "St": 1e-4, "µm2/s": 1e-12} }),
		elsewhere: map[string]string{"Pa.s": dynamic, "mPa.s": dynamic, "µPa.s": dynamic, "Pas": dynamic, "mPas": dynamic, "µPas": dynamic, "P": dynamic, "cP": dynamic, "kg/m.s": dynamic, "kg/(m.s)": dynamic}}
	// Density is read into kg/m³.
	Density = Kind{name: "density", example: "1.2kg/m3",
		listed: units{"kg/m3": 1, "g/L": 1, "g/cm3": 1e3},
		also:   sync.OnceValue(func() units { return ratios(units{"kg": 1, "g": 1e-3, "mg": 1e-6, "µg": 1e-9}, volumes) })}
	// Pressure is read into Pa.
	Pressure = Kind{name: "pressure", example: "50Pa",
		listed: units{"mPa": 1e-3, "Pa": 1, "hPa": 100, "kPa": 1e3, "mbar": 100, "cmH2O": 98.0665, "mmHg": 133.322},
		also:   func() units { return pressures }}
	// Resistance is that of an opening to flow, read into Pa·s/m³.
	Resistance = Kind{name: "resistance", example: "1.5cmH2O.s/L",
		listed: units{"Pa.s/m3": 1, "Pa.s/L": 1 / litre, "kPa.s/L": 1e3 / litre, "cmH2O.s/L": 98.0665 / litre},
		also:   sync.OnceValue(resistances)}
	// Compliance is read into m³/Pa.
	Compliance = Kind{name: "compliance", example: "200mL/cmH2O",
		listed: units{"m3/Pa": 1, "L/kPa": 1e-6, "mL/Pa": 1e-6, "mL/cmH2O": 1e-6 / 98.0665, "L/cmH2O": 1e-3 / 98.0665},
		also:   sync.OnceValue(func() units { return ratios(volumes, pressures) })}
)

// Part is a part of a whole, read into one that is 1 for all of it.
var Part = Kind{name: "part", example: "1%", listed: units{"%": 1e-2}}

// Bytes is an amount of memory, read into bytes.
var Bytes = Kind{name: "amount of memory", example: "4GiB",
	listed: units{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}}

// What units of compound quantities are made of.
const litre = 1e-3

var (
	volumes = units{
		"m3": 1, "dm3": litre, "L": litre, "dL": 0.1 * litre, "cL": 0.01 * litre, "mL": 1e-3 * litre, "cm3": 1e-6, "cc": 1e-6, "ccm": 1e-6,
		"µL": 1e-6 * litre, "mm3": 1e-9, "nL": 1e-9 * litre,
	}
	times     = units{"s": 1, "sec": 1, "min": 60, "h": 3600}
	pressures = units{
		"µPa": 1e-6, "mPa": 1e-3, "Pa": 1, "hPa": 100, "kPa": 1e3, "MPa": 1e6, "bar": 1e5, "mbar": 100, "µbar": 0.1, "N/m2": 1, "atm": 101325, "psi": 6894.757,
		"cmH2O": 98.0665, "mmH2O": 9.80665, "mH2O": 9806.65, "inH2O": 249.08891, "cmWS": 98.0665, "mmHg": 133.322, "cmHg": 1333.22, "Torr": 133.322, "torr": 133.322,
	}
)

// What to do with quantities that are others.
const (
	dynamic  = "that is a dynamic viscosity: divide it by the density, and give it such as 15mm2/s"
	standard = "that is a flow of mass at standard conditions: give the volume that flows, such as 15L/min"
)

// ratios are all units of one quantity by those of another.
func ratios(above, below units) units {
	list := units{}
	for a, x := range above {
		for b, y := range below {
			list[a+"/"+b] = x / y
		}
	}
	return list
}

// joined are the units of both lists.
func joined(a, b units) units {
	list := maps.Clone(a)
	maps.Copy(list, b)
	return list
}

// resistances are pressures over flows, in the ways that they are written.
func resistances() units {
	list := units{}
	for p, x := range pressures {
		for v, y := range volumes {
			for t, z := range times {
				for _, name := range []string{p + "." + t + "/" + v, p + t + "/" + v, p + "/(" + v + "/" + t + ")", p + "/" + v + "/" + t, p + "/" + v + "." + t} {
					list[name] = x * z / y
				}
			}
		}
	}
	return list
}

// factor is that of a unit as somebody wrote it.
func (k Kind) factor(unit string) (float64, bool) {
	unit = PlainUnit(unit)
	if factor, ok := k.listed[unit]; ok {
		return factor, true
	}
	factor, ok := k.besides()[unit]
	return factor, ok
}

// besides are the units that are understood besides those listed.
func (k Kind) besides() units {
	if k.also == nil {
		return nil
	}
	return k.also()
}

// unknown says what is wrong with a unit that the kind has not.
func (k Kind) unknown(text, unit string) error {
	if advice, is := k.elsewhere[PlainUnit(unit)]; is {
		return fmt.Errorf("%s %q: %s", k.name, text, advice)
	}
	if strings.HasPrefix(unit, ",") {
		return fmt.Errorf("%s %q is no number: write a point in it, and no comma", k.name, text)
	}
	if nearest := spelling.Nearest(PlainUnit(unit), slices.Sorted(maps.Keys(k.listed))); nearest != "" {
		return fmt.Errorf("%s %q has the unknown unit %q (did you mean %s?): use one of %s", k.name, text, unit, nearest, k.unitList())
	}
	return fmt.Errorf("%s %q has the unknown unit %q: use one of %s", k.name, text, unit, k.unitList())
}

// unitList lists the units, the largest first.
func (k Kind) unitList() string {
	names := slices.SortedFunc(maps.Keys(k.listed), func(a, b string) int {
		switch x, y := k.listed[a], k.listed[b]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(a, b)
	})
	return strings.Join(names, ", ")
}

// plainText puts the signs that keyboards have for those that documents have:
// minus signs and spaces of all kinds. Groups of three digits are put together.
func plainText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case strings.ContainsRune("\u2212\u2010\u2011\u2012\u2013\uff0d\ufe63", r):
			return '-'
		case r == '\u200b' || r == '\u2060' || r == '\ufeff': // have no width
			return -1
		}
		return r
	}, text)
	return withoutGroups(strings.TrimSpace(text))
}

// withoutGroups takes the spaces from between groups of three digits at the
// beginning of a text, as in 20 000 mm.
func withoutGroups(text string) string {
	digits := func(from int) int {
		at := from
		for at < len(text) && text[at] >= '0' && text[at] <= '9' {
			at++
		}
		return at - from
	}
	begin := len(text) - len(strings.TrimLeft(text, "+-"))
	at := begin + digits(begin)
	if at == begin || at > begin+3 {
		return text
	}
	number := text[:at]
	for at < len(text) && text[at] == ' ' && digits(at+1) == 3 {
		number, at = number+text[at+1:at+4], at+4
	}
	return number + text[at:]
}

// unitSpellings makes the spelling of the tables of how people write units. A
// product is a point.
var unitSpellings = strings.NewReplacer(
	"μ", "µ", "²", "2", "³", "3", "₂", "2", "^", "", "**", "", "·", ".", "⋅", ".", "×", ".", "*", ".", "∕", "/", "⁄", "/",
	"litres", "L", "liters", "L", "litre", "L", "liter", "L", "ℓ", "L", "minutes", "min", "minute", "min", "Pascal", "Pa", "pascal", "Pa",
	"microns", "µm", "micron", "µm", "micro", "µ", "milli", "m", "centi", "c", "metres", "m", "meters", "m", "metre", "m", "meter", "m",
	"ul", "µL", "uL", "µL", "um", "µm", "us", "µs", "uPa", "µPa", "ubar", "µbar", "ug", "µg", "H20", "H2O", "h2o", "H2O", "mmhg", "mmHg",
	"ml", "mL", "nl", "nL", "cl", "cL", "dl", "dL", "µl", "µL", "μl", "µL", "l/", "L/", "/l", "/L", "lpm", "Lpm", "slpm", "sLpm", "(l", "(L", "slm", "sLm",
)

// inverse is a unit to the power of minus one or three, as in L s⁻¹.
var inverse = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[.·⋅*]?(s|min|h|[lL]|m|cm|dm)\^?(?:⁻¹|-1|(⁻³|-3))`)
})

// PlainUnit is a unit in the spelling of the tables, without spaces.
func PlainUnit(unit string) string {
	words := strings.Fields(unit)
	for i, word := range words {
		if word == "per" {
			words[i] = "/"
		}
	}
	plain := inverse().ReplaceAllStringFunc(strings.Join(words, ""), func(found string) string {
		parts := inverse().FindStringSubmatch(found)
		if parts[2] != "" {
			return "/" + parts[1] + "3"
		}
		return "/" + parts[1]
	})
	return unitSpellings.Replace(plain)
}
