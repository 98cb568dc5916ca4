package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteReplacesOnlyWhenComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write := func(text string, failure error) error {
		return Write(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, failure)
		})
	}
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more")
	if err := write("second, half", failure); !errors.Is(err, failure) || !strings.Contains(err.Error(), path) {
		t.Errorf("a failed write says %v", err)
	}
	data, _ := os.ReadFile(path)
	if string(data) != "first" {
		t.Errorf("the file holds %q after a failed write", data)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if len(entries) != 1 {
		t.Errorf("a failed write left %v", entries)
	}
}

func TestWriteIntoMissingFolderOrOntoFolder(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{filepath.Join(folder, "none", "file"), folder} {
		if err := Write(path, func(io.Writer) error { return nil }); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Write(%q) says %v", path, err)
		}
	}
}
