package resultsfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"carina/internal/atomicfile"
)

// Writable says why no folder of results could be made at path, or written into
// where it is there, before the work for it begins. It leaves nothing behind. A
// full disk is no reason: it may have room later.
func Writable(path string) error {
	folder := path
	info, err := os.Stat(folder)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
		info, err = os.Stat(folder)
	}
	if err == nil && !info.IsDir() || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s is a file: name a folder for results", folder)
	}
	err = atomicfile.Probe(folder)
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return nil
	}
	var refused *fs.PathError
	if errors.As(err, &refused) {
		err = refused.Err
	}
	return fmt.Errorf("the folder for results %s cannot be made or written into, as nothing can be written into %s (%w): name another place with --out", path, folder, err)
}
