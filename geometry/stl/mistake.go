package stl

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// place is where lines of a solid's text are in the file, up to the next place: the
// first of them is line file there, and the others follow.
type place struct{ first, file int }

// mark keeps where the next line of the text is in the file.
func (a *asciiReader) mark(file int) {
	last := len(a.places) - 1
	if last < 0 || file-a.places[last].file != a.lines-a.places[last].first {
		a.places = append(a.places, place{a.lines, file})
	}
	a.lines++
}

// lineOf is where a line of the text is in the file.
func (a *asciiReader) lineOf(line int) int {
	at := place{}
	for _, p := range a.places {
		if p.first > line {
			break
		}
		at = p
	}
	return at.file + line - at.first
}

// triangle are the beginnings of the lines of one, and how many numbers follow.
var triangle = []struct {
	begins  string
	numbers int
}{{"facet normal", 3}, {"outer loop", 0}, {"vertex", 3}, {"vertex", 3}, {"vertex", 3}, {"endloop", 0}, {"endfacet", 0}}

// mistake says what the library refuses in the solid's text, and in which line of the
// file, which the library does not know.
func (a *asciiReader) mistake(refused error) string {
	lines := bytes.Split(bytes.TrimSpace(a.text.Bytes()), []byte{'\n'})[1:] // behind solid
	for i, line := range lines[:min(len(lines), a.lines)] {
		wanted := triangle[i%len(triangle)]
		words := bytes.Fields(line)
		named := len(strings.Fields(wanted.begins))
		if string(bytes.Join(words[:min(len(words), named)], []byte{' '})) != wanted.begins {
			return fmt.Sprintf("line %d: expected %s, found %q", a.lineOf(i), wanted.begins, clip(string(line)))
		}
		numbers := words[named:]
		for k := range wanted.numbers {
			if k >= len(numbers) || !isNumber(numbers[k]) {
				return fmt.Sprintf("line %d: expected three numbers behind %s, found %q", a.lineOf(i), wanted.begins, clip(string(line)))
			}
		}
	}
	if left := a.lines % len(triangle); left > 0 {
		return fmt.Sprintf("behind line %d: expected %s, found endsolid", a.lineOf(a.lines-1), triangle[left].begins)
	}
	// What the library says behind the line that only says that something went wrong.
	said, _, _ := strings.Cut(strings.TrimPrefix(refused.Error(), "Triangles had to be skipped.\n"), "\n")
	return clip(said)
}

// isNumber tells whether a word is one that the library reads as a number.
func isNumber(word []byte) bool {
	_, err := strconv.ParseFloat(string(word), 32)
	return err == nil
}
