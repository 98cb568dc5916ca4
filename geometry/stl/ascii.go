package stl

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/hschendel/stl"
)

// readASCII hands every solid of an ASCII file to the library by itself, with
// keywords in lower case, because the library reads one solid and only that.
func readASCII(data []byte, c *collector) error {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\xef\xbb\xbf"))
	a := asciiReader{collector: c}
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := a.read(line, number); err != nil {
			return err
		}
	}
	if a.open {
		return errors.New("the file is truncated, its last solid has no endsolid: " + exportAgain)
	}
	if a.outside > 0 {
		lines := "lines"
		if a.outside == 1 {
			lines = "line"
		}
		c.note("%d %s outside of solids ignored", a.outside, lines)
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
	// outside is how many lines stood between solids.
	outside int
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
		if a.open {
			return fmt.Errorf("line %d: a solid begins before the last one has ended, the file is damaged: %s", number, exportAgain)
		}
		a.begin(strings.ToValidUTF8(strings.TrimSpace(string(tail)), "?"))
	case "endsolid":
		if !a.open {
			return fmt.Errorf("line %d: endsolid without solid: %s", number, exportAgain)
		}
		return a.end()
	case "facet":
		if !a.open {
			// Some programs write solid once for several.
			if len(c.mesh.Solids) == 0 {
				return fmt.Errorf("line %d: expected solid, found %q: %s", number, clip(string(word)), exportAgain)
			}
			a.begin("")
		}
		a.inFacet = true
		writeKeyword(&a.text, line, keyword)
	default:
		_, known := keywordWords[keyword]
		switch {
		case !a.open && !known && len(c.mesh.Triangles) > 0:
			// What stands between solids is for other programs.
			a.outside++
			return nil
		case !a.open:
			return fmt.Errorf("line %d: expected solid, found %q: %s", number, clip(string(word)), exportAgain)
		case !a.inFacet && known:
			// The library would leave the triangle out without a word.
			return fmt.Errorf("line %d: expected facet, found %q, the file is damaged: %s", number, clip(string(word)), exportAgain)
		case !a.inFacet:
			return nil // what stands between triangles, as colours do
		}
		a.inFacet = keyword != "endfacet"
		writeKeyword(&a.text, line, keyword)
	}
	return nil
}

// begin starts a solid.
func (a *asciiReader) begin(name string) {
	a.open = true
	a.text.Reset()
	a.text.WriteString("solid x\n")
	a.collector.begin(name)
}

// end hands the solid to the library.
func (a *asciiReader) end() error {
	c := a.collector
	a.open = false
	a.text.WriteString("endsolid\n")
	before := len(c.mesh.Triangles)
	if err := stl.CopyAll(bytes.NewReader(a.text.Bytes()), c); err != nil {
		return fmt.Errorf("solid %d (%q), triangle %d: %s: %s", len(c.mesh.Solids), c.mesh.Solids[c.solid],
			len(c.mesh.Triangles)-before+1, firstLine(err.Error()), exportAgain)
	}
	return nil
}

// keywordWords is how many words of a line belong to it by its keyword; some
// programs write remarks behind them.
var keywordWords = map[string]int{"facet": 5, "outer": 2, "vertex": 4, "endloop": 1, "endfacet": 1}

// writeKeyword writes a line for the library, in lower case and without
// remarks.
func writeKeyword(text *bytes.Buffer, line []byte, keyword string) {
	line = bytes.ToLower(line)
	if n, known := keywordWords[keyword]; known {
		if words := bytes.Fields(line); len(words) > n {
			line = bytes.Join(words[:n], []byte{' '})
		}
	}
	text.Write(line)
	text.WriteByte('\n')
}

// firstLine returns what an error of the library says about the first thing
// that went wrong, behind the line that only says that something did.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "Triangles had to be skipped.\n"), "\n")
	return clip(line)
}

func clip(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
