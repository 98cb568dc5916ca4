// Package atomicfile writes files that are either complete or not there.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write lets fill write a temporary file beside path and renames it to path
// when that succeeded. Nothing is left behind otherwise, and a file that was
// at path stays as it was. The error names the path.
func Write(path string, fill func(w io.Writer) error) (err error) {
	// What a link points to is replaced, not the link.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("writing %s: it is a folder or a device; name a file", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	// Temporary files are for their owner alone; this one becomes an ordinary
	// file.
	if err := errors.Join(fill(file), file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
