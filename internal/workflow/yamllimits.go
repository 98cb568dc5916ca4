package workflow

import (
	"errors"
	"fmt"
	"strings"
)

// What a case file may be: the library takes time and memory with the square of
// its size and of its depth, and a case is neither long nor deep.
const (
	longestCase = 64 << 10 // bytes
	deepestCase = 16       // lists and mappings inside each other
)

// errCaseLength says what a case file may be.
var errCaseLength = fmt.Errorf("it has more than the %d bytes that a case may have: is it a case file? Long lists of speeds can be given with --speeds", longestCase)

// checkDepth refuses text that nests deeper than cases do, before it is parsed:
// by brackets, whatever they belong to, and by indentation.
func checkDepth(text string) error {
	var indents []int // columns of the blocks that the line lies in
	brackets, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		for _, c := range line {
			switch c {
			case '[', '{':
				brackets++
			case ']', '}':
				brackets = max(0, brackets-1)
			}
			if brackets > deepestCase {
				return fmt.Errorf("line %d opens more than %d brackets inside each other: leave those out", number, deepestCase)
			}
		}
		for _, column := range blocks(line) {
			for len(indents) > 0 && indents[len(indents)-1] >= column {
				indents = indents[:len(indents)-1]
			}
			indents = append(indents, column)
		}
		if len(indents) > deepestCase {
			return fmt.Errorf("line %d lies in more than %d lists and mappings inside each other: indent it less", number, deepestCase)
		}
	}
	return nil
}

// blocks returns the columns where blocks may begin in a line: behind its
// indentation, and behind each dash or question mark at its beginning.
func blocks(line string) []int {
	var columns []int
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case ' ', '\t':
			continue
		case '-', '?', ':':
			if len(columns) <= deepestCase {
				columns = append(columns, at)
			}
			if at+1 < len(line) && (line[at+1] == ' ' || line[at+1] == '\t') {
				continue
			}
			return columns
		case '#', '\n', '\r':
			return columns
		}
		return append(columns, at)
	}
	return columns
}

// errCaseDamaged is for what makes the library panic.
var errCaseDamaged = errors.New("it is no YAML that can be understood: compare it with docs/case-file.md")
