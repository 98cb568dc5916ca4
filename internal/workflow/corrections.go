package workflow

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

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
