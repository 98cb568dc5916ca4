package atomicfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// Beside names the file that is to hold contents of the given SHA-256 and takes
// nobody's place: path where nothing or the same is there, and else path with
// digits of the hash before its ending. There tells that it is there already.
func Beside(path, hash string) (name string, there bool, err error) {
	ending := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ending)
	for _, name := range []string{path, stem + "-" + hash[:8] + ending, stem + "-" + hash + ending} {
		found, err := hashOf(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, false, nil
		case err == nil && found == hash:
			return name, true, nil
		case err != nil && !errors.Is(err, ErrNoFile):
			return "", false, err
		}
	}
	return "", false, fmt.Errorf("writing %s: other files have that name and %s-%s%s, too: move one away", path, stem, hash, ending)
}

func hashOf(path string) (string, error) {
	target, err := followed(path)
	if err != nil {
		return "", err
	}
	file, err := OpenRegular(target, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
