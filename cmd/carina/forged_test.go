package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"carina"
	"carina/geometry"
)

// forged are texts that would begin lines of their own, or be obeyed.
var forged = []string{"in\nwrote forged", "in\rwrote forged", "in\u2028wrote forged", "in\u0085wrote forged", "in\twrote forged", "in\x1b[2Jwrote forged", "in\vwrote forged\f", "in\u202ewrote forged", "in\x00wrote forged"}

// sayNothingForged fails for texts with a line that was forged, or a character
// that would be obeyed.
func sayNothingForged(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "wrote forged") {
			t.Errorf("%s has a line %q", what, line)
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.In(r, unicode.Zl, unicode.Zp))
	}); i >= 0 {
		t.Errorf("%s holds %q", what, text[i:min(len(text), i+30)])
	}
}

// filesSayNothingForged looks at the texts of a folder of results.
func filesSayNothingForged(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".csv", ".json", ".pvtu":
			data, err := os.ReadFile(path)
			sayNothingForged(t, path, string(data))
			return err
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Whoever types a name of an opening that holds more than a name is told so.
func TestForgedNamesOfOpeningsAreRefused(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	for _, name := range forged {
		text := fmt.Sprintf("surface: %s\nspacing: 3mm\nranks: 1\nsteps: 2\nopenings: [{name: %s, radius: 10mm, center: [0, 0, 5]}]\n", pipe, quotedYAML(name))
		yaml := written(t, "case.yaml", text)
		out := filepath.Join(folder, "out")
		for _, line := range [][]string{{"run", yaml, "--out", out}, {"inspect", pipe, "--opening", "0,0,5,10mm," + name}} {
			if strings.ContainsRune(name, '\x00') && line[0] == "inspect" {
				continue // no command line holds it
			}
			status, stdout, stderr := invoke(t, line...)
			if status == 0 || stderr == "" || isThere(out) {
				t.Errorf("%s with %q: status %d, says %q", line[0], name, status, stderr)
			}
			sayNothingForged(t, line[0], stdout+stderr)
		}
	}
}

// quotedYAML writes a text as YAML does.
func quotedYAML(text string) string {
	var w strings.Builder
	for _, r := range text {
		if r < ' ' || r > '~' {
			fmt.Fprintf(&w, `\u%04x`, r)
		} else {
			w.WriteRune(r)
		}
	}
	return `"` + w.String() + `"`
}

// Names that come in files are shown and written as one line everywhere.
func TestForgedNamesInFilesAreEscaped(t *testing.T) {
	for _, name := range []string{forged[0], strings.Join(forged, "")} {
		folder := t.TempDir()
		grid := filepath.Join(folder, "evil.grid")
		succeed[map[string]any](t, "voxelize", generated(t, "pipe"), "--spacing", "3mm", "-o", grid)
		g, err := geometry.ReadGrid(grid)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Openings {
			g.Openings[i].Name = fmt.Sprintf("%d %s", i, name)
		}
		if err := geometry.WriteGrid(grid, g); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(folder, "out")
		for _, line := range [][]string{
			{"inspect", grid}, {"inspect", grid, "--json"}, {"run", grid, "--flow", "1L/min", "--steps", "60", "--out", out}, {"solve", filepath.Join(out, "evil.part.json"), "--steps", "2", "--json"},
			{"view", grid, "-o", filepath.Join(folder, "evil.html")},
		} {
			status, stdout, stderr := invoke(t, line...)
			if status != 0 {
				t.Fatalf("%v: %s", line, stderr)
			}
			sayNothingForged(t, fmt.Sprintf("%q: %s", name, line[0]), stdout+stderr)
		}
		filesSayNothingForged(t, out)
		for _, page := range []string{filepath.Join(folder, "evil.html"), filepath.Join(out, "view.html")} {
			if data, err := os.ReadFile(page); err != nil || strings.Contains(string(data), name) {
				t.Errorf("%s holds %q as it is, %v", page, name, err)
			}
		}
	}
}

// So are names of files, of solids and of methods.
func TestForgedNamesOfFilesAreEscaped(t *testing.T) {
	for _, name := range []string{strings.ReplaceAll(strings.Join(forged, ""), "\x00", "")} {
		surface := copied(t, generated(t, "pipe"), name+".stl")
		folder := filepath.Dir(surface)
		at := func(ending string) string { return filepath.Join(folder, name+ending) }
		out := at("-out")
		if err := os.WriteFile(at(".graph"), []byte(ringOfEight), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, line := range [][]string{
			{"generate", "cavity", "-o", at("2.stl")}, {"inspect", surface, "--picture", at(".png")}, {"voxelize", surface, "--spacing", "3mm", "-o", at(".grid")},
			{"partition", surface, "--spacing", "3mm", "--ranks", "2", "-o", at(".part.json")}, {"partition", at(".grid"), "--ranks", "2", "-o", at("2.part.json")},
			{"inspect", at(".part.json")}, {"view", at(".part.json"), "-o", at(".html")}, {"export", at(".part.json"), "--to", "metis", "-o", at("-p")},
			{"graph", at(".graph"), "2", "-o", at(".part")}, {"inspect", at(".graph")}, {"run", surface, "--spacing", "3mm", "--flow", "1L/min", "--steps", "60", "--out", out},
			{"view", at(".nothing")}, {"inspect", at(".nothing")},
		} {
			status, stdout, stderr := invoke(t, line...)
			if (status == 0) != (filepath.Ext(line[1]) != ".nothing") {
				t.Errorf("%q: status %d, %s", line, status, stderr)
			}
			sayNothingForged(t, fmt.Sprintf("%q: %s", name, line[0]), stdout+stderr)
		}
		filesSayNothingForged(t, out)
		part := strings.Replace(readText(t, at(".part.json")), `"decompose":"bricks`, `"decompose":"`+strings.Trim(quotedYAML(name), `"`), 1)
		if err := os.WriteFile(at(".part.json"), []byte(part), 0o644); err != nil {
			t.Fatal(err)
		}
		_, stdout, stderr := invoke(t, "inspect", at(".part.json"))
		sayNothingForged(t, "a forged method", stdout+stderr)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// CARINA_SIMD means the same in letters of any size, and what means nothing is
// refused with what does.
func TestTheInstructionSetIsHonouredOrRefused(t *testing.T) {
	part := partitioned(t, "--ranks", "1")
	set := func(value string) (int, string, string) {
		t.Setenv("CARINA_SIMD", value)
		var record carina.Summary
		status, stdout, stderr := invoke(t, "solve", part, "--flow", "1L/min", "--steps", "2", "--json")
		if status != 0 {
			return status, "", stderr
		}
		if err := json.Unmarshal([]byte(stdout), &record); err != nil {
			t.Fatal(err)
		}
		return status, record.Settings.InstructionSet, stderr
	}
	_, fastest, _ := set("")
	for _, none := range []string{"none", "None", "NONE", " none "} {
		if status, used, said := set(none); status != 0 || used != "Go" {
			t.Errorf("%q: status %d, computes with %s, says %q", none, status, used, said)
		}
	}
	if fastest != "Go" {
		for _, same := range []string{fastest, strings.ToLower(fastest), strings.ToLower(fastest[:3]) + "-" + fastest[3:], fastest[:1] + strings.ToLower(fastest[1:])} {
			if status, used, said := set(same); status != 0 || used != fastest {
				t.Errorf("%q: status %d, computes with %s, want %s, says %q", same, status, used, fastest, said)
			}
		}
	}
	for _, wrong := range []string{"avx1024", "off", "0", "sse", "NEON", "avx2,avx512", "no"} {
		if status, used, said := set(wrong); status != exitFailure || !strings.Contains(said, "CARINA_SIMD") || !strings.Contains(said, "none") || strings.Count(said, "\n") != 1 {
			t.Errorf("%q: status %d, computes with %s, says %q", wrong, status, used, said)
		}
	}
}
