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

// Where a link points to a file, that file is replaced and not the link, and the new
// one has its mode.
func TestWriteThroughLink(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	if err := os.WriteFile(target, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skip(err)
	}
	err := Write(link, func(w io.Writer) error {
		_, err := io.WriteString(w, "after")
		return err
	})
	data, _ := os.ReadFile(target)
	if err != nil || string(data) != "after" {
		t.Errorf("the target holds %q, %v", data, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link has become another thing, %v", err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the target has mode %v, %v", info.Mode(), err)
	}
}

func TestWritable(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		file: "", filepath.Join(folder, "new"): "", folder: "name a file",
		filepath.Join(folder, "none", "a"): "there is no folder " + filepath.Join(folder, "none"),
		filepath.Join(file, "a"):           "is a file and no folder",
	} {
		if err := Writable(path); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: says %v, want %q", path, err, says)
		}
	}
	entries, err := os.ReadDir(folder)
	if data, failed := os.ReadFile(file); err != nil || len(entries) != 1 || failed != nil || string(data) != "kept" {
		t.Errorf("left %v with %q", entries, data)
	}
}
