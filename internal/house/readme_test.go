package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// gathered are rooms whose packages the README does not name one by one.
var gathered = []string{"internal", "examples", "benchmarks"}

// The README's map of the house names every package, by its path or the end of
// it, and no other.
func TestReadmeMapsTheHouse(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, house, found := strings.Cut(string(text), "## The house")
	house, _, ends := strings.Cut(house, "Imports go one way")
	if !found || !ends {
		t.Fatal("the README has no map of the house")
	}
	var named []string
	for _, match := range regexp.MustCompile("`([a-z/]+)/`").FindAllStringSubmatch(house, -1) {
		named = append(named, match[1])
	}
	var names []string
	for _, p := range packages(t, "") {
		if p.name() == "." {
			continue
		}
		names = append(names, p.name())
		top, _, _ := strings.Cut(p.name(), "/")
		if !slices.Contains(gathered, top) && !slices.Contains(named, p.name()) && !slices.Contains(named, path.Base(p.name())) {
			t.Errorf("the README's map does not name %s", p.name())
		}
	}
	for _, n := range named {
		if !slices.ContainsFunc(names, func(p string) bool { return p == n || strings.HasSuffix(p, "/"+n) || strings.HasPrefix(p, n+"/") }) {
			t.Errorf("the README's map names %s/, which is no package", n)
		}
	}
}
