package carina

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"carina/internal/quantity"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// caseDecoder fills a case with what a file says. Values are read from their text:
// the YAML library would read 020 as 16, 2.9 as 2 and nothing as the default.
type caseDecoder struct {
	// aliases are what aliases stand for.
	aliases map[*ast.AliasNode]ast.Node
}

// mostValues is how many values a case may hold, those of aliases counted as often
// as they stand there.
const mostValues = longestCase

// count finds out what aliases stand for, which is what the last anchor of the
// name before them holds, and refuses those that make a file of more values than a
// case may hold. Nothing is repeated for it.
func (d *caseDecoder) count(body ast.Node) error {
	anchors := map[string]ast.Node{}
	sizes := map[ast.Node]int{} // of what anchors hold
	var failure error
	var size func(ast.Node) int
	size = func(node ast.Node) int {
		n := 1
		switch node := node.(type) {
		case *ast.AnchorNode:
			n = size(node.Value)
			anchors[node.Name.GetToken().Value], sizes[node.Value] = node.Value, n
		case *ast.AliasNode:
			held, known := anchors[node.Value.GetToken().Value]
			if !known {
				failure = cmp.Or(failure, mistake(node, "there is no anchor &%s before it", node.Value.GetToken().Value))
				return n
			}
			d.aliases[node], n = held, sizes[held]
		case *ast.TagNode:
			n = size(node.Value)
		case *ast.MappingKeyNode:
			n = size(node.Value)
		case *ast.MappingValueNode:
			n = size(node.Key) + size(node.Value)
		case *ast.MappingNode:
			for _, value := range node.Values {
				n += size(value)
			}
		case *ast.SequenceNode:
			for _, value := range node.Values {
				n += size(value)
			}
		}
		if n > mostValues {
			failure = cmp.Or(failure, mistake(node, "with its aliases written out the file holds more than %d values: use fewer aliases", mostValues))
		}
		return min(n, mostValues+1)
	}
	size(body)
	return failure
}

// value is what a node holds behind its anchors, aliases and tags.
func (d *caseDecoder) value(node ast.Node) (ast.Node, error) {
	for {
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.AliasNode:
			node = d.aliases[n]
		case *ast.MappingKeyNode:
			node = n.Value
		case *ast.LiteralNode:
			return n.Value, nil
		case *ast.TagNode:
			if !slices.Contains(knownTags, n.Start.Value) {
				return nil, mistake(n, "the tag %s means nothing here: leave it out", n.Start.Value)
			}
			node = n.Value
		default:
			return node, nil
		}
	}
}

// knownTags may stand before values. What a value is, its key says.
var knownTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map", "!"}

// scalar is the text of a value; it is none of lists and mappings. Nothing, or
// null, is no text.
func (d *caseDecoder) scalar(node ast.Node) (text string, is, empty bool, err error) {
	value, err := d.value(node)
	if err != nil {
		return "", false, false, err
	}
	switch value.(type) {
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		return "", false, false, nil
	case nil, *ast.NullNode:
		return "", true, true, nil
	}
	text = value.GetToken().Value
	return text, true, strings.TrimSpace(text) == "", nil
}

// entry is a key of a mapping with its value.
type entry struct {
	key   ast.Node
	name  string
	value ast.Node
}

// entries are those of a mapping. What it merges comes behind, and gives way to
// what it says itself. It is no mapping where entries are nil.
func (d *caseDecoder) entries(node ast.Node) ([]entry, error) {
	value, err := d.value(node)
	if err != nil {
		return nil, err
	}
	var pairs []*ast.MappingValueNode
	switch value := value.(type) {
	case *ast.MappingNode:
		pairs = value.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{value}
	default:
		return nil, nil
	}
	list := []entry{}
	has := map[string]bool{}
	var merged []entry
	for _, pair := range pairs {
		key, _, _, err := d.scalar(pair.Key)
		if err != nil {
			return nil, err
		}
		if pair.Key.Type() == ast.MergeKeyType {
			more, err := d.merged(pair.Value)
			if err != nil {
				return nil, err
			}
			merged = append(merged, more...)
			continue
		}
		if has[key] {
			return nil, mistake(pair.Key, "%s stands there twice: leave one out", key)
		}
		has[key] = true
		list = append(list, entry{pair.Key, key, pair.Value})
	}
	for _, e := range merged {
		if !has[e.name] {
			has[e.name] = true
			list = append(list, e)
		}
	}
	return list, nil
}

