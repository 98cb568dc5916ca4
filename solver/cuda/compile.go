package cuda

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"carina/solver/cuda/driver"
)

//go:embed kernels/device.h
var deviceSource string

// source is the whole program in CUDA C.
func (p program) source() string { return p.constants() + deviceSource + p.body() }

// compile returns the kernel of a program, from the cache on disk if it was
// compiled before.
func (g *gpu) compile(p program) (kernel, error) {
	major, minor, err := driver.CompilerVersion()
	if err != nil {
		return nil, err
	}
	source, architecture := p.source(), g.opened.Architecture()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d.%d\n%s", architecture, major, minor, source))
	path := cachePath(hex.EncodeToString(sum[:]))
	image, err := os.ReadFile(path)
	if err != nil {
		if image, err = driver.Compile(source, p.kernel, architecture); err != nil {
			return nil, err
		}
		remember(path, image)
	}
	k, err := g.opened.Load(image, p.kernel)
	return k, err
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
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(image)
	if errors.Join(err, f.Close()) != nil || os.Rename(f.Name(), path) != nil {
		os.Remove(f.Name())
	}
}
