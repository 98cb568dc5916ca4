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
	var text bytes.Buffer
	open, outside := false, 0
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		word, tail := line, []byte(nil)
		if i := bytes.IndexAny(line, " \t"); i >= 0 {
			word, tail = line[:i], line[i+1:]
		}
		switch keyword := strings.ToLower(string(word)); keyword {
		case "solid":
			if open {
				return fmt.Errorf("line %d: a solid begins before the last one has ended, the file is damaged", number)
			}
			open = true
			text.Reset()
			text.WriteString("solid x\n")
			c.begin(strings.ToValidUTF8(strings.TrimSpace(string(tail)), "?"))
		case "endsolid":
			if !open {
				return fmt.Errorf("line %d: endsolid without solid", number)
			}
			open = false
			text.WriteString("endsolid\n")
			before := len(c.mesh.Triangles)
			if err := stl.CopyAll(bytes.NewReader(text.Bytes()), c); err != nil {
				return fmt.Errorf("solid %d (%q), triangle %d: %s", len(c.mesh.Solids), c.mesh.Solids[c.solid],
					len(c.mesh.Triangles)-before+1, firstLine(err.Error()))
			}
		case "facet":
			if !open {
				// Some programs write solid once for several.
				if len(c.mesh.Solids) == 0 {
					return fmt.Errorf("line %d: expected solid, found %q", number, clip(string(word)))
				}
				open = true
				text.Reset()
				text.WriteString("solid x\n")
				c.begin("")
			}
			writeKeyword(&text, line, keyword)
		default:
			if _, known := keywordWords[keyword]; !open && !known && len(c.mesh.Triangles) > 0 {
				// What stands between solids is for other programs.
				outside++
				continue
			}
			if !open {
				return fmt.Errorf("line %d: expected solid, found %q", number, clip(string(word)))
			}
			writeKeyword(&text, line, keyword)
		}
	}
	if open {
		return errors.New("the file is truncated: its last solid has no endsolid")
	}
	if outside > 0 {
		lines := "lines"
		if outside == 1 {
			lines = "line"
		}
		c.note("%d %s outside of solids ignored", outside, lines)
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
// that went wrong.
func firstLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > 1 {
		return clip(lines[1])
	}
	return clip(lines[0])
}

func clip(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
