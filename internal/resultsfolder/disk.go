package resultsfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"carina/internal/atomicfile"

	"golang.org/x/sys/unix"
)

// disk does what changes a folder.
type disk struct {
	path string
	// before is asked before every change, for tests; may be nil.
	before func(what string) error
}

func (d *disk) ask(what, name string) error {
	if d.before == nil {
		return nil
	}
	return d.before(what + " " + name)
}

func (d *disk) at(name string) string { return filepath.Join(d.path, name) }

// change asks and then does.
func (d *disk) change(what, name string, do func(path string) error) error {
	if err := d.ask(what, name); err != nil {
		return err
	}
	return do(d.at(name))
}

// mkdir makes a folder that nobody else looks into.
func (d *disk) mkdir(name string) error {
	return d.change("mkdir", name, func(path string) error { return os.Mkdir(path, 0o700) })
}

// unlink removes a file, never a folder. That it is not there is no error.
func (d *disk) unlink(name string) error {
	return d.change("unlink", name, func(path string) error {
		err := unix.Unlink(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EISDIR) || isFolder(path) {
			return nil
		}
		return pathError("unlink", path, err)
	})
}

// rmdir removes an empty folder.
func (d *disk) rmdir(name string) error {
	return d.change("rmdir", name, func(path string) error { return pathError("rmdir", path, unix.Rmdir(path)) })
}

// move renames a file. That it is not there, because it was moved before, is
// no error.
func (d *disk) move(from, to string) error {
	return d.change("move", to, func(path string) error {
		err := os.Rename(d.at(from), path)
		if errors.Is(err, fs.ErrNotExist) && !isThere(d.at(from)) {
			return nil
		}
		return err
	})
}

// write writes a new file and waits until it is on the disk.
func (d *disk) write(name string, data []byte) (err error) {
	if err := d.ask("create", name); err != nil {
		return err
	}
	file, err := os.OpenFile(d.at(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := d.ask("write", name); err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	return d.flush(file, name)
}

// flush waits until an open file is on the disk. Tests that stop at every change
// need not wait.
func (d *disk) flush(file *os.File, name string) error {
	if d.before != nil {
		return d.ask("sync", name)
	}
	return atomicfile.Sync(file)
}

// sync waits until a file, or the names in a folder, are on the disk.
func (d *disk) sync(name string) error {
	file, err := os.Open(d.at(name))
	if err != nil {
		return err
	}
	defer file.Close()
	return d.flush(file, name)
}

func pathError(what, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: what, Path: path, Err: err}
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
