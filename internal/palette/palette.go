// Package palette has the colours and lines of pictures: those that everybody can
// tell apart.
package palette

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Surfaces and Lines are colours that everybody can tell apart, also who lacks one
// of the three cones: those of M. Okabe and K. Ito, "Color universal design", 2002.
// Surfaces have a dark grey for their black, which shows no relief, and lines a
// brown for their yellow, which is not seen on white.
var (
	Surfaces = colours(0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0072b2, 0xd55e00, 0xcc79a7, 0x555555)
	Lines    = colours(0x000000, 0xe69f00, 0x56b4e9, 0x009e73, 0xd55e00, 0x0072b2, 0xcc79a7, 0x7a4a00)
)

func colours(codes ...int) []color.RGBA {
	list := make([]color.RGBA, len(codes))
	for i, c := range codes {
		list[i] = color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
	}
	return list
}

// dashes are the patterns of lines, in units of line and gap: solid, and three
// others.
var dashes = [][]vg.Length{nil, {9, 4}, {2, 3}, {11, 3, 2, 3}}

// Line returns the style that tells line i of a chart from the others: eight
// colours, then the same dashed, dotted, and both.
func Line(i int) draw.LineStyle {
	n := len(Lines)
	return draw.LineStyle{Color: Lines[i%n], Width: 2, Dashes: dashes[i/n%len(dashes)]}
}
