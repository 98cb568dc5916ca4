package geometry

import (
	"fmt"
	"sort"
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

var unitNames = map[string]Unit{
	"m": Metre, "dm": Decimetre, "cm": Centimetre, "mm": Millimetre,
	"um": Micrometre, "µm": Micrometre, "μm": Micrometre, "in": Inch, "inch": Inch,
}

// ParseUnit reads a unit's name, m, dm, cm, mm, um (or µm), in, or a length
// that stands for one unit of the file, such as 50um for voxels of that size.
func ParseUnit(name string) (Unit, error) {
	name = strings.TrimSpace(name)
	if u, ok := unitNames[strings.ToLower(name)]; ok {
		return u, nil
	}
	if strings.ContainsAny(name, "0123456789") {
		length, err := quantity.Length.ParsePositive(name)
		return Unit(length), err
	}
	known := make([]string, 0, len(unitNames))
	for n := range unitNames {
		known = append(known, n)
	}
	sort.Strings(known)
	return 0, fmt.Errorf("unknown unit %q: use one of %s, or a length such as 50um", name, strings.Join(known, ", "))
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
	return quantity.FormatLength(float64(u))
}
