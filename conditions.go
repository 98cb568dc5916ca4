package carina

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/solver/airflow/opening"
)

// inspiration is the part of a quiet breath that is inspiration, about one to
// two (West, Respiratory Physiology).
const inspiration = 1. / 3

// parseWaveform reads a factor over time: sine:PERIOD, breathing:PERIOD, or
// the path of a CSV file of times in seconds and factors, which repeats when
// periodic: stands before it. A path in a case file is relative to that file.
func (c *Case) parseWaveform(text string) (opening.Waveform, error) {
	if text == "" {
		return nil, nil
	}
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "sine", "breathing":
		period, err := quantity.Time.ParsePositive(rest)
		if err != nil {
			return nil, fmt.Errorf("waveform %q: %w", text, err)
		}
		const shortest, longest = 1e-6, 1e6 // seconds
		if period < shortest || period > longest {
			return nil, fmt.Errorf("the waveform %q cannot be meant: give a period from 1us to 1e6s", text)
		}
		if kind == "sine" {
			return opening.Sine{Period: period, Amplitude: 1}, nil
		}
		return opening.Breathing{Period: period, Inspiration: inspiration}, nil
	}
	path, periodic := c.table(text)
	file, err := machine.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the waveform %q is neither sine:PERIOD nor breathing:PERIOD nor a CSV file: %w", text, err)
	}
	defer file.Close()
	limited := &io.LimitedReader{R: file, N: longestTable}
	table, err := opening.ReadTable(limited)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case limited.N == 0:
		return nil, fmt.Errorf("%s: the waveform is longer than %s: give fewer rows, between which the factor follows straight lines", path, quantity.FormatBytes(longestTable))
	case periodic && len(table.Times) == 1:
		return nil, fmt.Errorf("%s: the waveform has one row, which cannot repeat: give a period's rows, or leave periodic: out", path)
	}
	table.Periodic = periodic
	return table, nil
}

// longestTable is how much of a waveform's file is read, some two million rows.
const longestTable = 64 << 20

// table is the CSV file of a waveform, and whether it repeats.
func (c *Case) table(waveform string) (path string, periodic bool) {
	path, periodic = strings.CutPrefix(waveform, "periodic:")
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.folder, path)
	}
	return path, periodic
}

// Files are those that the case names, and that of the case itself. Some may not
// exist.
func (c *Case) Files() []string {
	var files []string
	waveforms := []string{c.Waveform}
	for _, condition := range c.Conditions {
		waveforms = append(waveforms, condition.Waveform)
	}
	for _, waveform := range waveforms {
		if waveform != "" {
			path, _ := c.table(waveform)
			files = append(files, path)
		}
	}
	for _, path := range []string{c.Surface, c.Machine, c.file} {
		if path != "" {
			files = append(files, path)
		}
	}
	return files
}

// conditions translates what the case says of single openings.
func (c *Case) conditions(g *geometry.Grid) (map[int]opening.Condition, error) {
	if len(c.Conditions) == 0 {
		return nil, nil
	}
	conditions := make(map[int]opening.Condition, len(c.Conditions))
	for _, written := range c.Conditions {
		number, err := openingNumber(g, written.Opening)
		if err != nil {
			return nil, err
		}
		if _, twice := conditions[number]; twice {
			return nil, fmt.Errorf("opening %s has two conditions: leave one out", written.Opening)
		}
		if conditions[number], err = c.condition(&written); err != nil {
			return nil, fmt.Errorf("condition of opening %s: %w", written.Opening, err)
		}
		isInlet := func(o geometry.Opening) bool { return o.Number == number && o.Role == geometry.Inlet }
		if conditions[number].Kind == opening.FlowShare && slices.ContainsFunc(g.Openings, isInlet) {
			return nil, fmt.Errorf("opening %s is an inlet, and a share is what leaves through an outlet of all that enters: leave the condition out, or let another opening be the inlet", written.Opening)
		}
	}
	return conditions, nil
}

// meanings are the keys of a condition that mean something for each kind: at
// least one of needs must be there, if there are any.
var meanings = map[opening.Kind]struct{ needs, may []string }{
	opening.ImposedFlow:     {[]string{"flow"}, []string{"profile", "waveform"}},
	opening.ImposedPressure: {[]string{"pressure"}, []string{"waveform"}},
	opening.FlowShare:       {[]string{"share"}, nil},
	opening.MovingWall:      {nil, nil},
	opening.Windkessel:      {[]string{"proximal-resistance", "distal-resistance", "compliance"}, []string{"pressure"}},
}

// checkKeys refuses keys that mean nothing for the kind of a condition, and a
// condition without any that it needs.
func (written *ConditionCase) checkKeys() error {
	meaning, known := meanings[opening.Kind(written.Kind)]
	if !known {
		return fmt.Errorf("there is no kind of condition %q: choose one of %s", written.Kind, quantity.Either(opening.Kinds))
	}
	enough := len(meaning.needs) == 0
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"flow", written.Flow != ""}, {"profile", written.Profile != ""}, {"pressure", written.Pressure != ""}, {"share", written.Share != 0},
		{"proximal-resistance", written.ProximalResistance != ""}, {"distal-resistance", written.DistalResistance != ""},
		{"compliance", written.Compliance != ""}, {"waveform", written.Waveform != ""},
	} {
		if !key.given {
			continue
		}
		needed := slices.Contains(meaning.needs, key.name)
		if !needed && !slices.Contains(meaning.may, key.name) {
			return fmt.Errorf("%s means nothing for the kind %s: leave it out", key.name, written.Kind)
		}
		enough = enough || needed
	}
	if !enough {
		return fmt.Errorf("the kind %s needs %s", written.Kind, strings.Join(meaning.needs, " or "))
	}
	return nil
}

func (c *Case) condition(written *ConditionCase) (opening.Condition, error) {
	condition := opening.Condition{
		Kind: opening.Kind(written.Kind), Profile: opening.Profile(written.Profile), Share: written.Share,
	}
	for _, q := range []struct {
		text  string
		kind  quantity.Kind
		value *float64
	}{
		{written.Flow, quantity.Flow, &condition.Flow},
		{written.Pressure, quantity.Pressure, &condition.Pressure},
		{written.ProximalResistance, quantity.Resistance, &condition.ProximalResistance},
		{written.DistalResistance, quantity.Resistance, &condition.DistalResistance},
		{written.Compliance, quantity.Compliance, &condition.Compliance},
	} {
		if q.text == "" {
			continue
		}
		var err error
		if *q.value, err = q.kind.Parse(q.text); err != nil {
			return condition, err
		}
	}
	var err error
	if condition.Waveform, err = c.parseWaveform(written.Waveform); err != nil {
		return condition, err
	}
	return condition, written.checkKeys()
}

// openingNumber finds an opening by its name or number, which must be that of
// one opening only.
func openingNumber(g *geometry.Grid, text string) (int, error) {
	var found []string
	number := 0
	names := make([]string, len(g.Openings))
	for i, o := range g.Openings {
		if o.Name == text || strconv.Itoa(o.Number) == text {
			number, found = o.Number, append(found, fmt.Sprintf("%d (%s)", o.Number, o.Name))
		}
		names[i] = o.Name
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("there is no opening %q: the openings are %s", text, strings.Join(names, ", "))
	case 1:
		return number, nil
	}
	return 0, fmt.Errorf("the name %q may mean the openings %s: give the number of one, or names of their own", text, strings.Join(found, " and "))
}
