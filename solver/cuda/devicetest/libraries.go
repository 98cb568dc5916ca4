//go:build !cuda

package devicetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// compiled is the folder of programs that were compiled for the processor: one in
// the user's cache, since to compile all takes longer than all else the tests do.
// A library's name is the hash of all that it is made from.
var compiled struct{ folder, compiler string }

// unusedFor is after how long a library that no test loads is removed.
const unusedFor = 5 * 24 * time.Hour

// Main runs the tests of a package and returns the status to end with.
func Main(m *testing.M) int {
	remove, err := openCompiled()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	return m.Run()
}

// openCompiled makes the folder; where the user has no cache, one that is
// removed at the end.
func openCompiled() (remove func(), err error) {
	if version, err := exec.Command("g++", "-v").CombinedOutput(); err == nil {
		compiled.compiler = string(version)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		compiled.folder = filepath.Join(cache, "carina", "emulated")
		if os.MkdirAll(compiled.folder, 0o755) == nil {
			return removeUnused, nil
		}
	}
	compiled.folder, err = os.MkdirTemp("", "carina-kernels-")
	return func() { os.RemoveAll(compiled.folder) }, err
}

func removeUnused() {
	files, err := filepath.Glob(filepath.Join(compiled.folder, "*"))
	if err != nil {
		return
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > unusedFor {
			os.RemoveAll(file) // a folder where a test was killed while it compiled
		}
	}
}

// compiledLibrary returns the path of a shared library of a C++ program.
//
// Static variables of inline functions are each library's own, not unique in
// the process: several run at a time. Fibres' stacks and jumps between them look
// like overflows where a distribution's compiler checks for those unasked. Only
// C's libraries are linked, which takes less time.
func compiledLibrary(text, optimization string) (string, error) {
	flags := []string{"-std=c++17", optimization, "-fno-exceptions", "-fno-gnu-unique", "-fno-asynchronous-unwind-tables", "-U_FORTIFY_SOURCE", "-w",
		"-shared", "-fPIC", "-nostdlib"}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%q\n%s", compiled.compiler, flags, text))
	path := filepath.Join(compiled.folder, hex.EncodeToString(sum[:])+".so")
	now := time.Now()
	if os.Chtimes(path, now, now) == nil {
		return path, nil
	}
	building, err := os.MkdirTemp(compiled.folder, "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(building)
	source, fresh := filepath.Join(building, "program.cpp"), filepath.Join(building, "program.so")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return "", err
	}
	if out, err := exec.Command("g++", append(flags, "-o", fresh, source, "-lgcc", "-lm", "-lc")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, os.Rename(fresh, path)
}
