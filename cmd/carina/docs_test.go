package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// commandLines are those of carina in the blocks of a document, without what stands
// before the program and behind the command.
func commandLines(text string) (lines [][]string) {
	program := regexp.MustCompile(`(?:^|[\s/])carina(?:-mpi|-gpu)? (.*)`)
	inBlock := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			inBlock = !inBlock
			continue
		}
		match := program.FindStringSubmatch(strings.TrimSpace(line))
		if !inBlock || match == nil {
			continue
		}
		command, _, _ := strings.Cut(match[1], "#")
		if words := strings.Fields(strings.TrimRight(command, " ;)")); len(words) > 0 && !strings.HasPrefix(words[0], "(") {
			lines = append(lines, words)
		}
	}
	return lines
}

// Every command line of the documentation has a command and flags that are there.
func TestCommandsOfTheDocumentationAreThere(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, path := range append(paths, filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "CONTRIBUTING.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range commandLines(string(text)) {
			if words[0] == "v0.0.0" || words[0] == "=>" {
				continue // the module in a go.mod
			}
			root := newRoot()
			root.InitDefaultCompletionCmd(words...)
			command, rest, err := root.Find(words)
			if err == nil && command.Name() == "carina" {
				continue // a sentence, or the output of a command
			}
			if err == nil {
				err = command.ParseFlags(rest)
			}
			if err != nil {
				t.Errorf("%s: carina %s: %v", filepath.Base(path), strings.Join(words, " "), err)
			}
			checked++
		}
	}
	if checked < 30 {
		t.Errorf("only %d command lines were found", checked)
	}
}

// The commands of the tutorial run one after the other, on a smaller airway and for a few
// steps.
func TestTutorialRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a flow")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	lung := generated(t, "bifurcation")
	t.Chdir(t.TempDir())
	if err := os.Rename(lung, "lung.stl"); err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, words := range commandLines(string(text)) {
		switch words[0] {
		case "init": // what a limit chooses depends on the machine
			words = slices.DeleteFunc(words, func(word string) bool { return word == "--within" || word == "15min" })
		case "run":
			words = append(words, "--spacing", "3mm", "--steps", "4")
		}
		if status, _, said := invoke(t, words...); status != 0 {
			t.Fatalf("carina %s: status %d: %s", strings.Join(words, " "), status, said)
		}
		ran[words[0]] = true
	}
	if !ran["inspect"] || !ran["init"] || !ran["run"] {
		t.Errorf("ran %v", ran)
	}
	if _, err := os.Stat(filepath.Join("lung-flow", "report.html")); err != nil {
		t.Error(err)
	}
}
