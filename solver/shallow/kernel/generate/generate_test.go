package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"carina/solver/shallow/scheme"
	"carina/solver/stencil/generate"
)

// The files of package kernel are those that the generator writes.
func TestFilesAreUpToDate(t *testing.T) {
	files, err := generate.Files("kernel", scheme.Updates()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join("..", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate ./solver/shallow/kernel (%v)", name, err)
		}
	}
}
