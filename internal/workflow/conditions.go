package workflow

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
)

// inspiration is the part of a quiet breath that is inspiration, about one to
// two (West, Respiratory Physiology).
const inspiration = 1. / 3

// parseWaveform reads a factor over time: sine:PERIOD, breathing:PERIOD, or
// the path of a CSV file of times in seconds and factors, which repeats when
// periodic: stands before it. A path in a case file is relative to that file.
func (c *Case) parseWaveform(text string) (solver.Waveform, error) {
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
		if kind == "sine" {
			return solver.Sine{Period: period, Amplitude: 1}, nil
		}
		return solver.Breathing{Period: period, Inspiration: inspiration}, nil
	}
	path, periodic := strings.CutPrefix(text, "periodic:")
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.folder, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the waveform %q is neither sine:PERIOD nor breathing:PERIOD nor a CSV file: %w", text, err)
	}
	defer file.Close()
	table, err := solver.ReadTable(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	table.Periodic = periodic
	return table, nil
}

// conditions translates what the case says of single openings.
func (c *Case) conditions(g *geometry.Grid) (map[int]solver.Condition, error) {
	if len(c.Conditions) == 0 {
		return nil, nil
	}
	conditions := make(map[int]solver.Condition, len(c.Conditions))
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
	}
	return conditions, nil
}

func (c *Case) condition(written *ConditionCase) (solver.Condition, error) {
	condition := solver.Condition{
		Kind: solver.ConditionKind(written.Kind), Profile: solver.Profile(written.Profile), Share: written.Share,
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
	condition.Waveform, err = c.parseWaveform(written.Waveform)
	return condition, err
}

// openingNumber finds an opening by its name or number.
func openingNumber(g *geometry.Grid, text string) (int, error) {
	names := make([]string, len(g.Openings))
	for i, o := range g.Openings {
		if o.Name == text || strconv.Itoa(o.Number) == text {
			return o.Number, nil
		}
		names[i] = o.Name
	}
	return 0, fmt.Errorf("there is no opening %q: the openings are %s", text, strings.Join(names, ", "))
}
