package stl

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"carina/geometry/mesh"
	"carina/internal/quantity"

	"github.com/hschendel/stl"
)

// readASCII hands every solid of an ASCII file to the library by itself, with
// keywords in lower case, because the library reads one solid and only that.
func readASCII(data []byte, c *collector) error {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\xef\xbb\xbf"))
	a := asciiReader{collector: c}
	for number := 1; len(data) > 0; number++ {
		var line []byte
		line, data = mesh.CutLine(data)
		for line = bytes.TrimSpace(line); len(line) > 0; {
			statement, rest := cutStatement(line)
			if err := a.read(statement, number); err != nil {
				return err
			}
			line = rest
		}
	}
	if a.open {
		if a.inFacet || a.facets == 0 {
			return errors.New("the file is truncated, its last solid has no endsolid: " + mesh.ExportAgain)
		}
		if err := a.end(); err != nil {
			return err
		}
		c.Note("the last solid has no endsolid: should triangles be missing at its end, " + mesh.ExportAgain)
	}
	if a.unended > 0 {
		c.Note("%s without endsolid before the next", quantity.Count(a.unended, "solid"))
	}
	if a.outside > 0 {
		c.Note("%s outside of solids ignored", quantity.Count(a.outside, "line"))
	}
	return nil
}

// asciiReader reads an ASCII file line by line.
type asciiReader struct {
	collector *collector
	// text is the solid that is open, as the library reads it.
	text bytes.Buffer
	open bool
	// inFacet is set between the first and the last line of a triangle.
	inFacet bool
	// facets is how many triangles the open solid has so far.
	facets int
	// outside is how many lines stood between solids, unended how many solids ended
	// where the next began.
	outside, unended int
	// corners are the coordinates in the solid as they are written, where they are
	// kept.
	corners []float64
	// lines is how many lines text has, and places say which of them are where in the
	// file.
	lines  int
	places []place
}

// cutStatement takes the first statement from a line, which may hold several.
// "end solid" is endsolid in some dialects.
func cutStatement(line []byte) (statement, rest []byte) {
	words := bytes.Fields(line[:min(len(line), longestStatement)])
	keyword := strings.ToLower(string(words[0]))
	if keyword == "end" && len(words) > 1 {
		keyword += strings.ToLower(string(words[1]))
		line = append([]byte(keyword), line[bytes.Index(line, words[1])+len(words[1]):]...)
		words = words[1:]
	}
	if keyword == "solid" {
		if at := bytes.Index(bytes.ToLower(line), []byte(" facet normal ")); at >= 0 {
			return line[:at], line[at+1:]
		}
		return line, nil
	}
	if n, known := keywordWords[keyword]; known && len(words) > n {
		next := strings.ToLower(string(words[n]))
		if _, is := keywordWords[next]; is || next == "endsolid" || next == "solid" || next == "end" {
			return bytes.Join(words[:n], []byte{' '}), bytes.TrimSpace(bytes.TrimPrefix(line, line[:behind(line, n)]))
		}
	}
	return line, nil
}

// longestStatement is how far a line is searched for a second statement.
const longestStatement = 1 << 10

// behind is where the word after the first n of a line begins.
func behind(line []byte, n int) int {
	at := 0
	for range n {
		at += len(line[at:]) - len(bytes.TrimLeft(line[at:], " \t"))
		if end := bytes.IndexAny(line[at:], " \t"); end >= 0 {
			at += end
		}
	}
	return at
}

