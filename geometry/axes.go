package geometry

import (
	"fmt"
	"strings"
)

// Axes say where the axes of a surface point in the patient who lies or stands in
// it. Empty means that nobody has said.
type Axes string

// The axes of medical images: x to the patient's left, y to the back and z to the
// head (superior), as in DICOM; or x to the right, y to the front (anterior) and z to
// the head, as in NIfTI.
const (
	UnknownAxes Axes = ""
	LPS         Axes = "LPS"
	RAS         Axes = "RAS"
)

// AxesNames lists those that can be given.
var AxesNames = []Axes{LPS, RAS}

// ParseAxes reads one of AxesNames, in letters of any size; an empty text is
// UnknownAxes.
func ParseAxes(text string) (Axes, error) {
	switch axes := Axes(strings.ToUpper(strings.TrimSpace(text))); axes {
	case UnknownAxes, LPS, RAS:
		return axes, nil
	}
	return UnknownAxes, fmt.Errorf("unknown axes %q: use LPS (x to the patient's left, y to the back, z to the head) or RAS (to the right, front and head)", text)
}

// Side is where in the patient axis 0, 1 or 2 points, or its opposite: "left",
// "right", "front", "back", "head" or "feet"; empty where the axes are not known.
func (a Axes) Side(axis int, opposite bool) string {
	if a == UnknownAxes {
		return ""
	}
	sides := map[byte][2]string{
		'L': {"left", "right"}, 'R': {"right", "left"}, 'P': {"back", "front"}, 'A': {"front", "back"}, 'S': {"head", "feet"},
	}[a[axis]]
	if opposite {
		return sides[1]
	}
	return sides[0]
}
