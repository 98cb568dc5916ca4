package carina

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"carina/internal/quantity"
	"carina/internal/spelling"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// syntaxMistake says where a file is no YAML and why.
func syntaxMistake(data []byte, err error) error {
	var mistaken *yaml.SyntaxError
	if !errors.As(err, &mistaken) || mistaken.Token == nil {
		return errCaseDamaged
	}
	at, says := mistaken.Token.Position, clipped(mistaken.Message)
	var line string
	if lines := strings.Split(string(data), "\n"); at.Line >= 1 && at.Line <= len(lines) {
		line = lines[at.Line-1]
	}
	indentation := line[:len(line)-len(strings.TrimLeft(line, " \t\u00a0\u2007\u202f"))]
	switch {
	case strings.Contains(mistaken.Message, "non-map value is specified"):
		says = "it is no line such as ranks: 2, of a key, a colon, a space and a value"
	case strings.Contains(mistaken.Message, "mapping value is not allowed"):
		says = "there is a second colon with a space or nothing behind it: put a value that has one into quotes"
	case strings.Contains(mistaken.Message, "already defined"):
		if parts := strings.Split(mistaken.Message, `"`); len(parts) == 3 && parts[1] != "&" { // of an anchor
			says = clipped(parts[1]) + " stands there twice: leave one out"
		}
	case strings.Contains(indentation, "\t"):
		says = "it is indented with a tab: indent with spaces"
	case strings.Contains(mistaken.Message, "\t"):
		says = "a tab stands where none may be: write spaces"
	case strings.ContainsAny(line, "\u00a0\u2007\u202f"):
		says += ", and there is a space that does not break lines (U+00A0 or the like): write an ordinary one"
	}
	return fmt.Errorf("line %d: %s (column %d)", at.Line, says, at.Column)
}

// unknownKey names a key that is none of a mapping's, and the nearest that is.
func unknownKey(e entry, within string, of reflect.Type) error {
	keys := keysOf(of)
	advice := "the keys are " + strings.Join(keys, ", ")
	if nearest := spelling.Nearest(clipped(e.name), keys); nearest != "" {
		advice = "did you mean " + nearest + "?"
	} else if within == "" && of == reflect.TypeFor[Case]() {
		advice = "docs/case-file.md lists those there are"
	} else if within == "" {
		advice = "docs/case-file.md and the page of the physics list those there are"
	}
	if within != "" {
		within = " in " + within
	}
	return mistake(e.key, "there is no key %s%s: %s", clipped(e.name), within, advice)
}

// keysOf are the keys of a mapping in a case file, in the order of its fields.
func keysOf(of reflect.Type) []string {
	var keys []string
	for _, field := range reflect.VisibleFields(of) {
		if key := field.Tag.Get("yaml"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// clipped is a text that fits into a sentence.
func clipped(text string) string {
	const longest = 80
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

// words are what a node is, for a sentence.
func (d *caseDecoder) words(node ast.Node) string {
	text, is, empty, _ := d.scalar(node)
	switch value, _ := d.value(node); value.(type) {
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	}
	if !is || empty {
		return "empty"
	}
	return clipped(text)
}

// takes says what a key takes, by the type of its field.
func takes(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a time such as 30s"
	case t == reflect.TypeFor[Numbers]():
		return numbersWords
	case t == reflect.TypeFor[Groups]():
		return groupsWords
	case t == reflect.TypeFor[Roles]():
		return rolesWords
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "text"
}

// What the keys of openings take.
const (
	numbersWords = "numbers of openings, such as [5, 7]"
	groupsWords  = "lists of numbers of openings, such as [[3, 5], [7, 8]]"
	rolesWords   = "the number and the role of openings, such as {3: inlet, 5: outlet}"
)

// numbers reads [5, 7] or 5.
func (d *caseDecoder) numbers(e entry, node ast.Node) (Numbers, error) {
	value, err := d.value(node)
	if err != nil {
		return nil, err
	}
	items := []ast.Node{node}
	if list, is := value.(*ast.SequenceNode); is {
		items = list.Values
	}
	numbers := make(Numbers, len(items))
	for i, item := range items {
		text, is, _, err := d.scalar(item)
		if err != nil {
			return nil, err
		}
		number, err := quantity.Whole(text)
		switch {
		case errors.Is(err, quantity.ErrFraction), errors.Is(err, quantity.ErrRange):
			return nil, mistake(item, "%s: %s is not the number of an opening, give a whole number", e.name, clipped(text))
		case err != nil || !is:
			return nil, mistake(item, "%s cannot be %s: give %s", e.name, d.words(item), takes(fieldType(e.name)))
		}
		numbers[i] = int(number)
	}
	return numbers, nil
}

// fieldType is the type of a key of a case.
func fieldType(key string) reflect.Type {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Case]()) {
		if field.Tag.Get("yaml") == key {
			return field.Type
		}
	}
	return nil
}

// groups reads [[3, 5], [7, 8]] or [3, 5].
func (d *caseDecoder) groups(e entry) (Groups, error) {
	value, err := d.value(e.value)
	if err != nil {
		return nil, err
	}
	list, is := value.(*ast.SequenceNode)
	if !is {
		return nil, mistake(e.value, "%s cannot be %s: give %s", e.name, d.words(e.value), groupsWords)
	}
	items := list.Values
	if len(items) > 0 {
		if first, err := d.value(items[0]); err != nil {
			return nil, err
		} else if _, nested := first.(*ast.SequenceNode); !nested {
			items = []ast.Node{list}
		}
	}
	var groups Groups
	for _, item := range items {
		group, err := d.numbers(e, item)
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// roles reads {3: inlet, 5: outlet}.
func (d *caseDecoder) roles(e entry) (Roles, error) {
	entries, err := d.entries(e.value)
	if err != nil {
		return nil, err
	}
	if entries == nil {
		return nil, mistake(e.value, "%s cannot be %s: give %s", e.name, d.words(e.value), rolesWords)
	}
	roles := Roles{}
	for _, of := range entries {
		number, err := quantity.Whole(of.name)
		role, _, _, failed := d.scalar(of.value)
		if failed != nil {
			return nil, failed
		}
		if err != nil || role != "inlet" && role != "outlet" {
			return nil, mistake(of.key, "%s: %q cannot be %q, give %s", e.name, clipped(of.name), d.words(of.value), rolesWords)
		}
		if _, twice := roles[int(number)]; twice {
			return nil, mistake(of.key, "%s: opening %d stands there twice: leave one out", e.name, number)
		}
		roles[int(number)] = role
	}
	return roles, nil
}
