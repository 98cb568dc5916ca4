package machine

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"
)

// Open opens a file to be read. It refuses pipes and devices, which may never end
// or never begin, and folders.
func Open(path string) (*os.File, error) {
	if err := readable(path, os.Stat); err != nil {
		return nil, err
	}
	// What has become a pipe since then does not wait for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := readable(path, func(string) (fs.FileInfo, error) { return file.Stat() }); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// readable refuses what is no file.
func readable(path string, stat func(string) (fs.FileInfo, error)) error {
	info, err := stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file but a pipe or a device: write it to a file, and name that", path)
	case info.Size() == 0 && ofSystem(path):
		return fmt.Errorf("%s is no file but made by the system when it is read: copy it to a file, and name that", path)
	}
	return nil
}

// ofSystem tells whether a path leads to what Linux shows as files and may never end.
func ofSystem(path string) bool {
	whole, err := filepath.Abs(path)
	if err == nil {
		whole, err = filepath.EvalSymlinks(whole)
	}
	return err == nil && (strings.HasPrefix(whole, "/proc/") || strings.HasPrefix(whole, "/sys/"))
}

// ReadFile is os.ReadFile of what Open opens.
func ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAll(file, 1)
}

// ErrSwollen is what a gzip file is refused with that was made to fill memory.
var ErrSwollen = fmt.Errorf("it unpacks to more than %d times its size, as files do that are made to fill memory: unpack and look at it first", mostSwollen)

// A file may unpack to so many bytes whatever its size, and to so many times its
// size: the dullest surfaces are packed to a fiftieth.
const (
	swollenFrom = 64 << 20
	mostSwollen = 200
)

// Unpack returns what a stream holds, whether it is gzipped or not. What unpacks to
// very much more than its size fails while it is read.
func Unpack(r io.Reader) (*bufio.Reader, error) {
	return UnpackUnless(r, func([]byte) bool { return false })
}

// UnpackUnless is Unpack that lets everything swell that begins, in its first buffer, as
// thin says: what is read piece by piece and never held.
func UnpackUnless(r io.Reader, thin func(head []byte) bool) (*bufio.Reader, error) {
	const buffer = 1 << 16
	packed := &countingReader{from: r}
	begin := bufio.NewReaderSize(packed, buffer)
	if magic, _ := begin.Peek(len(gzipped)); !bytes.Equal(magic, gzipped) {
		return begin, nil
	}
	unpacked, err := gzip.NewReader(begin)
	if err != nil {
		return nil, fmt.Errorf("cannot unpack the gzipped file (%w): pack or copy it again", err)
	}
	swelling := &swellingReader{from: unpacked, packed: packed}
	whole := bufio.NewReaderSize(swelling, buffer)
	head, _ := whole.Peek(buffer)
	swelling.thin = thin(head)
	return whole, nil
}

// Text reads text behind the mark of byte order that spreadsheets and editors write
// before it. What is no text that can be read fails.
func Text(r io.Reader) (*bufio.Reader, error) {
	text := bufio.NewReader(r)
	head, _ := text.Peek(len(marked))
	switch {
	case string(head) == marked:
		_, _ = text.Discard(len(marked))
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return nil, errors.New("it is text in UTF-16: save it as UTF-8 or plain text")
	case bytes.HasPrefix(head, gzipped):
		return nil, errors.New("it is gzipped: unpack it")
	}
	return text, nil
}

// marked is the mark of byte order of UTF-8, gzipped what gzip files begin with.
const marked = "\ufeff"

var gzipped = []byte{0x1f, 0x8b}

// countingReader counts what is read.
type countingReader struct {
	from io.Reader
	read int64
}

// Read counts what it passes on.
func (c *countingReader) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.read += int64(n)
	return n, err
}

// swellingReader fails where much more comes out than goes in.
type swellingReader struct {
	from   io.Reader
	packed *countingReader
	read   int64
	thin   bool
}

// Read passes on what is unpacked.
func (s *swellingReader) Read(into []byte) (int, error) {
	n, err := s.from.Read(into)
	if s.read += int64(n); !s.thin && s.read > swollenFrom && s.read/mostSwollen > s.packed.read {
		return n, ErrSwollen
	}
	return n, err
}
