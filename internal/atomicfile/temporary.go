package atomicfile

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A temporary file is named by a random number, the host, and a check of both, so
// that no other file is taken for one.
const (
	prefix      = ".carina-write-"
	randomBytes = 8
	hashBytes   = 4
)

func temporaryName() string {
	var number [randomBytes]byte
	rand.Read(number[:])
	return prefix + sealed(append(number[:], host()...))
}

// host tells hosts apart.
var host = sync.OnceValue(func() []byte {
	name, _ := os.Hostname() // without one all are alike
	return hashed(name)
})

func hashed(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:hashBytes]
}

// sealed are the digits of bytes with a check of them.
func sealed(bytes []byte) string {
	return hex.EncodeToString(append(bytes, hashed(prefix+string(bytes))...))
}

// Temporary tells whether a name is that of a temporary file.
func Temporary(name string) bool {
	is, _ := temporaryOf(name)
	return is
}

// temporaryOf tells, too, whether it is one of this host.
func temporaryOf(name string) (is, own bool) {
	digits, is := strings.CutPrefix(name, prefix)
	all, err := hex.DecodeString(digits)
	if !is || err != nil || len(all) != randomBytes+2*hashBytes {
		return false, false
	}
	number := all[:randomBytes+hashBytes]
	return digits == sealed(bytes.Clone(number)), bytes.Equal(number[randomBytes:], host())
}

// temporary makes a file that is locked while this process has it open.
func temporary(folder string) (*os.File, error) {
	for {
		file, err := os.OpenFile(filepath.Join(folder, temporaryName()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Between the two, somebody may have taken it for one of a dead process.
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && IsAt(file, file.Name()) {
			return file, nil
		}
		file.Close()
	}
}

// IsAt tells whether an open file is the one at a path, which is no link.
func IsAt(file *os.File, path string) bool {
	own, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(own, there)
}

// quiet is how long a file of another host was not written to when it is taken
// for that of a dead process: not all file systems tell hosts of each other's
// locks.
const quiet = time.Hour

// Sweep removes the temporary files in a folder whose processes were killed. What
// cannot be looked at or is locked stays.
func Sweep(folder string) {
	opened, err := os.Open(folder)
	if err != nil {
		return
	}
	defer opened.Close()
	names, _ := opened.Readdirnames(-1)
	for _, name := range names {
		is, own := temporaryOf(name)
		if !is {
			continue
		}
		path := filepath.Join(folder, name)
		file, err := OpenRegular(path, os.O_RDWR)
		if err != nil {
			continue
		}
		info, err := file.Stat()
		still := err == nil && (own || time.Since(info.ModTime()) > quiet)
		if still && unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && IsAt(file, path) {
			os.Remove(path)
		}
		file.Close()
	}
}

// ErrNoFile is of what is there and is no ordinary file: a link, a folder, a
// pipe.
var ErrNoFile = errors.New("it is no ordinary file")

// OpenRegular opens an ordinary file that is no link. It never waits for the
// other end of a pipe.
func OpenRegular(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o666)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENXIO) {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile})
	}
	return file, nil
}
