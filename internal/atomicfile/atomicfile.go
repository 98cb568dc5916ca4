package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Gathering is the name of folders in which files are gathered that appear
// together. Who makes one waits for its files and clears it as a whole.
const Gathering = ".carina-new"

// Write lets fill write a temporary file beside path and renames it to path
// when that succeeded. Nothing is left behind otherwise, and a file that was
// at path stays as it was. The new one has its mode and, where that is possible,
// its owner. What a link points to is replaced, not the link. The error names the
// path.
func Write(path string, fill func(w io.Writer) error) (err error) {
	target, file, err := create(path)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			os.Remove(file.Name())
			file.Close()
		}
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	alone := filepath.Base(filepath.Dir(target)) != Gathering
	// Nothing is in it before it has the mode of what is there; else it is as the
	// mask says.
	if before, err := os.Stat(target); err == nil {
		if err := Like(file.Name(), before); err != nil {
			return err
		}
	}
	if err := fill(named{file, path}); err != nil {
		return err
	}
	if alone {
		if err := Sync(file); err != nil {
			return err
		}
	}
	if err := os.Rename(file.Name(), target); err != nil {
		return err
	}
	done = true
	err = file.Close()
	if alone {
		err = errors.Join(err, syncFolder(filepath.Dir(target)))
	}
	return err
}

// named is a temporary file whose errors have the name that it will have.
type named struct {
	*os.File
	path string
}

// Write writes to the file.
func (n named) Write(data []byte) (int, error) {
	written, err := n.File.Write(data)
	return written, n.renamed(err)
}

// WriteAt writes to a place of the file.
func (n named) WriteAt(data []byte, at int64) (int, error) {
	written, err := n.File.WriteAt(data, at)
	return written, n.renamed(err)
}

func (n named) renamed(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return &fs.PathError{Op: failed.Op, Path: n.path, Err: failed.Err}
	}
	return err
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
	return errors.Join(os.Remove(file.Name()), file.Close())
}

// create makes the temporary file beside path, or beside what it links to.
func create(path string) (target string, file *os.File, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return path, nil, fmt.Errorf("writing %s: it is a folder or a device; name a file", path)
	}
	if errors.Is(err, fs.ErrPermission) {
		// Systems refuse to follow links that somebody else has put into a folder
		// for everybody.
		return path, nil, fmt.Errorf("writing %s: what is there may not be looked at (%w): name another place", path, fs.ErrPermission)
	}
	if target, err = followed(path); err != nil {
		return path, nil, fmt.Errorf("writing %s: %w", path, err)
	}
	folder := filepath.Dir(target)
	if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return path, nil, fmt.Errorf("writing %s: there is no folder %s: make it, or name another place", path, folder)
	} else if err == nil && !info.IsDir() {
		return path, nil, fmt.Errorf("writing %s: %s is a file and no folder: name another place", path, folder)
	}
	if filepath.Base(folder) != Gathering {
		Sweep(folder)
	}
	file, err = temporary(folder)
	var refused *fs.PathError
	if errors.As(err, &refused) {
		// The temporary file's name is no matter of the user's.
		err = fmt.Errorf("nothing can be written into the folder %s (%w): name another place", folder, refused.Err)
	}
	if err != nil {
		return path, nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return target, file, nil
}

// followed is what a path leads to through links, which may not be there yet.
func followed(path string) (string, error) {
	const most = 40
	for range most {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Type() != fs.ModeSymlink {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(folder, to)
		}
		path = to
	}
	return "", syscall.ELOOP
}

// Like gives a new file the mode and owner of one whose place it takes. That the
// owner cannot be kept is no failure.
func Like(path string, before fs.FileInfo) error {
	if owner, ok := before.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(path, int(owner.Uid), int(owner.Gid))
	}
	return os.Chmod(path, before.Mode().Perm())
}

// Probe says why no file can be made in a folder, and leaves nothing behind.
func Probe(folder string) error {
	Sweep(folder)
	file, err := temporary(folder)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(file.Name()), file.Close())
}

// Sync waits until a file is on the disk.
func Sync(file *os.File) error {
	err := file.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil // some file systems have nothing to wait for
	}
	return err
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return nil // it may be written into but not read
	}
	defer folder.Close()
	return Sync(folder)
}
