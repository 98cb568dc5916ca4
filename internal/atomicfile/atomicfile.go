// Package atomicfile writes files that are either complete or not there.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write lets fill write a temporary file beside path and renames it to path
// when that succeeded. Nothing is left behind otherwise, and a file that was
// at path stays as it was. The error names the path.
func Write(path string, fill func(w io.Writer) error) (err error) {
	path, file, err := create(path)
	if err != nil {
		return err
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

// Writable says why a file could not be written at path, and leaves nothing
// behind. A full disk is no reason: it may have room later.
func Writable(path string) error {
	_, file, err := create(path)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// create makes the temporary file beside path, or beside what it links to.
func create(path string) (target string, file *os.File, err error) {
	// What a link points to is replaced, not the link.
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		path = linked
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return path, nil, fmt.Errorf("writing %s: it is a folder or a device; name a file", path)
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return path, nil, fmt.Errorf("writing %s: there is no folder %s: make it, or name another place", path, folder)
	} else if err == nil && !info.IsDir() {
		return path, nil, fmt.Errorf("writing %s: %s is a file and no folder: name another place", path, folder)
	}
	file, err = os.CreateTemp(folder, "."+filepath.Base(path)+".*")
	var refused *fs.PathError
	if errors.As(err, &refused) {
		// The temporary file's name is no matter of the user's.
		err = fmt.Errorf("nothing can be written into the folder %s (%w): name another place", folder, refused.Err)
	}
	if err != nil {
		return path, nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return path, file, nil
}
