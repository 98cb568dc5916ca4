package geometry

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
	var chunk bytes.Buffer
	open := false
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
			chunk.Reset()
			chunk.WriteString("solid x\n")
			c.begin(strings.ToValidUTF8(strings.TrimSpace(string(tail)), "?"))
		case "endsolid":
			if !open {
				return fmt.Errorf("line %d: endsolid without solid", number)
			}
			open = false
			chunk.WriteString("endsolid\n")
			before := len(c.surface.Triangles)
			if err := stl.CopyAll(bytes.NewReader(chunk.Bytes()), c); err != nil {
				return fmt.Errorf("solid %d (%q), triangle %d: %s", len(c.surface.Solids), c.surface.Solids[c.solid],
					len(c.surface.Triangles)-before+1, firstLine(err.Error()))
			}
		default:
			if !open {
				return fmt.Errorf("line %d: expected solid, found %q", number, clip(string(word)))
			}
			chunk.Write(bytes.ToLower(line))
			chunk.WriteByte('\n')
		}
	}
	if open {
		return errors.New("the file is truncated: its last solid has no endsolid")
	}
	return nil
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
