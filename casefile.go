package carina

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"carina/internal/machine"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// readCase reads a file up to the length that a case may have.
func readCase(path string) ([]byte, error) {
	file, err := machine.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the case: %w", err)
	}
	defer file.Close()
	text, err := machine.Text(file)
	if err != nil {
		return nil, fmt.Errorf("reading the case %s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(text, longestCase+1))
	if err != nil {
		return nil, fmt.Errorf("reading the case: %w", err)
	}
	return data, nil
}

// decodeCase reads a case file's text. The library only takes it apart, and panics
// on some malformed files (those in testdata), which must end as an error too.
func decodeCase(data []byte, parts any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errCaseDamaged
		}
	}()
	if len(data) > longestCase {
		return errCaseLength
	}
	if err := checkDepth(string(data)); err != nil {
		return err
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return syntaxMistake(data, err)
	}
	var body ast.Node
	for _, document := range file.Docs {
		switch document.Body.(type) {
		case nil, *ast.DirectiveNode, *ast.CommentGroupNode:
			continue
		}
		if body != nil {
			return errors.New("it holds several documents (a line --- parts them): leave one case a file")
		}
		body = document.Body
	}
	if body == nil {
		return io.EOF
	}
	d := caseDecoder{aliases: map[*ast.AliasNode]ast.Node{}}
	if err := d.count(body); err != nil {
		return err
	}
	return d.mapping(body, "", reflect.ValueOf(parts).Elem())
}

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

// Numbers are those of openings.
type Numbers []int

// Groups are lists of numbers of openings.
type Groups [][]int

// Roles are those of openings, inlet or outlet, by number.
type Roles map[int]string
