package machine

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Text begins behind its mark, and what is none fails.
func TestText(t *testing.T) {
	for given, want := range map[string]string{"a,b": "a,b", "\ufeffa,b": "a,b", "": "", "\ufeff": "", "\xef\xbb": "\xef\xbb"} {
		r, err := Text(strings.NewReader(given))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v; want %q", given, got, err, want)
		}
	}
	for given, says := range map[string]string{"\xff\xfea\x00": "UTF-16", "\xfe\xff\x00a": "UTF-16", "\x1f\x8b\x08": "gzipped"} {
		if _, err := Text(strings.NewReader(given)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", given, err, says)
		}
	}
}

// What unpacks to much for its size fails, and no sooner; all else comes out as it
// went in.
func TestUnpack(t *testing.T) {
	noise := make([]byte, 1<<20)
	rng := rand.NewChaCha8([32]byte{1})
	for i := range noise {
		noise[i] = byte(rng.Uint64())
	}
	zeros := zipped(t, make([]byte, 1<<20))
	for name, c := range map[string]struct {
		data    []byte
		length  int
		swollen bool
	}{
		"plain":         {noise, len(noise), false},
		"nothing":       {nil, 0, false},
		"a byte":        {[]byte{0x1f}, 1, false},
		"packed":        {zipped(t, noise), len(noise), false},
		"short zeros":   {bytes.Repeat(zeros, 32), 32 << 20, false},
		"zeros":         {bytes.Repeat(zeros, 80), 0, true},
		"noise, zeros":  {append(zipped(t, noise), bytes.Repeat(zeros, 80)...), 81 << 20, false},
		"noise, a bomb": {append(zipped(t, noise), bytes.Repeat(zeros, 400)...), 0, true},
	} {
		r, err := Unpack(bytes.NewReader(c.data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n, err := io.Copy(io.Discard, r)
		if errors.Is(err, ErrSwollen) != c.swollen || !c.swollen && (err != nil || n != int64(c.length)) {
			t.Errorf("%s: %d bytes, %v; want %d, swollen %v", name, n, err, c.length, c.swollen)
		}
	}
	if _, err := Unpack(bytes.NewReader([]byte{0x1f, 0x8b, 1})); err == nil {
		t.Error("what is no gzip file is unpacked")
	}
}

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	file, fifo, link := filepath.Join(folder, "file"), filepath.Join(folder, "fifo"), filepath.Join(folder, "link")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink(fifo, link)); err != nil {
		t.Skip(err)
	}
	if data, err := ReadFile(file); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	for _, path := range []string{fifo, link, "/dev/zero", "/proc/self/status", folder, filepath.Join(folder, "none")} {
		if data, err := ReadFile(path); err == nil {
			t.Errorf("%s is read: %q", path, data)
		}
	}
	if _, err := Open(folder); !errors.Is(err, syscall.EISDIR) {
		t.Error(err)
	}
}
