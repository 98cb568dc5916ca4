package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"carina/solver/stencil/generate"
	"carina/solver/thermal/arithmetic"
)

// The files of package thermal are those that the generator writes.
func TestFilesAreUpToDate(t *testing.T) {
	files, err := generate.Files("thermal", arithmetic.Updates()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join("..", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate ./solver/thermal (%v)", name, err)
		}
	}
}
