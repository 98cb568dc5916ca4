package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pageOf is the page of a summary that is encoded with some keys besides.
func pageOf(t *testing.T, of Of, keys map[string]any) string {
	t.Helper()
	whole := map[string]any{}
	if err := json.Unmarshal([]byte(encoded), &whole); err != nil {
		t.Fatal(err)
	}
	for key, value := range keys {
		if whole[key] = value; value == nil {
			delete(whole, key)
		}
	}
	data, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := Write(path, of, data, nil); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("\u2009", " ", "\u00a0", " ", "\u202f", " ").Replace(string(page))
}

// A refinement stands on the page: its levels, what they tend to and how that was found,
// and which spacings do not count.
func TestRefinementIsOnThePage(t *testing.T) {
	levels := []map[string]any{
		{"spacing_m": 1e-3, "fluid_cells": 54321, "steps": 700, "inflow_m3_per_s": 2.5e-4, "pressure_drop_pa": 3.1},
		{"spacing_m": 1.4e-3, "fluid_cells": 19876, "steps": 500, "inflow_m3_per_s": 2.5e-4, "pressure_drop_pa": 3.2},
	}
	keys := map[string]any{"refinement": map[string]any{
		"levels": levels, "notes": []string{"opening 3 meets no cell at 2 mm"},
		"pressure_drop_pa":       map[string]any{"value": 3, "uncertainty": 0.25, "order": 1.6, "basis": "observed order 1.6"},
		"resistance_pa_s_per_m3": map[string]any{"value": 100, "uncertainty": 900, "basis": "no order observed"},
		"shares":                 []map[string]any{{"number": 7, "name": "<b>left", "value": 0.01, "uncertainty": 0.03, "basis": "no order observed"}},
	}}
	page := pageOf(t, Of{}, keys)
	for _, want := range []string{
		"computed on 2 spacings", "<td>1 mm</td><td>54 321</td><td>700</td><td>15.000 L/min</td><td>3.10 Pa</td>", "<td>1.4 mm</td><td>19 876</td>",
		"<td>pressure drop</td><td>3.00 Pa ± 250 mPa, 8.3 %</td><td>1.6</td><td>observed order 1.6</td>",
		"<td>resistance</td><td>not known from these spacings, 12.4 kPa·s/m³ on the finest</td><td>–</td>",
		"<td>share of opening 7 &lt;b&gt;left</td><td>between 0.00 and 4.00 %</td>", "Of the spacings: opening 3 meets no cell at 2 mm.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "on one spacing") {
		t.Error("it was not computed on one spacing")
	}
	keys["interrupted"] = true
	if page := pageOf(t, Of{}, keys); !strings.Contains(page, "Before this flow, which was interrupted, 2 spacings were computed") {
		t.Error("the page does not say that the flow is not among the spacings")
	}
}

// That there was one spacing is said where no others were asked for, with how to ask.
func TestOneSpacingIsSaidWhereItIsTrue(t *testing.T) {
	if page := pageOf(t, Of{}, nil); !strings.Contains(page, "on one spacing: --refine=2 tells") {
		t.Error("one spacing is not told of")
	}
	if page := pageOf(t, Of{Changing: true}, nil); !strings.Contains(page, "on one spacing: another run") {
		t.Error("a refinement is proposed that is refused")
	}
	for _, key := range []string{"refine", "accuracy"} {
		page := pageOf(t, Of{}, map[string]any{"provenance": map[string]any{"case": map[string]any{key: "3"}}})
		if strings.Contains(page, "on one spacing") || !strings.Contains(page, "Too few spacings were computed") {
			t.Errorf("with %s: one spacing is told of", key)
		}
	}
}

// Whether the flow was steady is said as it is.
func TestSteadinessOnThePage(t *testing.T) {
	mean := []map[string]any{{"name": "pressure drop", "value": 1, "error": 0.001, "how": "mean"}}
	for _, c := range []struct {
		changing bool
		keys     map[string]any
		want     string
	}{
		{false, map[string]any{"steady": nil}, "is not known after so few steps"},
		{true, map[string]any{"steady": nil}, "A waveform keeps the flow changing."},
		{false, map[string]any{"steady": true}, "The flow was steady:"},
		{true, map[string]any{"steady": true}, "The cycles of the flow were alike:"},
		{false, map[string]any{"steady": true, "known": mean}, "The flow fluctuated about its means:"},
		{false, map[string]any{"steady": true, "velocity_change": 1e-6}, "its velocity did not change"},
		{false, map[string]any{"steady": false}, "The flow was not steady at the end."},
		{true, map[string]any{"steady": false}, "The cycles of the flow were not alike"},
	} {
		if page := pageOf(t, Of{Changing: c.changing}, c.keys); !strings.Contains(page, c.want) {
			t.Errorf("%v: the page does not say %q", c.keys, c.want)
		}
	}
}

// Branches are counted in sentences, and an excess that nobody notices is none.
func TestWordsOfTheTrust(t *testing.T) {
	for _, c := range []struct {
		across []float64
		want   string
	}{
		{[]float64{6}, "The branch has fewer than 8 cells across: its pressure drop"},
		{[]float64{6, 9, 9}, "1 of 3 branches has fewer than 8 cells across: its pressure drop"},
		{[]float64{6, 7, 9}, "2 of 3 branches have fewer than 8 cells across: their pressure drop"},
	} {
		var branches []map[string]any
		for _, n := range c.across {
			branches = append(branches, map[string]any{"cells_across": n})
		}
		if page := pageOf(t, Of{}, map[string]any{"branches": branches}); !strings.Contains(page, c.want) {
			t.Errorf("the page does not say %q", c.want)
		}
	}
	for excess, told := range map[float64]bool{0: false, 0.0096: false, -0.1: false, 0.02: true} {
		if page := pageOf(t, Of{Excess: &Excess{Least: excess, Most: excess}}, nil); strings.Contains(page, "too high") != told {
			t.Errorf("an excess of %s is told: %v", fmt.Sprint(excess), !told)
		}
	}
}

// Beyond what is known of coarse cells no percentage is told, and two that differ are both.
func TestMoreThanTwice(t *testing.T) {
	for excess, want := range map[Excess]string{
		{0.25, 0.25, false}: "be some 25 % too high", {1, 1, false}: "more than twice", {0.001, 0.001, false}: "", {0.25, 0.8, false}: "be some 25 % too high, perhaps 80 %.",
		{0.25, 0.8, true}: "be at least 25 % too high, perhaps 80 %.", {0.001, 0.1, false}: "be up to 10 % too high", {0.25, 1, false}: "be some 25 % too high, perhaps more than twice that on finer cells.",
	} {
		if words := excessWords(&excess); !strings.Contains(words, want) || want == "" && words != "" {
			t.Errorf("an excess of %+v: %q, want %q", excess, words, want)
		}
	}
}
