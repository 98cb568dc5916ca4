package terrain

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Raster is numbers on squares, such as heights of ground or depths of water in m.
type Raster struct {
	// Columns run to the east and Rows to the north.
	Columns, Rows int32
	// West and South are where the first square begins, and Spacing its side, in m.
	West, South, Spacing float64
	// Values are those of the first row, the second row and so on; NaN where there is
	// none.
	Values []float64
}

// header is the lines before the values, by name; several names of a line exclude each
// other.
type header struct {
	columns, rows       int32
	west, south, side   float64
	westIsOf, southIsOf string  // what west and south are of: the corner or the centre
	noData              float64 // NaN if it is that
	known               map[string]bool
}

// mostCells is how many columns, and rows, a raster has at most: those of a grid.
const mostCells = 1<<21 - 1

// longest is how many bytes of a word are told, mostLetters how many one may have.
const longest, mostLetters = 64, 1 << 16

// tiffs are what files in the formats TIFF and BigTIFF begin with.
var tiffs = []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}

// Read reads a grid in ESRI's ASCII format: ncols, nrows, xllcorner or xllcenter, yllcorner
// or yllcenter, cellsize and, where it is not -9999, NODATA_value, each with its number, and
// then the rows from the northernmost on. What is no such grid is refused.
func Read(r io.Reader) (*Raster, error) {
	text := bufio.NewReader(r)
	if begin, _ := text.Peek(4); slices.Contains(tiffs, string(begin)) {
		return nil, errors.New("the ground is a GeoTIFF, which is not read; make a grid of it with gdal_translate -of AAIGrid ground.tif ground.asc")
	}
	words := bufio.NewScanner(text)
	words.Buffer(make([]byte, 0, 4096), mostLetters)
	words.Split(bufio.ScanWords)
	h := header{noData: noHeight, known: map[string]bool{}}
	first, err := h.read(words)
	if err != nil {
		return nil, err
	}
	g := &Raster{Columns: h.columns, Rows: h.rows, West: h.west, South: h.south, Spacing: h.side}
	if h.westIsOf == "center" {
		g.West -= h.side / 2
	}
	if h.southIsOf == "center" {
		g.South -= h.side / 2
	}
	if math.IsInf(g.West, 0) || math.IsInf(g.South, 0) {
		return nil, errors.New("the corner of the raster lies beyond all numbers; give a smaller cellsize")
	}
	if err := g.readValues(words, first, &h); err != nil {
		return nil, err
	}
	// The rows come from the north.
	for low, high := int32(0), g.Rows-1; low < high; low, high = low+1, high-1 {
		a, b := g.row(low), g.row(high)
		for i := range a {
			a[i], b[i] = b[i], a[i]
		}
	}
	return g, nil
}

// row is the values of one.
func (g *Raster) row(y int32) []float64 {
	return g.Values[int(y)*int(g.Columns):][:g.Columns]
}

// read reads the header, and the word behind it.
func (h *header) read(words *bufio.Scanner) (next string, err error) {
	for words.Scan() {
		name := strings.ToLower(words.Text())
		if len(name) > 0 && !(name[0] >= 'a' && name[0] <= 'z') || name == "nan" || name == "inf" {
			next = words.Text()
			break
		}
		if !words.Scan() {
			return "", fmt.Errorf("the raster ends behind %q, which needs a number", short(name))
		}
		if err := h.set(name, words.Text()); err != nil {
			return "", err
		}
	}
	if err := readingError(words, "header"); err != nil {
		return "", err
	}
	for _, name := range []string{"ncols", "nrows", "xllcorner", "yllcorner", "cellsize"} {
		if !h.known[strings.TrimSuffix(name, "corner")] {
			return "", fmt.Errorf("the header of the raster has no %s; it needs ncols, nrows, xllcorner, yllcorner and cellsize", name)
		}
	}
	return next, nil
}

// set takes over a line.
func (h *header) set(name, text string) (err error) {
	line := name
	for _, of := range []string{"corner", "center"} {
		if rest, ok := strings.CutSuffix(name, of); ok && (rest == "xll" || rest == "yll") {
			line = rest
		}
	}
	if h.known[line] {
		return fmt.Errorf("the header of the raster has two lines %q; leave one out", short(line))
	}
	h.known[line] = true
	switch line {
	case "ncols":
		h.columns, err = count(name, text)
	case "nrows":
		h.rows, err = count(name, text)
	case "xll":
		h.westIsOf = name[3:]
		h.west, err = finite(name, text)
	case "yll":
		h.southIsOf = name[3:]
		h.south, err = finite(name, text)
	case "cellsize":
		if h.side, err = finite(name, text); err == nil && h.side <= 0 {
			err = fmt.Errorf("cellsize of the raster is %s m; give a length above 0", short(text))
		}
	case "nodata_value":
		if h.noData, err = quantity.Plain(text); err != nil {
			err = fmt.Errorf("NODATA_value of the raster is %q, which is no number", short(text))
		}
	default:
		err = fmt.Errorf("the header of the raster has a line %q; known are ncols, nrows, xllcorner, xllcenter, yllcorner, yllcenter, cellsize and NODATA_value", short(name))
	}
	return err
}

// count is a number of columns or rows.
func count(name, text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 || n > mostCells {
		return 0, fmt.Errorf("%s of the raster is %q; give a whole number from 1 to %d", name, short(text), mostCells)
	}
	return int32(n), nil
}

func finite(name, text string) (float64, error) {
	v, err := quantity.Plain(text)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s of the raster is %q, which is no finite number", name, short(text))
	}
	return v, nil
}

// short is a word that an error can name.
func short(text string) string {
	if len(text) > longest {
		return text[:longest] + "…"
	}
	return text
}

