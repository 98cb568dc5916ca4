package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"carina/internal/workflow"
)

// openingList reads --opening flags.
type openingList []workflow.OpeningCase

// String is the list as written.
func (l *openingList) String() string {
	var words []string
	for _, o := range *l {
		words = append(words, fmt.Sprintf("%g,%g,%g,%s,%s", o.Center[0], o.Center[1], o.Center[2], o.Radius, o.Name))
	}
	return strings.Join(words, " ")
}

// Set adds one opening.
func (l *openingList) Set(text string) error {
	fields := strings.SplitN(text, ",", 5)
	if len(fields) != 5 || fields[4] == "" {
		return fmt.Errorf("%q is not x,y,z,radius,name, such as 12.5,3,-80,9mm,trachea", text)
	}
	o := workflow.OpeningCase{Center: make([]float64, 3)}
	for axis := range o.Center {
		var err error
		if o.Center[axis], err = strconv.ParseFloat(strings.TrimSpace(fields[axis]), 64); err != nil {
			return fmt.Errorf("%q in %q is not a coordinate", fields[axis], text)
		}
	}
	o.Radius, o.Name = strings.TrimSpace(fields[3]), strings.TrimSpace(fields[4])
	*l = append(*l, o)
	return nil
}

// Type is the name of the value in help texts.
func (l *openingList) Type() string { return "x,y,z,radius,name" }

// groupList reads --merge-openings flags.
type groupList workflow.Groups

// String is the list as written.
func (l *groupList) String() string {
	var words []string
	for _, group := range *l {
		var numbers []string
		for _, n := range group {
			numbers = append(numbers, strconv.Itoa(n))
		}
		words = append(words, strings.Join(numbers, ","))
	}
	return strings.Join(words, " ")
}

// Set adds groups, which spaces part.
func (l *groupList) Set(text string) error {
	for _, group := range strings.Fields(text) {
		var numbers []int
		for _, word := range strings.Split(group, ",") {
			n, err := strconv.Atoi(word)
			if err != nil {
				return fmt.Errorf("%q in %q is not the number of an opening: write such as 3,5", word, text)
			}
			numbers = append(numbers, n)
		}
		*l = append(*l, numbers)
	}
	return nil
}

// Type is the name of the value in help texts.
func (l *groupList) Type() string { return "numbers" }

// roleMap reads --role flags.
type roleMap map[int]string

// String is the roles as written.
func (m *roleMap) String() string {
	var words []string
	for _, n := range slices.Sorted(maps.Keys(*m)) {
		words = append(words, fmt.Sprintf("%d=%s", n, (*m)[n]))
	}
	return strings.Join(words, ",")
}

// Set adds roles, which commas part.
func (m *roleMap) Set(text string) error {
	for _, word := range strings.Split(text, ",") {
		number, role, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if role = strings.TrimSpace(role); err != nil || role != "inlet" && role != "outlet" {
			return fmt.Errorf("%q is not the role of an opening: write such as 3=inlet or 3=outlet", word)
		}
		if *m == nil {
			*m = roleMap{}
		}
		(*m)[n] = role
	}
	return nil
}

// Type is the name of the value in help texts.
func (m *roleMap) Type() string { return "number=role" }
