package balance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"carina/internal/machine"
)

// SourceOf describes a file by its name and its hash; unit is that of its lengths,
// if it has one.
func SourceOf(path, unit string) (Source, error) {
	file, err := machine.Open(path)
	if err != nil {
		return Source{}, err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return Source{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return Source{File: filepath.Base(path), SHA256: hex.EncodeToString(hash.Sum(nil)), Unit: unit}, nil
}