// readingError says why no more words were read.
func readingError(words *bufio.Scanner, of string) error {
	switch err := words.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("reading the %s of a raster: a number is longer than %d characters; put spaces between numbers", of, mostLetters)
	case err != nil:
		return fmt.Errorf("reading the %s of a raster: %w", of, err)
	}
	return nil
}

// readValues reads as many as there must be, of which the first word is known. Memory grows
// with what is read and not with what the header says.
func (g *Raster) readValues(words *bufio.Scanner, first string, h *header) error {
	want := int64(g.Columns) * int64(g.Rows)
	for more := first != ""; more; more = words.Scan() {
		text := first
		if len(g.Values) > 0 {
			text = words.Text()
		}
		n := int64(len(g.Values))
		if n == want {
			return fmt.Errorf("the raster has more than the %d values of %d columns and %d rows, the first of them %q", want, g.Columns, g.Rows, short(text))
		}
		v, err := quantity.Plain(text)
		switch {
		case err != nil:
			return fmt.Errorf("column %d of row %d of the raster is %q, which is no number; numbers have a point, and spaces between them", n%int64(g.Columns)+1, n/int64(g.Columns)+1, short(text))
		case h.isNoData(v):
			v = math.NaN()
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("column %d of row %d of the raster is %q; give a finite number, or name it as NODATA_value", n%int64(g.Columns)+1, n/int64(g.Columns)+1, short(text))
		}
		g.Values = append(g.Values, v)
	}
	if err := readingError(words, "values"); err != nil {
		return err
	}
	if n := int64(len(g.Values)); n < want {
		return fmt.Errorf("the raster ends after %d of the %d values of %d columns and %d rows", n, want, g.Columns, g.Rows)
	}
	return nil
}

// isNoData tells whether a value stands for none, also where the header and the values have
// the same number of single precision with more digits or fewer.
func (h *header) isNoData(v float64) bool {
	return v == h.noData || math.IsNaN(v) && math.IsNaN(h.noData) || math.Abs(v) > 1<<24 && float32(v) == float32(h.noData)
}

// At is the value of the square in which a position lies, NaN beyond the raster and where
// it has none.
func (g *Raster) At(p r3.Vec) float64 {
	x, y := math.Floor((p.X-g.West)/g.Spacing), math.Floor((p.Y-g.South)/g.Spacing)
	if !(x >= 0 && y >= 0 && x < float64(g.Columns) && y < float64(g.Rows)) {
		return math.NaN()
	}
	return g.row(int32(y))[int(x)]
}

// Grid has a cell for each square with a value, in one layer.
func (g *Raster) Grid() (*geometry.Grid, error) {
	grid := &geometry.Grid{Origin: r3.Vec{X: g.West, Y: g.South}, Spacing: g.Spacing, Size: [3]int32{g.Columns, g.Rows, 1}}
	for y := range g.Rows {
		row := g.row(y)
		for x := int32(0); x < g.Columns; x++ {
			from := x
			for x < g.Columns && !math.IsNaN(row[x]) {
				x++
			}
			if x > from {
				grid.Runs = append(grid.Runs, geometry.Run{X0: from, X1: x, Y: y})
			}
		}
	}
	if len(grid.Runs) == 0 {
		return nil, errors.New("no square of the raster has a value; give another one")
	}
	return grid, nil
}

// noHeight stands for no value in files, where they do not say otherwise.
const noHeight = -9999

// Write writes the raster in ESRI's ASCII format.
func (g *Raster) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	fmt.Fprintf(b, "ncols %d\nnrows %d\nxllcorner %s\nyllcorner %s\ncellsize %s\nNODATA_value %d\n", g.Columns, g.Rows, number(g.West), number(g.South), number(g.Spacing), noHeight)
	var text []byte
	for y := g.Rows - 1; y >= 0; y-- {
		for x, v := range g.row(y) {
			if x > 0 {
				b.WriteByte(' ')
			}
			if math.IsNaN(v) {
				v = noHeight
			}
			const digits = 7
			text = strconv.AppendFloat(text[:0], v, 'g', digits, 64)
			b.Write(text)
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// Fits is an error unless another raster has the same squares.
func (g *Raster) Fits(other *Raster) error {
	const apart = 1e-3 // squares
	near := func(a, b float64) bool { return math.Abs(a-b) <= apart*g.Spacing }
	if g.Columns != other.Columns || g.Rows != other.Rows || math.Abs(g.Spacing-other.Spacing) > 1e-6*g.Spacing || !near(g.West, other.West) || !near(g.South, other.South) {
		return fmt.Errorf("it has %d columns and %d rows of %g m from %g, %g m on, and the ground %d and %d of %g m from %g, %g m on: give one of the same squares", other.Columns, other.Rows, other.Spacing, other.West, other.South, g.Columns, g.Rows, g.Spacing, g.West, g.South)
	}
	return nil
}

// Between is the value at a position between the centres of squares, bilinearly, and that
// of the square where one of the four has none.
func (g *Raster) Between(p r3.Vec) float64 {
	x, y := (p.X-g.West)/g.Spacing-0.5, (p.Y-g.South)/g.Spacing-0.5
	i, k := math.Floor(x), math.Floor(y)
	a, b := x-i, y-k
	var corner [2][2]float64
	for dy := range 2 {
		for dx := range 2 {
			column := min(max(int32(i)+int32(dx), 0), g.Columns-1)
			corner[dy][dx] = g.row(min(max(int32(k)+int32(dy), 0), g.Rows-1))[column]
		}
	}
	own := g.At(p)
	v := (1-b)*((1-a)*corner[0][0]+a*corner[0][1]) + b*((1-a)*corner[1][0]+a*corner[1][1])
	if math.IsNaN(v) || math.IsNaN(own) {
		return own
	}
	return v
}
