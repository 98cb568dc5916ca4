package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"carina/geometry"
	"carina/internal/machine"
)

// Kind is what a file holds.
type Kind string

// The kinds of files that Carina reads.
const (
	Surface   Kind = "surface"
	Grid      Kind = "grid"
	Partition Kind = "partition"
	Graph     Kind = "graph"
	Case      Kind = "case"
)

// KindOf tells what a file holds by its beginning: grid files by their first
// bytes, partition files as JSON, graphs by their name or a first line of two
// to four whole numbers; everything else is taken for a surface.
func KindOf(path string) (Kind, error) {
	file, err := machine.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	defer file.Close()
	head, err := beginning(file)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	switch {
	case bytes.HasPrefix(head, []byte(geometry.GridMagic)):
		return Grid, nil
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")):
		return Partition, nil
	case bytes.HasPrefix(head, []byte("surface:")) || bytes.Contains(head, []byte("\nsurface:")):
		return Case, nil
	case strings.HasSuffix(path, ".graph") || looksLikeGraph(head):
		return Graph, nil
	}
	return Surface, nil
}

// beginning returns the first bytes of a file, decompressed if it is gzipped.
func beginning(file io.Reader) ([]byte, error) {
	const enough = 512
	buffered, err := machine.Unpack(file)
	if err != nil {
		return nil, err
	}
	head := make([]byte, enough)
	n, err := io.ReadFull(buffered, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return bytes.TrimPrefix(head[:n], []byte("\ufeff")), nil
}

func looksLikeGraph(head []byte) bool {
	for line := range strings.Lines(string(head)) {
		if strings.HasPrefix(line, "%") {
			continue
		}
		fields := strings.Fields(line)
		for _, field := range fields {
			if strings.Trim(field, "0123456789") != "" {
				return false
			}
		}
		return len(fields) >= 2 && len(fields) <= 4
	}
	return false
}

// CheckSurface refuses files of other kinds where a surface or a grid is wanted, and says
// what takes them.
func CheckSurface(path string) error {
	kind, err := KindOf(path)
	switch {
	case err != nil || kind == Grid || kind == Surface:
		return err
	case kind == Case:
		return fmt.Errorf("%s looks like a case file: let its name end in .yaml", path)
	}
	takes := "carina solve"
	if kind == Graph {
		takes = "carina graph"
	}
	return fmt.Errorf("%s is a %s file, which %s takes: give a surface or a grid here", path, kind, takes)
}