// merged are the entries that << brings: of a mapping, or of a list of them.
func (d *caseDecoder) merged(node ast.Node) ([]entry, error) {
	value, err := d.value(node)
	if err != nil {
		return nil, err
	}
	parts := []ast.Node{value}
	if list, is := value.(*ast.SequenceNode); is {
		parts = list.Values
	}
	var all []entry
	for _, part := range parts {
		entries, err := d.entries(part)
		if err == nil && entries == nil {
			err = mistake(node, "<< cannot be %s: give a mapping, such as an alias of one", d.words(part))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	return all, nil
}

// mapping fills a struct with the entries of a mapping; within names what it
// stands in, empty at the top.
func (d *caseDecoder) mapping(node ast.Node, within string, into reflect.Value) error {
	entries, err := d.entries(node)
	switch {
	case err != nil:
		return err
	case entries == nil && within == "":
		return errors.New("it has no keys: write lines such as surface: airway.stl")
	case entries == nil:
		return mistake(node, "%s cannot be %s: give a mapping, such as {name: left}", within, d.words(node))
	}
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(into.Type()) {
		fields[field.Tag.Get("yaml")] = field
	}
	delete(fields, "")
	for _, e := range entries {
		field, known := fields[e.name]
		if !known {
			return unknownKey(e, within, into.Type())
		}
		if err := d.fill(e, field, into.FieldByIndex(field.Index)); err != nil {
			return err
		}
	}
	return nil
}

// fill sets a field to the value of an entry.
func (d *caseDecoder) fill(e entry, field reflect.StructField, into reflect.Value) error {
	if _, _, empty, err := d.scalar(e.value); err != nil {
		return err
	} else if empty {
		return mistake(e.value, "%s is empty: give %s, or leave it out for the default", e.name, takes(into.Type()))
	}
	var err error
	switch into := into.Addr().Interface().(type) {
	case *Numbers:
		*into, err = d.numbers(e, e.value)
	case *Groups:
		*into, err = d.groups(e)
	case *Roles:
		*into, err = d.roles(e)
	default:
		err = d.set(e, e.value, reflect.ValueOf(into).Elem())
	}
	if err != nil || field.Tag.Get("zero") != refused {
		return err
	}
	switch {
	case into.Kind() == reflect.Slice && into.Len() == 0:
		return mistake(e.value, "%s is empty: give %s, or leave it out for the default", e.name, takes(into.Type()))
	case into.IsZero():
		return mistake(e.value, "%s is 0, which cannot be meant: give a number above zero, or leave it out for the default", e.name)
	}
	return nil
}

// refused is the tag of fields whose zero would stand for the default.
const refused = "refused"

// RefusesZero tells whether a key of a case cannot be zero, which would stand for
// the default.
func RefusesZero(key string) bool {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Case]()) {
		if field.Tag.Get("yaml") == key {
			return field.Tag.Get("zero") == refused
		}
	}
	return false
}

// set reads one value, or a list of them.
func (d *caseDecoder) set(e entry, node ast.Node, into reflect.Value) error {
	if into.Kind() == reflect.Struct {
		return d.mapping(node, e.name, into)
	}
	if into.Kind() == reflect.Slice {
		value, err := d.value(node)
		if err != nil {
			return err
		}
		list, is := value.(*ast.SequenceNode)
		if !is {
			return mistake(node, "%s cannot be %s: give a list", e.name, d.words(node))
		}
		into.Set(reflect.MakeSlice(into.Type(), len(list.Values), len(list.Values)))
		for i, item := range list.Values {
			if err := d.set(e, item, into.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	text, is, empty, err := d.scalar(node)
	if err != nil {
		return err
	}
	if !is || empty {
		return mistake(node, "%s cannot be %s: give %s", e.name, d.words(node), takes(into.Type()))
	}
	return setScalar(e.name, node, text, into)
}

// setScalar reads a value from its text.
func setScalar(key string, node ast.Node, text string, into reflect.Value) error {
	var err error
	switch {
	case into.Type() == reflect.TypeFor[time.Duration]():
		var duration time.Duration
		if duration, err = quantity.Duration(text); err != nil {
			return mistake(node, "%s: invalid duration %q: give a time such as 30s", key, text)
		}
		into.SetInt(int64(duration))
	case into.Kind() == reflect.String:
		into.SetString(text)
	case into.Kind() == reflect.Bool:
		plain := strings.ToLower(strings.TrimSpace(text))
		if plain != "true" && plain != "false" {
			err = errors.ErrUnsupported
		}
		into.SetBool(plain == "true")
	case into.Kind() == reflect.Float64:
		var number float64
		number, err = quantity.Number(text)
		into.SetFloat(number)
	case into.CanUint():
		var number uint64
		number, err = quantity.Unsigned(text)
		into.SetUint(number)
	default:
		var number int64
		number, err = quantity.Whole(text)
		into.SetInt(number)
	}
	switch {
	case errors.Is(err, quantity.ErrFraction):
		return mistake(node, "%s is %s, give %s", key, clipped(text), takes(into.Type()))
	case errors.Is(err, quantity.ErrRange) && into.CanUint():
		return mistake(node, "%s is %s, give a whole number from 0 to %d", key, clipped(text), ^uint64(0))
	case errors.Is(err, quantity.ErrRange):
		return mistake(node, "%s is %s, which is out of range: give %s that is nearer to 0", key, clipped(text), takes(into.Type()))
	case err != nil:
		return mistake(node, "%s cannot be %s: give %s", key, clipped(text), takes(into.Type()))
	}
	return nil
}

// mistake says what is wrong with a node, and where it stands.
func mistake(node ast.Node, format string, arguments ...any) error {
	at := firstToken(node)
	if at == nil {
		return fmt.Errorf(format, arguments...)
	}
	return fmt.Errorf("line %d: %s (column %d)", at.Position.Line, fmt.Sprintf(format, arguments...), at.Position.Column)
}

// firstToken is where a node begins.
func firstToken(node ast.Node) *token.Token {
	switch n := node.(type) {
	case *ast.MappingValueNode:
		return firstToken(n.Key)
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return firstToken(n.Values[0])
		}
	case nil:
		return nil
	}
	return node.GetToken()
}
