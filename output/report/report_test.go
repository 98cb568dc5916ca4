package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const encoded = `{"fluid_cells": 12345, "spacing_m": 0.0005, "steps": 700, "time_s": 0.25, "seconds": 3, "reynolds": 873.2,
"pressure_drop_pa": 1.234, "mass_balance": 0.0012, "steady": true, "state_hash": "00ff", "warnings": ["<b>look</b> here"],
"openings": [{"number": 1, "name": "<script>alert(1)</script>", "role": "inlet", "area_m2": 1e-4, "flow_m3_per_s": 2.5e-4, "pressure_pa": 1.234, "sure": 1}],
"ranks": [{"fluid_cells": 12345, "work": 1, "step_seconds": 0.004, "device": "amd64"}],
"branches": [{"branch": 1, "length_m": 0.1, "diameter_m": 0.018, "cells_across": 6, "flow_m3_per_s": 2.5e-4, "pressure_drop_pa": 0.5,
"resistance_pa_s_per_l": 2, "reynolds": 1000, "wall_shear": {"mean_pa": 0.0123, "peak_pa": 0.0456, "area_m2": 1e-3}}],
"wall_shear": {"mean_pa": 0.0789, "peak_pa": 0.111, "area_m2": 1e-3},
"provenance": {"command": ["carina", "run", "my airway.stl"], "grid_notes": ["3 holes were closed"]}}`

func written(t *testing.T, encoded string, pictures ...Picture) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := Write(path, Of{Title: "Flow of air", Lead: "15 L/min"}, []byte(encoded), pictures); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The page says what the summary holds.
func TestNumbersAreTheSummarys(t *testing.T) {
	page := written(t, encoded)
	for _, want := range []string{
		"Flow of air", "12 345 cells of ", "1.23", "873.2", "15 L/min", "78.9 mPa", "111 mPa", "12.3 mPa", "45.6 mPa", "18 mm", "100 mm", "<td>2</td>",
		"differ by 0.12 %", "carina run &#39;my airway.stl&#39;", "3 holes were closed", "The branch has fewer than 8 cells across: its pressure drop", "The flow was steady",
	} {
		if !strings.Contains(strings.NewReplacer("\u2009", " ", "\u00a0", " ", ",", " ").Replace(page), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if changed := written(t, strings.Replace(encoded, `"reynolds": 873.2`, `"reynolds": 512.5`, 1)); !strings.Contains(changed, "512.5") || strings.Contains(changed, "873.2") {
		t.Error("the page does not follow the summary")
	}
}

// What is rounding beside the whole flow is none.
func TestRoundingIsNone(t *testing.T) {
	page := written(t, strings.NewReplacer(`"pressure_drop_pa": 0.5,`, `"pressure_drop_pa": 5.7e-20,`, `"resistance_pa_s_per_l": 2`, `"resistance_pa_s_per_l": 2.3e-19`,
		`"mean_pa": 0.0123`, `"mean_pa": 1.76e-21`, `"peak_pa": 0.0456`, `"peak_pa": 2e-9`).Replace(encoded))
	if row := "<td>0 Pa</td><td>0</td><td>0</td><td>0 Pa</td><td>2.00 nPa</td>"; !strings.Contains(strings.ReplaceAll(page, "\u00a0", " "), row) {
		t.Errorf("the page has no row with %s", row)
	}
}

// Lobes, openings and what the wall feels over time have tables.
func TestFurtherTables(t *testing.T) {
	page := written(t, strings.Replace(encoded, `"wall_shear": {"mean_pa": 0.0789`, `"statistics": {"from_s": 0.75, "samples": 40, "phases": 16},
"lobes": [{"lobe": "<i>left", "openings": [3, 5], "share": 0.35, "flow_m3_per_s": 2e-5, "volume_m3": 3e-6, "pressure_drop_from_inlet_pa": 7.25, "wall_shear": {"mean_pa": 0.5,
"over_time": {"mean_pa": 0.625, "peak_pa": 0.875, "oscillatory_index": 0.281}}}],
"ends": [{"opening": 3, "name": "upper", "branch": 12, "pressure_drop_pa": 6.5, "resistance_cmh2o_s_per_l": 4.75}],
"wall_shear": {"mean_pa": 0.0789`, 1))
	for _, want := range []string{"&lt;i&gt;left", "<td>3 5</td>", "35.0 %", "7.25 Pa", "625 mPa", "875 mPa", "0.281", "<td>3 upper</td><td>12</td>", "6.50 Pa", "4.75", "40 samples from 750 ms on, in 16 phases"} {
		if !strings.Contains(strings.NewReplacer("\u2009", " ", "\u00a0", " ", ",", " ").Replace(page), strings.ReplaceAll(want, ",", " ")) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// What is known has its unit and its opening, closed ones are called so, and work is told
// beside the mean.
func TestWordsOfWhatIsKnown(t *testing.T) {
	path, excess := filepath.Join(t.TempDir(), "report.html"), Excess{Least: 0.25, Most: 0.25}
	changed := strings.NewReplacer(`"work": 1,`, `"work": 0.002,`, `"warnings"`, `"known": [{"name": "pressure drop", "value": 612.5, "error": 0.5, "how": "still"},
{"name": "inflow", "value": 2.5e-4, "error": 0, "how": "still"}, {"name": "share", "opening": 7, "value": 0.125, "error": 0.001, "how": "mean"}],
"ends": [{"opening": 1, "name": "in", "branch": 0, "pressure_drop_pa": 654}], "warnings"`).Replace(encoded)
	if err := Write(path, Of{Title: "Flow of air", Excess: &excess}, []byte(changed), nil); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<td>pressure drop</td><td>612 Pa</td>", "<td>inflow</td><td>15 L/min</td>", "<td>share of opening 7</td><td>12.5 %</td><td>0.1 %</td>", "<td>closed</td><td>–</td>", "<td>1.000</td>", "some 25 % too high"} {
		if !strings.Contains(strings.NewReplacer("\u2009", " ", "\u00a0", " ").Replace(string(page)), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(string(page), "654") {
		t.Error("a closed opening has a pressure drop")
	}
}

// Names are never markup, and nothing is loaded from elsewhere.
func TestNamesAreNoMarkup(t *testing.T) {
	page := written(t, encoded)
	if strings.Contains(page, "<script") || strings.Contains(page, "<b>look") {
		t.Error("a name became markup")
	}
	if strings.Contains(page, "http") && !strings.Contains(page, "http-equiv") || strings.Contains(page, "src=\"http") || strings.Contains(page, "href=") {
		t.Error("the page loads from elsewhere")
	}
}

// Pictures are inside, and those that are not there are left out.
func TestPicturesAreInside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flow.png")
	if err := os.WriteFile(path, []byte("a picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	page := written(t, encoded, Picture{Flow, "Speed", path}, Picture{History, "Over time", path + ".none"})
	if !strings.Contains(page, `alt="Speed" src="data:image/png;base64,YSBwaWN0dXJl"`) || strings.Contains(page, "Over time") {
		t.Error("the picture is not inside, or one that is not there is named")
	}
}

// Sections without anything to say are left out.
func TestEmptySummary(t *testing.T) {
	data, err := json.Marshal(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	if page := written(t, string(data)); strings.Contains(page, "The branches") || strings.Contains(page, "The wall") {
		t.Error("an empty section is shown")
	}
}
