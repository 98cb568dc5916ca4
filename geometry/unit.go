package geometry

import (
	"fmt"
	"sort"
	"strings"
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

// ParseUnit reads a unit's name: m, dm, cm, mm, um (or µm), in.
func ParseUnit(name string) (Unit, error) {
	if u, ok := unitNames[strings.ToLower(strings.TrimSpace(name))]; ok {
		return u, nil
	}
	known := make([]string, 0, len(unitNames))
	for n := range unitNames {
		known = append(known, n)
	}
	sort.Strings(known)
	return 0, fmt.Errorf("unknown unit %q: use one of %s", name, strings.Join(known, ", "))
}

// String returns the unit's short name, or its length in metres when it has
// none.
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
	return fmt.Sprintf("%g m", float64(u))
}

// guessUnit chooses the unit in which a surface of the given largest extent
// has the size of an airway. Human airways from the larynx to the last
// bronchi are 0.1 to 0.4 m long, a single bronchus some 0.01 m.
func guessUnit(extent float64) (Unit, string) {
	ranges := []struct {
		below float64
		unit  Unit
	}{
		{1.5, Metre}, {3000, Millimetre},
	}
	for _, r := range ranges {
		if extent < r.below {
			return r.unit, fmt.Sprintf("the longest side of the bounding box is %.4g, as an airway's is in %s", extent, r.unit)
		}
	}
	return Micrometre, fmt.Sprintf("the longest side of the bounding box is %.4g, too long for mm", extent)
}
