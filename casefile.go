package carina

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// readCase reads a file up to the length that a case may have.
func readCase(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the case: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, longestCase+1))
	if err != nil {
		return nil, fmt.Errorf("reading the case: %w", err)
	}
	return data, nil
}

// decodeCase decodes strictly. The library panics on some malformed files
// (those in testdata), which must end as an error too.
func decodeCase(data []byte, c *Case) (err error) {
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
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(c); err != nil {
		return err
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return err
	}
	if len(file.Docs) > 1 {
		return errors.New("it holds several documents (a line --- parts them): leave one case a file")
	}
	return wholeNumbers(file.Docs[0])
}

// wholeNumbers refuses fractions where a whole number belongs, which the
// library cuts off.
func wholeNumbers(document *ast.DocumentNode) error {
	whole := map[string]bool{}
	fields := reflect.TypeFor[Case]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if zero := reflect.Zero(f.Type); zero.CanInt() || zero.CanUint() {
			whole[f.Tag.Get("yaml")] = true
		}
	}
	mapping, ok := document.Body.(ast.MapNode)
	if !ok {
		return nil
	}
	for i := mapping.MapRange(); i.Next(); {
		key := i.Key().String()
		value, fraction := i.Value().(*ast.FloatNode)
		if fraction && whole[key] && value.Value != math.Trunc(value.Value) {
			return fmt.Errorf("line %d: %s is %s, give a whole number", value.Token.Position.Line, key, value)
		}
	}
	return nil
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

// UnmarshalYAML reads [5, 7] or 5.
func (n *Numbers) UnmarshalYAML(decode func(any) error) error {
	var list []float64
	if decode(&list) != nil {
		list = make([]float64, 1)
		if decode(&list[0]) != nil {
			return errors.New("drop-openings: give numbers of openings, such as [5, 7]")
		}
	}
	var err error
	*n, err = whole("drop-openings", list)
	return err
}

// UnmarshalYAML reads [[3, 5], [7, 8]] or [3, 5].
func (g *Groups) UnmarshalYAML(decode func(any) error) error {
	var lists [][]float64
	if decode(&lists) != nil {
		lists = make([][]float64, 1)
		if decode(&lists[0]) != nil {
			return errors.New("merge-openings: give lists of numbers of openings, such as [[3, 5], [7, 8]]")
		}
	}
	*g = nil
	for _, list := range lists {
		numbers, err := whole("merge-openings", list)
		if err != nil {
			return err
		}
		*g = append(*g, numbers)
	}
	return nil
}

// UnmarshalYAML reads {3: inlet, 5: outlet}.
func (r *Roles) UnmarshalYAML(decode func(any) error) error {
	var words map[string]string
	if err := decode(&words); err != nil {
		return errors.New("roles: give the number and the role of openings, such as {3: inlet, 5: outlet}")
	}
	*r = Roles{}
	for number, role := range words {
		n, err := strconv.Atoi(number)
		if err != nil || role != "inlet" && role != "outlet" {
			return fmt.Errorf("roles: %q cannot be %q, give the number and the role of openings, such as {3: inlet, 5: outlet}", number, role)
		}
		(*r)[n] = role
	}
	return nil
}

// whole refuses fractions.
func whole(key string, list []float64) ([]int, error) {
	numbers := make([]int, len(list))
	for i, x := range list {
		if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
			return nil, fmt.Errorf("%s: %g is not the number of an opening, give a whole number", key, x)
		}
		numbers[i] = int(x)
	}
	return numbers, nil
}
