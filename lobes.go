package carina

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"

	"carina/geometry"
	"carina/solver/airflow/answers"
)

// checkLobes finds the mistakes in lobes that can be found without the airway.
func (c *ResultsCase) checkLobes() error {
	names := map[string]bool{}
	for _, l := range c.Lobes {
		switch {
		case l.Name == "":
			return errors.New("a lobe has no name: write such as {name: left lower, openings: [3, 5]}")
		case names[l.Name]:
			return fmt.Errorf("two lobes are called %s: give each its own name", l.Name)
		case l.Branch < 0:
			return fmt.Errorf("lobe %s: there is no branch %d: carina inspect --branches numbers them", l.Name, l.Branch)
		case (len(l.Openings) > 0) == (l.Branch > 0):
			return fmt.Errorf("lobe %s: give either the openings that belong to it or the branch that leads to them", l.Name)
		}
		names[l.Name] = true
	}
	return nil
}

// lobesOf are those of the case in the airway of a grid.
func (c *ResultsCase) lobesOf(g *geometry.Grid) ([]answers.Lobe, error) {
	var lobes []answers.Lobe
	of := map[int]string{}
	for _, written := range c.Lobes {
		l := answers.Lobe{Name: written.Name, Branch: written.Branch}
		for _, text := range written.Openings {
			numbers, err := openingNumbers(g, text)
			if err != nil {
				return nil, fmt.Errorf("lobe %s: %w", l.Name, err)
			}
			for _, n := range numbers {
				if other, twice := of[n]; twice && other != l.Name {
					return nil, fmt.Errorf("opening %d belongs to the lobes %s and %s: leave it out of one", n, other, l.Name)
				}
				if of[n] = l.Name; !slices.Contains(l.Openings, n) {
					l.Openings = append(l.Openings, n)
				}
			}
		}
		lobes = append(lobes, l)
	}
	return lobes, nil
}

// openingNumbers are those of the openings of a number or name, in which * stands for
// anything.
func openingNumbers(g *geometry.Grid, text string) ([]int, error) {
	var numbers []int
	for _, o := range g.Openings {
		if o.Name == text || strconv.Itoa(o.Number) == text {
			// Another one may match, too.
			n, err := openingNumber(g, text)
			return []int{n}, err
		}
		if matches, err := path.Match(text, o.Name); err == nil && matches {
			numbers = append(numbers, o.Number)
		}
	}
	if len(numbers) == 0 {
		_, err := openingNumber(g, text)
		return nil, err
	}
	return numbers, nil
}
