package carina

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"carina/internal/spelling"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// place is how the library says where something stands.
var place = regexp.MustCompile(`^\[(\d+):\d+\] `)

// caseMistake says what is wrong in a case file, where, and what belongs there.
func caseMistake(data []byte, err error) string {
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		return unknownKey(data, unknown.Token)
	}
	var mismatch *yaml.TypeError
	if errors.As(err, &mismatch) && keyBefore(mismatch.Token) != "" {
		return wrongValue(mismatch.Token, typeWords(mismatch.DstType))
	}
	var form *yaml.UnexpectedNodeTypeError
	if errors.As(err, &form) && keyBefore(form.Token) != "" && formWords[form.Expected] != "" {
		return wrongValue(form.Token, formWords[form.Expected])
	}
	if duration, is := strings.CutPrefix(err.Error(), "time: "); is {
		// The library does not say where; one key is a duration.
		return "time-limit: " + duration + ": give a time such as 30s"
	}
	return place.ReplaceAllString(yaml.FormatError(err, false, false), "line $1: ")
}

// lists are the keys of a case whose values are lists of mappings.
var lists = map[string]reflect.Type{"openings": reflect.TypeFor[OpeningCase](), "conditions": reflect.TypeFor[ConditionCase]()}

// unknownKey names a key that is none of a case's, and the nearest that is.
func unknownKey(data []byte, key *token.Token) string {
	of, within := reflect.TypeFor[Case](), ""
	if list := listAround(data, key); list != "" {
		of, within = lists[list], " in "+list
	}
	keys := keysOf(of)
	advice := "the keys are " + strings.Join(keys, ", ")
	if nearest := spelling.Nearest(key.Value, keys); nearest != "" {
		advice = "did you mean " + nearest + "?"
	} else if within == "" {
		advice = "docs/case-file.md lists those there are"
	}
	return fmt.Sprintf("line %d: there is no key %s%s: %s", key.Position.Line, key.Value, within, advice)
}

// listAround is the list of mappings that a key stands in, empty at the top.
func listAround(data []byte, key *token.Token) string {
	file, err := parser.ParseBytes(data, 0)
	if err != nil || len(file.Docs) == 0 {
		return ""
	}
	top, ok := file.Docs[0].Body.(ast.MapNode)
	if !ok {
		return ""
	}
	around := ""
	for i := top.MapRange(); i.Next(); {
		switch at := i.Key().GetToken().Position.Offset; {
		case at == key.Position.Offset:
			return ""
		case at < key.Position.Offset:
			around = i.Key().String()
		}
	}
	if lists[around] == nil {
		return ""
	}
	return around
}

// keysOf are the keys of a mapping in a case file, in the order of its fields.
func keysOf(of reflect.Type) []string {
	var keys []string
	for i := range of.NumField() {
		if key := of.Field(i).Tag.Get("yaml"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// wrongValue says that a value is not what its key takes.
func wrongValue(value *token.Token, give string) string {
	return fmt.Sprintf("line %d: %s cannot be %s: give %s", value.Position.Line, keyBefore(value), value.Value, give)
}

// keyBefore is the key that a value belongs to, empty where none stands before
// it.
func keyBefore(value *token.Token) string {
	for t := value.Prev; t != nil; t = t.Prev {
		if t.Type == token.MappingValueType && t.Prev != nil {
			return t.Prev.Value
		}
	}
	return ""
}

// formWords says what a key takes, by the form that the library expects.
var formWords = map[ast.NodeType]string{ast.SequenceType: "a list", ast.MappingType: "a mapping, such as {name: left}"}

// typeWords says what a key takes.
func typeWords(t reflect.Type) string {
	whole := []reflect.Kind{reflect.Int, reflect.Int64, reflect.Uint64}
	switch {
	case slices.Contains(whole, t.Kind()):
		return "a whole number"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Bool:
		return "true or false"
	}
	return "text"
}
