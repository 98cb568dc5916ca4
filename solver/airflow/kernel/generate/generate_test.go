package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of package kernel are those that the generator writes, and no file
// of an earlier one is left.
func TestFilesAreUpToDate(t *testing.T) {
	want := files()
	names, err := filepath.Glob("../*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range names {
		source, err := os.ReadFile(path)
		if err != nil {
			continue // a folder
		}
		name := filepath.Base(path)
		if _, generated := want[name]; !generated && bytes.HasPrefix(source, []byte("// Code generated")) {
			t.Errorf("%s is not generated any more: delete it", name)
		}
	}
	for name, source := range want {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Equal(got, source) {
			t.Errorf("%s is not what the generator writes: run go generate ./solver/airflow/kernel (%v)", name, err)
		}
	}
}

// A body of arithmetic is there once for all kinds of windows and has at most
// 20 kB.
func TestBodiesAreSmall(t *testing.T) {
	const most = 20_000
	for _, target := range targets {
		bodies := strings.Split(string(writeBodies(target)), "\n#define ")[1:]
		for _, body := range bodies {
			if len(body) > most {
				name, _, _ := strings.Cut(body, "(")
				t.Errorf("%s: body %s has %d bytes", target.bodiesFile(), name, len(body))
			}
		}
	}
}
