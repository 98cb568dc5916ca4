package palette

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

// sights are what the cones of people let them see of a colour in linear sRGB, as
// G. Machado, M. Oliveira and L. Fernandes give them for those who lack one kind
// altogether ("A physiologically-based model for simulation of color vision
// deficiency", 2009).
var sights = map[string][3][3]float64{
	"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// linear undoes the encoding of sRGB.
func linear(c color.RGBA) (l [3]float64) {
	for i, b := range [3]uint8{c.R, c.G, c.B} {
		v := float64(b) / 255
		if l[i] = v / 12.92; v > 0.04045 {
			l[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return l
}

// perceived is a colour in the Oklab space as a sight lets it be seen.
func perceived(c color.RGBA, sight [3][3]float64) [3]float64 {
	times := func(m [3][3]float64, v [3]float64) (p [3]float64) {
		for i, row := range m {
			p[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
		}
		return p
	}
	seen := times(sight, linear(c))
	for i := range seen {
		seen[i] = min(max(seen[i], 0), 1)
	}
	cones := times([3][3]float64{{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005}}, seen)
	for i := range cones {
		cones[i] = math.Cbrt(cones[i])
	}
	return times([3][3]float64{{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660}}, cones)
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// Everybody tells the lines of a chart and eight surfaces apart. What is barely told
// apart, side by side, is 0.02 in the Oklab space.
func TestEverybodyTellsColoursApart(t *testing.T) {
	const least = 0.07
	for name, palette := range map[string][]color.RGBA{"surfaces": Surfaces, "lines": Lines} {
		if len(palette) != 8 {
			t.Errorf("%d colours for %s", len(palette), name)
		}
		for sight, matrix := range sights {
			for i := range palette {
				for k := range i {
					if d := distance(perceived(palette[i], matrix), perceived(palette[k], matrix)); d < least {
						t.Errorf("%s %d and %d are %.3f apart with %s", name, k, i, d, sight)
					}
				}
			}
		}
	}
}

// Lines are seen on white, and no two of 32 look the same.
func TestLinesHaveStylesOfTheirOwn(t *testing.T) {
	seen := map[string]int{}
	for i := range 32 {
		s := Line(i)
		key := fmt.Sprint(s.Color, s.Dashes)
		if k, twice := seen[key]; twice {
			t.Errorf("lines %d and %d look the same", k, i)
		}
		seen[key] = i
		if dashed := len(s.Dashes) > 0; dashed != (i >= 8) {
			t.Errorf("line %d has dashes: %v", i, dashed)
		}
		l := linear(Lines[i%8])
		if contrast := 1.05 / (0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] + 0.05); contrast < 2 {
			t.Errorf("line %d has contrast %.2f with white", i, contrast)
		}
	}
}
