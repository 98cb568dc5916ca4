package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
)

// invoke runs a command line and returns its exit status and what it wrote.
func invoke(t *testing.T, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = execute(context.Background(), arguments, &out, &err)
	return status, out.String(), err.String()
}

// succeed runs a command line that must succeed and decodes its JSON.
func succeed[T any](t *testing.T, arguments ...string) T {
	t.Helper()
	status, stdout, stderr := invoke(t, append(arguments, "--json")...)
	if status != 0 {
		t.Fatalf("carina %v: status %d: %s", arguments, status, stderr)
	}
	var result T
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatalf("carina %v printed no JSON object: %v\n%s", arguments, err, stdout)
	}
	return result
}

// generated writes a test geometry and returns its path. Few edges are enough
// where nobody looks at how round it is, and take a tenth of the time.
func generated(t *testing.T, kind string, arguments ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), kind+".stl")
	line := []string{"generate", kind, "-o", path}
	// Grids here are coarse, and what is felt of a wall is felt by every triangle.
	if segments := map[string]string{"pipe": "24", "bifurcation": "16"}[kind]; segments != "" {
		line = append(line, "--segments", segments)
	}
	succeed[map[string]any](t, append(line, arguments...)...)
	return path
}
