package report

import (
	"fmt"
	"slices"

	"carina/internal/quantity"
)

func (s *summary) trust() section {
	one := section{Title: "How far it can be trusted"}
	one.Words = append(one.Words, s.steadyWords(), fmt.Sprintf("Inflow and outflow differ by %s. The Mach number on the lattice was %.3g.", quantity.FormatPart(s.MassBalance, 3), s.Mach))
	if v, ok := s.Resolution["cells_across"].(float64); ok {
		one.Words = append(one.Words, fmt.Sprintf("The narrowest opening has %.1f cells across.", v))
	}
	if words := excessWords(s.of.Excess); words != "" {
		one.Words = append(one.Words, words)
	}
	if words := s.narrowWords(); words != "" {
		one.Words = append(one.Words, words)
	}
	if a := s.Statistics; a != nil {
		words := fmt.Sprintf("Statistics are of %s from %s on", quantity.Count(a.Samples, "sample"), quantity.Format(a.From, "s"))
		if a.Phases > 1 {
			words += fmt.Sprintf(", in %d phases of the period", a.Phases)
		}
		one.Words = append(one.Words, words+": statistics.pvtu.")
	}
	one.Words = append(one.Words, s.refinementWords()...)
	one.Table = s.knownTable()
	if s.Refinement != nil {
		one.Further = s.Refinement.tables()
	}
	return one
}

// excessWords say by how much the pressure drop is too high; empty where that is not known
// or hardly anything.
func excessWords(excess *Excess) string {
	const least = 0.01
	if excess == nil || excess.Most < least {
		return ""
	}
	return fmt.Sprintf("For what the cells do not resolve the pressure drop is likely to be %v.", *excess)
}

// String says by how much, such as "some 25 % too high".
func (e Excess) String() string {
	const slight, twice = 0.03, 1
	if e.Least >= twice {
		return "more than twice that on finer cells"
	}
	least, most := quantity.FormatPart(e.Least, 2), quantity.FormatPart(e.Most, 2)
	words := "some " + least + " too high"
	if e.Rough {
		words = "at least " + least + " too high"
	}
	switch {
	case least == most:
		return words
	case e.Most >= twice:
		return words + ", perhaps more than twice that on finer cells"
	case e.Least < slight:
		return "up to " + most + " too high"
	}
	return words + ", perhaps " + most
}

// steadyWords say whether the flow was steady, or its cycles alike.
func (s *summary) steadyWords() string {
	changing := s.of.Changing
	switch {
	case s.Steady == nil && changing && s.VelocityChange == nil:
		return "A waveform keeps the flow changing."
	case s.Steady == nil:
		return "Whether the flow was steady is not known after so few steps."
	case !*s.Steady && changing:
		return "The cycles of the flow were not alike at the end."
	case !*s.Steady:
		return "The flow was not steady at the end."
	case changing:
		return "The cycles of the flow were alike: their pressure drop and shares are known within the tolerance."
	case slices.ContainsFunc(s.Known, func(k knownValue) bool { return k.How == "mean" }):
		return "The flow fluctuated about its means: their pressure drop and shares are known within the tolerance."
	case s.VelocityChange != nil:
		return "The flow was steady: its velocity did not change any more."
	}
	return "The flow was steady: its pressure drop and shares are known within the tolerance."
}

// narrowWords say how many branches are narrow; empty where none is.
func (s *summary) narrowWords() string {
	const few = 8
	narrow := 0
	for _, b := range s.Branches {
		if b.CellsAcross < few {
			narrow++
		}
	}
	verb, their := "have", "their"
	if narrow == 1 {
		verb, their = "has", "its"
	}
	switch {
	case narrow == 0:
		return ""
	case len(s.Branches) == 1:
		return fmt.Sprintf("The branch has fewer than %d cells across: its pressure drop and wall shear are rough.", few)
	}
	return fmt.Sprintf("%d of %d branches %s fewer than %d cells across: %s pressure drop and wall shear are rough.", narrow, len(s.Branches), verb, few, their)
}

// knownTable is what is known of the pressure drop, the inflow and the shares; nil where
// nothing is.
func (s *summary) knownTable() *table {
	if len(s.Known) == 0 {
		return nil
	}
	t := &table{Heading: []string{"known", "value", "error", "how"}}
	for _, k := range s.Known {
		name, value := k.Name, func(v float64) string { return quantity.FormatFrom(s.least(), v, "Pa") }
		switch {
		case k.Opening > 0:
			name, value = fmt.Sprintf("%s of opening %d", k.Name, k.Opening), func(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }
		case k.Name == "inflow":
			value = quantity.FormatFlow
		}
		t.Rows = append(t.Rows, []string{name, value(k.Value), value(k.Error), k.How})
	}
	return t
}
