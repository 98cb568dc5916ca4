package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"carina"
	"carina/cmd/carina/report"
)

// events are the lines that a command with --log-json writes to standard error.
func events(t *testing.T, stderr string) (list []map[string]any) {
	t.Helper()
	for lines := bufio.NewScanner(strings.NewReader(stderr)); lines.Scan(); {
		e := map[string]any{}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%q is no JSON object: %v", lines.Text(), err)
		}
		if _, told := e["elapsed_s"].(float64); !told || e["event"] == "" {
			t.Errorf("%v", e)
		}
		list = append(list, e)
	}
	return list
}

// A run tells its plan, its progress and how it failed, one object a line; all keys stand
// in the documentation.
func TestRunIsLogged(t *testing.T) {
	pipe := generated(t, "pipe")
	out := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := invoke(t, "run", pipe, "--unit", "mm", "--spacing", "2mm", "--flow", "1L/min", "--steps", "200", "--out", out, "--log-json", "--json")
	if status != 0 || !json.Valid([]byte(stdout)) {
		t.Fatalf("status %d: %s", status, stderr)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range events(t, stderr) {
		kinds = append(kinds, e["event"].(string))
		for key := range e {
			if !bytes.Contains(text, []byte("`"+key+"`")) {
				t.Errorf("the documentation does not name the key %s", key)
			}
		}
		switch e["event"] {
		case "plan":
			if e["steps"] != 200.0 || !(e["exchanges"].(float64) > 0) || e["until_steady"] != false {
				t.Errorf("%v", e)
			}
		case "flow":
			if e["steps"] != 200.0 || !(e["time_s"].(float64) <= e["end_time_s"].(float64)) {
				t.Errorf("%v", e)
			}
		}
	}
	for _, want := range []string{"stage", "grid", "partition", "plan", "flow"} {
		if !slices.Contains(kinds, want) {
			t.Errorf("no event %q among %v", want, kinds)
		}
	}
	status, _, stderr = invoke(t, "run", filepath.Join(out, "none.stl"), "--spacing", "2mm", "--log-json")
	if list := events(t, stderr); status != exitFailure || len(list) != 1 || list[0]["event"] != "error" || !strings.Contains(list[0]["text"].(string), "none.stl") {
		t.Errorf("status %d: %s", status, stderr)
	}
	// The documentation names no key that is not there.
	_, table, _ := strings.Cut(string(text), "## Events of a run")
	table, _, _ = strings.Cut(table, "\n## ")
	data, err := os.ReadFile(filepath.Join("report", "events.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(table, -1) {
		if !bytes.Contains(data, []byte(`"`+match[1])) && !bytes.Contains(data, []byte(`,`+match[1])) && match[1] != "message" && match[1] != "error" {
			t.Errorf("the documentation names %s, which no event has", match[1])
		}
	}
}

// Progress is told once a second, and at the end; the time that is left is that of the
// flow alone.
func TestProgressIsToldFromTimeToTime(t *testing.T) {
	var written bytes.Buffer
	now := time.Unix(1000, 0)
	l := report.NewEventLog(&written, func() time.Time { return now }, now.Add(-time.Hour))
	hear := l.Listener()
	hear.Announce(carina.Outlook{Steps: 1000, TimeStep: 1e-3, Time: 1, Exchange: 0.5})
	for step := int64(50); step <= 1000; step += 50 {
		now = now.Add(250 * time.Millisecond)
		hear.Progress(carina.Progress{Step: step, Steps: 1000, Time: float64(step) * 1e-3, EndTime: 1})
	}
	list := events(t, written.String())
	if len(list) != 7 || list[0]["exchanges"] != 2.0 || list[1]["step"] != 50.0 || list[2]["step"] != 250.0 || list[6]["step"] != 1000.0 {
		t.Fatalf("%d lines:\n%s", len(list), written.String())
	}
	if _, known := list[1]["seconds_left"]; known || list[2]["seconds_left"] != 3.75 || list[6]["seconds_left"] != 0.0 || list[6]["elapsed_s"] != 3605.0 {
		t.Errorf("%v\n%v\n%v", list[1], list[2], list[6])
	}
}
