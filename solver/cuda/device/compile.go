package device

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"carina/internal/atomicfile"
	"carina/solver/cuda/driver"
)

//go:embed device.h
var deviceSource string

// Source is a program in CUDA C with one kernel.
type Source struct {
	// Name is the kernel's.
	Name string
	// Constants are definitions that come before what belongs to the device, body
	// is what comes after it.
	Constants, Body string
	// Often tells that it is launched in every step.
	Often bool
}

// Text is the whole program for a GPU.
func (s Source) Text() string { return s.Constants + deviceSource + s.Body }

// Compile returns the kernel of a program: the one that the GPU has loaded, or from the
// cache on disk if it was compiled before.
func (g *gpu) Compile(s Source) (Kernel, error) {
	k, err := kernels.get(loadedOn{g.number, s}, func() (driver.Kernel, error) {
		image, err := g.image(s)
		if err != nil {
			return 0, err
		}
		return g.opened.Load(image, s.Name)
	})
	return k, err
}

// Prepare compiles the program.
func (g *gpu) Prepare(s Source) error {
	_, err := g.image(s)
	return err
}

// image is a program as this GPU's architecture runs it.
func (g *gpu) image(s Source) ([]byte, error) {
	architecture := g.opened.Architecture()
	return images.get(compiledFor{architecture, s}, func() ([]byte, error) { return compiled(s, architecture) })
}

// compiled is a program for an architecture, from the cache on disk if it is there.
func compiled(s Source, architecture string) ([]byte, error) {
	major, minor, err := driver.CompilerVersion()
	if err != nil {
		return nil, err
	}
	text := s.Text()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d.%d\n%s", architecture, major, minor, text))
	path := cachePath(hex.EncodeToString(sum[:]))
	image, err := os.ReadFile(path)
	if err != nil {
		if image, err = driver.Compile(text, s.Name, architecture); err != nil {
			return nil, err
		}
		remember(path, image)
	}
	return image, nil
}

// cachePath is where the compiled program of the given hash is kept; empty
// where the user has no cache.
func cachePath(hash string) string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "carina", "kernels", hash+".cubin")
}

// remember writes a compiled program to the cache. Where that fails it will be
// compiled again: no reason to stop.
func remember(path string, image []byte) {
	if path != "" && os.MkdirAll(filepath.Dir(path), 0o777) == nil {
		_ = atomicfile.Write(path, func(w io.Writer) error {
			_, err := w.Write(image)
			return err
		})
	}
}
