//go:build !cuda

package devicetest

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// A program of which a single letter is another is compiled anew, and the same
// one is not.
func TestCompiledLibrariesAreTheirSources(t *testing.T) {
	newEmulators(t, 1)
	at := func(text string) string {
		path, err := compiledLibrary(text, "-O0")
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	program := fmt.Sprintf("// %d\nextern \"C\" int run() { return 1; }\n", time.Now().UnixNano())
	first := at(program)
	again := at(program)
	other := at(program + " ")
	if first != again || first == other {
		t.Errorf("libraries %s, %s and, of another program, %s", first, again, other)
	}
	for _, path := range []string{first, other} {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}
