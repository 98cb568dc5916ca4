package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"carina/internal/crash"

	"github.com/spf13/cobra"
)

func TestPanicIsOneSentence(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	root := newRoot()
	root.AddCommand(&cobra.Command{Use: "stumble", RunE: func(_ *cobra.Command, arguments []string) error {
		_ = arguments[len(arguments)]
		return nil
	}})
	var stdout, stderr bytes.Buffer
	status := executeRoot(context.Background(), root, []string{"stumble"}, &stdout, &stderr)
	said := stderr.String()
	if status != crash.Status || strings.Count(said, "\n") != 1 {
		t.Errorf("status %d, says %q; want %d and one line", status, said, crash.Status)
	}
	for _, want := range []string{"index out of range [0]", "crash_test.go:", "please report"} {
		if !strings.Contains(said, want) {
			t.Errorf("says %q, nothing of %q", said, want)
		}
	}
	if status, stdout, _ := invoke(t, "--help"); status != 0 || !strings.Contains(stdout, "3 on a mistake") {
		t.Errorf("the help says nothing of exit status 3:\n%s", stdout)
	}
}
