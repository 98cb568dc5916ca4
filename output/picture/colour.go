package picture

import (
	"image/color"
	"math"

	"carina/internal/palette"
)

// colour is a non-linear sRGB colour, 0 to 1 a channel.
type colour [3]float64

// rgba returns the nearest opaque 8-bit colour.
func (c colour) rgba() color.RGBA {
	channel := func(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }
	return color.RGBA{channel(c[0]), channel(c[1]), channel(c[2]), 255}
}

// mix returns c with a share of other.
func (c colour) mix(other colour, share float64) colour {
	for i := range c {
		c[i] += share * (other[i] - c[i])
	}
	return c
}

// colourMap gives the colour of a value between 0 and 1 as polynomials of the
// sixth degree, constant term first.
type colourMap [7]colour

func (m *colourMap) at(value float64) colour {
	value = min(max(value, 0), 1)
	var c colour
	for k := len(m) - 1; k >= 0; k-- {
		for i := range c {
			c[i] = c[i]*value + m[k][i]
		}
	}
	return c
}

// viridis and plasma are perceptually uniform and read well by those who do not tell red
// from green. Maps: S. van der Walt and N. Smith, matplotlib, 2015 (CC0).
// Polynomials: M. Zucker, least-squares fits to the maps' tables (CC0).
var (
	viridis = colourMap{
		{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
		{0.1050930431085774, 1.404613529898575, 1.384590162594685},
		{-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
		{-4.634230498983486, -5.799100973351585, -19.33244095627987},
		{6.228269936347081, 14.17993336680509, 56.69055260068105},
		{4.776384997670288, -13.74514537774601, -65.35303263337234},
		{-5.435455855934631, 4.645852612178535, 26.3124352495832},
	}
	plasma = colourMap{
		{0.05873234392399702, 0.02333670892565664, 0.5433401826748754},
		{2.176514634195958, 0.2383834171260182, 0.7539604599784036},
		{-2.689460476458034, -7.455851135738909, 3.110799939717086},
		{6.130348345893603, 42.3461881477227, -28.51885465332158},
		{-11.10743619062271, -82.66631109428045, 60.13984767418263},
		{10.02306557647065, 71.41361770095349, -54.07218655560067},
		{-3.658713842777788, -22.93153465461149, 18.19190778539828},
	}
)

// OwnerColour returns the colour in which pictures show what a rank owns.
func OwnerColour(rank int) color.RGBA { return ownerColour(rank).rgba() }

// SpeedColour returns the colour in which pictures show a speed, as a share of
// the largest on the scale.
func SpeedColour(share float64) color.RGBA { return viridis.at(share).rgba() }

// PressureColour returns the colour in which pictures show a pressure, as a
// share of the way from the lowest to the highest on the scale.
func PressureColour(share float64) color.RGBA { return plasma.at(share).rgba() }

// ownerColour returns a colour that tells rank i from others. Eight can be told
// apart by everybody; of more ranks the hue advances by the golden angle,
// lightness and chroma in a cycle of three, in the Oklab space (B. Ottosson, 2020),
// so that ranks next to each other in number differ.
func ownerColour(i int) colour {
	if i < len(palette.Surfaces) {
		c := palette.Surfaces[i]
		return colour{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255}
	}
	const goldenAngle = 2.399963229728653
	lightness := [3]float64{0.68, 0.80, 0.56}[i%3]
	chroma := [3]float64{0.15, 0.12, 0.14}[i%3]
	hue := 0.45 + goldenAngle*float64(i)
	return oklab(lightness, chroma*math.Cos(hue), chroma*math.Sin(hue))
}

// oklab converts from the Oklab space to sRGB.
func oklab(lightness, a, b float64) colour {
	cube := func(v float64) float64 { return v * v * v }
	l := cube(lightness + 0.3963377774*a + 0.2158037573*b)
	m := cube(lightness - 0.1055613458*a - 0.0638541728*b)
	s := cube(lightness - 0.0894841775*a - 1.2914855480*b)
	linear := [3]float64{
		4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	}
	var c colour
	for i, v := range linear {
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			c[i] = 12.92 * v
		} else {
			c[i] = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
	}
	return c
}
