package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"carina"
	"carina/internal/quantity"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// listFlag is a flag with several values, which its text may not hold exactly.
type listFlag interface {
	pflag.Value
	// copyOf replaces the values by those of another flag of the same type.
	copyOf(pflag.Value)
}

// replay sets every flag of target to what was given for the same flag of
// source.
func replay(source, target *cobra.Command) error {
	var failure error
	source.Flags().Visit(func(given *pflag.Flag) {
		f := target.Flags().Lookup(given.Name)
		if f == nil || failure != nil {
			return
		}
		if list, ok := f.Value.(listFlag); ok {
			list.copyOf(given.Value)
			return
		}
		failure = target.Flags().Set(given.Name, given.Value.String())
	})
	return failure
}

// openingList reads --opening flags.
type openingList []carina.OpeningCase

var _ listFlag = (*openingList)(nil)

// String is the list as written.
func (l *openingList) String() string {
	var words []string
	for _, o := range *l {
		// A case file may have any number of coordinates.
		fields := make([]string, len(o.Center), len(o.Center)+2)
		for axis, x := range o.Center {
			fields[axis] = fmt.Sprintf("%g", x)
		}
		words = append(words, strings.Join(append(fields, o.Radius, o.Name), ","))
	}
	return strings.Join(words, " ")
}

// Set adds one opening.
func (l *openingList) Set(text string) error {
	fields := strings.SplitN(text, ",", 5)
	if len(fields) != 5 || fields[4] == "" {
		return fmt.Errorf("%q is not x,y,z,radius,name, such as 12.5,3,-80,9mm,trachea", text)
	}
	o := carina.OpeningCase{Center: make([]float64, 3)}
	for axis := range o.Center {
		var err error
		if o.Center[axis], err = quantity.Number(fields[axis]); err != nil {
			return fmt.Errorf("%q in %q is not a coordinate", fields[axis], text)
		}
	}
	o.Radius, o.Name = strings.TrimSpace(fields[3]), strings.TrimSpace(fields[4])
	*l = append(*l, o)
	return nil
}

// Type is the name of the value in help texts.
func (l *openingList) Type() string { return "x,y,z,radius,name" }

func (l *openingList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*openingList)) }

// lobeList reads --lobe flags.
type lobeList []carina.LobeCase

var _ listFlag = (*lobeList)(nil)

// String is the list as written.
func (l *lobeList) String() string {
	var words []string
	for _, lobe := range *l {
		of := strings.Join(lobe.Openings, ",")
		if lobe.Branch != 0 {
			of = branchPrefix + strconv.Itoa(lobe.Branch)
		}
		words = append(words, lobe.Name+"="+of)
	}
	return strings.Join(words, " ")
}

// branchPrefix stands before the number of a branch.
const branchPrefix = "branch:"

// Set adds one lobe.
func (l *lobeList) Set(text string) error {
	name, of, _ := strings.Cut(text, "=")
	lobe := carina.LobeCase{Name: strings.TrimSpace(name)}
	number, subtree := strings.CutPrefix(strings.TrimSpace(of), branchPrefix)
	var err error
	if subtree {
		lobe.Branch, err = strconv.Atoi(number)
	} else {
		for _, word := range strings.Split(of, ",") {
			if word = strings.TrimSpace(word); word == "" {
				err = strconv.ErrSyntax
			}
			lobe.Openings = append(lobe.Openings, word)
		}
	}
	if err != nil || lobe.Name == "" || subtree && lobe.Branch < 1 {
		return fmt.Errorf("%q is not a lobe: write such as left=3,5 with openings, or left=branch:4", text)
	}
	*l = append(*l, lobe)
	return nil
}

// Type is the name of the value in help texts.
func (l *lobeList) Type() string { return "name=openings" }

func (l *lobeList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*lobeList)) }

// probeList reads --probe flags.
type probeList []carina.ProbeCase

var _ listFlag = (*probeList)(nil)

// String is the list as written.
func (l *probeList) String() string {
	var words []string
	for _, p := range *l {
		var fields []string
		for _, x := range append(slices.Clone(p.Center), p.Normal...) {
			fields = append(fields, fmt.Sprintf("%g", x))
		}
		if p.Radius != "" {
			fields = append(fields, p.Radius)
		}
		words = append(words, strings.Join(append(fields, p.Name), ","))
	}
	return strings.Join(words, " ")
}

// Set adds one probe.
func (l *probeList) Set(text string) error {
	wrong := fmt.Errorf("%q is neither x,y,z,name nor x,y,z,nx,ny,nz,radius,name, such as 12.5,3,-80,throat or 12.5,3,-80,0,0,1,9mm,throat", text)
	fields := strings.Split(text, ",")
	var p carina.ProbeCase
	const point, section = 4, 8
	if len(fields) != point && len(fields) != section {
		return wrong
	}
	numbers := fields[:3]
	if p.Name = strings.TrimSpace(fields[len(fields)-1]); len(fields) == section {
		numbers, p.Radius = fields[:6], strings.TrimSpace(fields[6])
	}
	list, err := parseNumbers(numbers)
	if err != nil || p.Name == "" {
		return wrong
	}
	if p.Center = list[:3:3]; len(list) > 3 {
		p.Normal = list[3:]
	}
	*l = append(*l, p)
	return nil
}

// Type is the name of the value in help texts.
func (l *probeList) Type() string { return "x,y,z,name" }

func (l *probeList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*probeList)) }

// numberList reads a list of numbers; a flag that is repeated adds to it.
type numberList []float64

var _ listFlag = (*numberList)(nil)

// String is the list as written.
func (l *numberList) String() string {
	words := make([]string, len(*l))
	for i, x := range *l {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

// Set adds numbers that commas part.
func (l *numberList) Set(text string) error {
	numbers, err := parseNumbers(strings.Split(text, ","))
	*l = append(*l, numbers...)
	return err
}

// Type is the name of the value in help texts.
func (l *numberList) Type() string { return "numbers" }

func (l *numberList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*numberList)) }