// read takes the next line, which is not empty.
func (a *asciiReader) read(line []byte, number int) error {
	c := a.collector
	word, tail := line, []byte(nil)
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		word, tail = line[:i], line[i+1:]
	}
	switch keyword := strings.ToLower(string(word)); keyword {
	case "solid":
		if a.open && a.facets > 0 && !a.inFacet {
			a.unended++
			if err := a.end(); err != nil {
				return err
			}
		}
		if a.open {
			return fmt.Errorf("line %d: a solid begins before the last one has ended, the file is damaged: %s", number, mesh.ExportAgain)
		}
		a.begin(strings.ToValidUTF8(strings.TrimSpace(string(tail)), "?"))
	case "endsolid":
		if !a.open {
			return fmt.Errorf("line %d: endsolid without solid: %s", number, mesh.ExportAgain)
		}
		return a.end()
	case "facet":
		if !a.open {
			// Some programs write solid once for several, or never.
			a.begin("")
		}
		a.inFacet = true
		a.facets++
		return a.write(withoutNormal(line), keyword, number)
	default:
		_, known := keywordWords[keyword]
		switch {
		case !a.open && !known && len(c.Mesh.Triangles) > 0:
			// What stands between solids is for other programs.
			a.outside++
			return nil
		case !a.open:
			return fmt.Errorf("line %d: expected solid, found %q: %s", number, clip(string(word)), mesh.ExportAgain)
		case !a.inFacet && known:
			// The library would leave the triangle out without a word.
			return fmt.Errorf("line %d: expected facet, found %q, the file is damaged: %s", number, clip(string(word)), mesh.ExportAgain)
		case !a.inFacet:
			return nil // what stands between triangles, as colours do
		}
		a.inFacet = keyword != "endfacet"
		if keyword == "vertex" && c.exact {
			a.keepCorner(line)
		}
		return a.write(line, keyword, number)
	}
	return nil
}

// begin starts a solid.
func (a *asciiReader) begin(name string) {
	a.open, a.facets, a.corners = true, 0, a.corners[:0]
	a.lines, a.places = 0, a.places[:0]
	a.text.Reset()
	a.text.WriteString("solid x\n")
	a.collector.Begin(name)
}

// end hands the solid to the library.
func (a *asciiReader) end() error {
	c := a.collector
	a.open = false
	a.text.WriteString("endsolid\n")
	c.corners = a.corners
	if err := stl.CopyAll(bytes.NewReader(a.text.Bytes()), c); err != nil {
		solid := len(c.Mesh.Solids)
		return fmt.Errorf("solid %d (%q), %s: %s", solid, c.Mesh.Solids[solid-1], a.mistake(err), mesh.ExportAgain)
	}
	return nil
}

// withoutNormal puts zeros for a normal that is no number, as -nan(ind) is: normals
// are not needed.
func withoutNormal(line []byte) []byte {
	words := bytes.Fields(line)
	if len(words) < 5 || !bytes.EqualFold(words[1], []byte("normal")) {
		return line
	}
	for _, word := range words[2:5] {
		if _, err := strconv.ParseFloat(string(word), 32); err != nil {
			return []byte("facet normal 0 0 0")
		}
	}
	return line
}

// keepCorner keeps the coordinates of a vertex as they are written. What is no
// vertex, the library refuses.
func (a *asciiReader) keepCorner(line []byte) {
	words := bytes.Fields(line)
	for _, word := range words[1:min(len(words), 4)] {
		x, err := strconv.ParseFloat(string(word), 64)
		if err != nil {
			x = math.NaN()
		}
		a.corners = append(a.corners, x)
	}
}

// keywordWords is how many words of a line belong to it by its keyword; some
// programs write remarks behind them.
var keywordWords = map[string]int{"facet": 5, "outer": 2, "vertex": 4, "endloop": 1, "endfacet": 1}

// write writes a line for the library, in lower case and without remarks. A number
// is no remark of a vertex.
func (a *asciiReader) write(line []byte, keyword string, number int) error {
	line = bytes.ToLower(line)
	if n, known := keywordWords[keyword]; known {
		words := bytes.Fields(line)
		if keyword == "vertex" && bytes.IndexByte(line, '_') >= 0 && hasUnderscore(words[:min(len(words), n)]) {
			return fmt.Errorf("line %d: expected three numbers behind vertex, found %q: %s", number, clip(string(line)), mesh.ExportAgain)
		}
		if len(words) > n {
			if keyword == "vertex" && isNumber(words[n]) {
				return fmt.Errorf("line %d: a vertex has three coordinates, found a fourth number in %q: %s", number, clip(string(line)), mesh.ExportAgain)
			}
			line = bytes.Join(words[:n], []byte{' '})
		}
	}
	a.mark(number)
	a.text.Write(line)
	a.text.WriteByte('\n')
	return nil
}

// hasUnderscore tells whether one of some words has an underscore, which the library
// takes for nothing between digits.
func hasUnderscore(words [][]byte) bool {
	return slices.ContainsFunc(words, func(w []byte) bool { return bytes.IndexByte(w, '_') >= 0 })
}

func clip(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
