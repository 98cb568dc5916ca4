package partition

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
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
	p := &metisReader{in: bufio.NewReaderSize(r, 1<<16), line: 1}
	var parts []int32
	fail := func(err error) ([]int32, error) { return nil, fmt.Errorf("part file, line %d: %w", p.line, err) }
	for {
		x, err := p.number()
		switch {
		case err == io.EOF:
			if len(parts) != n {
				return fail(fmt.Errorf("%d parts for %d vertices; give one line per vertex", len(parts), n))
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
			return fail(fmt.Errorf("more lines than the %d vertices", n))
		}
		parts = append(parts, int32(x))
		if err := p.endLine(); err != nil {
			return fail(err)
		}
	}
}

// WriteMETIS writes g in the METIS format that [ReadMETIS] reads, with weights
// where g stores them.
func WriteMETIS(w io.Writer, g *Graph) error {
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

func appendVertexLine(line []byte, g *Graph, v int32) []byte {
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
