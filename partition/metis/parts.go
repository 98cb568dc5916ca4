package metis

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"

	"carina/internal/quantity"
	"carina/partition/graph"
)

// WriteParts writes a part file as METIS does: one part number, from 0, per
// line and vertex.
func WriteParts(w io.Writer, parts []int32) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for _, p := range parts {
		line = strconv.AppendInt(line[:0], int64(p), 10)
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("writing the part file: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the part file: %w", err)
	}
	return nil
}

// ReadParts reads a part file for a graph of n vertices: n numbers from 0 to
// k-1, one per line. Errors name the line.
func ReadParts(r io.Reader, n, k int) ([]int32, error) {
	return readLabels(r, n, k, (*metisReader).number)
}

// ReadFixed reads a file of fixed vertices for [Options.Fixed], as hMETIS and
// KaHyPar use them: one line per vertex with the part, from 0 to k-1, that it
// must be in, or -1 where it is free. Errors name the line.
func ReadFixed(r io.Reader, n, k int) ([]int32, error) {
	return readLabels(r, n, k, (*metisReader).numberOrFree)
}

// readLabels reads n numbers up to k-1, one per line.
func readLabels(r io.Reader, n, k int, number func(*metisReader) (int64, error)) ([]int32, error) {
	p := newMETISReader(r)
	var parts []int32
	fail := func(err error) ([]int32, error) { return nil, fmt.Errorf("part file, line %d: %w", p.line, err) }
	for {
		x, err := number(p)
		switch {
		case err == io.EOF:
			if len(parts) != n {
				return fail(fmt.Errorf("%s for %s; give one line per vertex", quantity.Count(len(parts), "part"), quantity.Count(n, "vertex")))
			}
			return parts, nil
		case errors.Is(err, errEndOfLine):
			if err := p.endLine(); err != nil {
				return fail(err)
			}
			continue
		case err != nil:
			return fail(err)
		case x >= int64(k):
			return fail(fmt.Errorf("part %d; parts run from 0 to %d", x, k-1))
		case len(parts) == n:
			return fail(fmt.Errorf("more lines than the %s", quantity.Count(n, "vertex")))
		}
		parts = append(parts, int32(x))
		if err := p.endLine(); err != nil {
			return fail(err)
		}
	}
}

// numberOrFree is number that also takes -1.
func (p *metisReader) numberOrFree() (int64, error) {
	for {
		switch c, err := p.in.Peek(1); {
		case err != nil:
			return 0, err
		case c[0] == ' ' || c[0] == '\t':
			if _, err := p.in.Discard(1); err != nil {
				return 0, err
			}
			continue
		case c[0] != '-':
			return p.number()
		}
		if _, err := p.in.Discard(1); err != nil {
			return 0, err
		}
		if x, err := p.number(); err != nil || x != 1 {
			return 0, errors.New("a part below 0; only -1, for a free vertex, may be negative")
		}
		return -1, nil
	}
}

// Write writes g in the METIS format that [ReadMETIS] reads, with weights
// where g stores them.
func Write(w io.Writer, g *graph.Graph) error {
	out := bufio.NewWriterSize(w, 1<<16)
	line := strconv.AppendInt(nil, int64(g.Vertices()), 10)
	line = strconv.AppendInt(append(line, ' '), int64(g.Edges()), 10)
	switch {
	case g.VertexWeights != nil && g.EdgeWeights != nil:
		line = append(line, " 11"...)
	case g.VertexWeights != nil:
		line = append(line, " 10"...)
	case g.EdgeWeights != nil:
		line = append(line, " 1"...)
	}
	for v := -1; ; {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("writing the METIS graph: %w", err)
		}
		if v++; v == g.Vertices() {
			break
		}
		line = appendVertexLine(line[:0], g, int32(v))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the METIS graph: %w", err)
	}
	return nil
}

func appendVertexLine(line []byte, g *graph.Graph, v int32) []byte {
	if g.VertexWeights != nil {
		line = strconv.AppendInt(line, g.VertexWeights[v], 10)
	}
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		if len(line) > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, int64(g.Neighbours[e])+1, 10)
		if g.EdgeWeights != nil {
			line = strconv.AppendInt(append(line, ' '), g.EdgeWeights[e], 10)
		}
	}
	return line
}
