package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writeFile lets write fill a temporary file beside path and renames it to
// path when that succeeded. Nothing is left behind otherwise.
func writeFile(path string, write func(f *os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("output: cannot create %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("output: cannot write %s: %w", path, err)
			os.Remove(f.Name())
		}
	}()
	// CreateTemp makes files that only the owner may read.
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
