package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Build says which program this is, as far as that decides its results: its
// commit, the compiler and the processors it was built for. A program whose
// sources were changed or are not known is told from others by the hash of its
// file.
func Build() string { return build() }

// The file is read once.
var build = sync.OnceValue(describeBuild)

func describeBuild() string {
	const digits = 12
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	parts := []string{}
	if commit := settings["vcs.revision"]; commit != "" {
		parts = append(parts, commit[:min(digits, len(commit))])
	}
	if settings["vcs.revision"] == "" || settings["vcs.modified"] != "false" {
		parts = append(parts, "file "+fileHash("/proc/self/exe", digits))
	}
	parts = append(parts, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	for _, level := range []string{"GOAMD64", "GOARM64"} {
		if v := settings[level]; v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, " ")
}

// fileHash returns the first digits of the SHA-256 of a file, or that it could
// not be read.
func fileHash(path string, digits int) string {
	file, err := os.Open(path)
	if err != nil {
		return "that cannot be read"
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "that cannot be read"
	}
	return hex.EncodeToString(hash.Sum(nil))[:digits]
}
