package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"carina"

	"github.com/spf13/pflag"
)

// wholeList reads a list of whole numbers; a flag that is repeated adds to it.
type wholeList []int

var _ listFlag = (*wholeList)(nil)

// String is the list as written.
func (l *wholeList) String() string {
	words := make([]string, len(*l))
	for i, n := range *l {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// Set adds numbers that commas part.
func (l *wholeList) Set(text string) error {
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return fmt.Errorf("%q in %q is not the number of an opening: write such as 3,5", word, text)
		}
		*l = append(*l, n)
	}
	return nil
}

// Type is the name of the value in help texts.
func (l *wholeList) Type() string { return "numbers" }

func (l *wholeList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*wholeList)) }

// groupList reads --merge-openings flags.
type groupList carina.Groups

var _ listFlag = (*groupList)(nil)

// String is the list as written.
func (l *groupList) String() string {
	var words []string
	for _, group := range *l {
		words = append(words, (*wholeList)(&group).String())
	}
	return strings.Join(words, " ")
}

// Set adds a group.
func (l *groupList) Set(text string) error {
	var group wholeList
	err := group.Set(text)
	*l = append(*l, group)
	return err
}

// Type is the name of the value in help texts.
func (l *groupList) Type() string { return "numbers" }

func (l *groupList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*groupList)) }

// roleMap reads --role flags.
type roleMap map[int]string

var _ listFlag = (*roleMap)(nil)

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

// copyOf gives the openings that the other names its roles; those of others
// stay.
func (m *roleMap) copyOf(other pflag.Value) {
	given := maps.Clone(*m)
	if given == nil {
		given = roleMap{}
	}
	maps.Copy(given, *other.(*roleMap))
	*m = given
}
