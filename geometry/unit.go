package geometry

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"carina/internal/quantity"
)

// Unit is the length of one unit of a surface file, in metres. The zero Unit
// means that the user has not said.
type Unit float64

// The units that surface files are written in.
const (
	UnknownUnit Unit = 0
	Metre       Unit = 1
	Decimetre   Unit = 1e-1
	Centimetre  Unit = 1e-2
	Millimetre  Unit = 1e-3
	Micrometre  Unit = 1e-6
	Inch        Unit = 0.0254
)

// units lists the units by their names.
var units = []struct {
	name string
	unit Unit
}{
	{"m", Metre}, {"dm", Decimetre}, {"cm", Centimetre}, {"mm", Millimetre},
	{"um", Micrometre}, {"µm", Micrometre}, {"in", Inch}, {"inch", Inch},
}

// UnitNames returns the names that ParseUnit knows.
func UnitNames() []string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}
	return names
}

// ParseUnit reads one of UnitNames, or a length that stands for one unit of the
// file, such as 50um for voxels of that size.
func ParseUnit(name string) (Unit, error) {
	plain := quantity.PlainUnit(strings.ToLower(name))
	for _, u := range units {
		if u.name == plain {
			return u.unit, nil
		}
	}
	if strings.ContainsAny(name, "0123456789") {
		length, err := quantity.Length.ParsePositive(name)
		return Unit(length), err
	}
	return 0, fmt.Errorf("unknown unit %q: use one of %s, or a length such as 50um", name, strings.Join(UnitNames(), ", "))
}

// String returns the unit's short name, or its length when it has none.
func (u Unit) String() string {
	switch u {
	case UnknownUnit:
		return "unknown"
	case Metre:
		return "m"
	case Decimetre:
		return "dm"
	case Centimetre:
		return "cm"
	case Millimetre:
		return "mm"
	case Micrometre:
		return "um"
	case Inch:
		return "in"
	}
	text := quantity.FormatLength(float64(u))
	if back, err := quantity.Length.ParsePositive(text); err == nil && math.Abs(back/float64(u)-1) < 1e-12 {
		return text
	}
	// A unit that is kept in a file is read back as it was.
	return strconv.FormatFloat(float64(u/Millimetre), 'g', -1, 64) + " mm"
}
