package report

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
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
	Share     Kind = "share"
	State     Kind = "state"
	Ground    Kind = "ground"
	Flood     Kind = "flood"
	// Parts is a part for every vertex of a graph, which no beginning tells.
	Parts Kind = "parts"
)

// kinds are what the files are called and what takes them.
var kinds = map[Kind]struct{ what, takes string }{
	Surface:   {"a surface", "carina run, voxelize, partition, inspect and view take"},
	Grid:      {"a grid file", "carina run, partition, inspect and view take"},
	Partition: {"a partition file", "carina solve, inspect, view and export take"},
	Graph:     {"a METIS graph", "carina graph and inspect take"},
	Case:      {"a case file", "carina run, voxelize and partition take where its name ends in .yaml"},
	Share:     {"one rank's share of a grid", "carina solve reads when it is given the partition file beside it"},
	State:     {"the state of a run", "carina inspect and --restart take with its whole folder"},
	Ground:    {"a grid of heights", "carina water takes"},
	Flood:     {"a case file of a flood", "carina water takes where its name ends in .yaml"},
	Parts:     {"a file with a part in every line", ""},
}

// KindOf tells what a file holds by its beginning: grid files by their first
// bytes, as shares and states and grids of heights, partition files as JSON, graphs by their name or a first
// line of two to four whole numbers; everything else is taken for a surface.
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
	case bytes.HasPrefix(head, []byte("carina share ")):
		return Share, nil
	case bytes.HasPrefix(head, []byte("carina state\n")), bytes.HasPrefix(head, []byte("carina checkpoint\n")):
		return State, nil
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")):
		return Partition, nil
	case bytes.HasPrefix(head, []byte("surface:")) || bytes.Contains(head, []byte("\nsurface:")):
		return Case, nil
	case bytes.HasPrefix(head, []byte("terrain:")) || bytes.Contains(head, []byte("\nterrain:")):
		return Flood, nil
	case len(head) > 5 && strings.EqualFold(string(head[:5]), "ncols"):
		return Ground, nil
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

// Expect refuses a file of another of our own kinds than those wanted, and says what
// takes it. What is none of them is left to those who read it, as is a pipe.
func Expect(path string, wanted ...Kind) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	kind, err := KindOf(path)
	if err != nil || slices.Contains(wanted, kind) || !isPlainly(kind, path, info.Size()) {
		return err
	}
	give := make([]string, len(wanted))
	for i, w := range wanted {
		give[i] = kinds[w].what
	}
	return fmt.Errorf("%s is %s, which %s: give %s here", path, kinds[kind].what, kinds[kind].takes, quantity.Either(give))
}

// isPlainly reports whether a file is of the kind that it is taken for: a surface
// begins as one or is as long as STL in binary, and not all JSON is a partition.
func isPlainly(kind Kind, path string, size int64) bool {
	const head, triangle = 84, 50
	file, err := machine.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	begin, err := beginning(file)
	switch {
	case err != nil:
		return false
	case kind == Partition:
		return bytes.Contains(begin, []byte(`"carina partition"`))
	case kind != Surface || bytes.HasPrefix(begin, []byte("solid")) || geometry.IsSurface(begin):
		return true
	}
	return len(begin) >= head && size == head+triangle*int64(binary.LittleEndian.Uint32(begin[head-4:]))
}
