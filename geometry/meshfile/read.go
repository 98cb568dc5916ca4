package meshfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"carina/geometry/mesh"
	"carina/internal/machine"
)

// Format is how a file holds its triangles.
type Format string

// The formats. Unknown is any other.
const (
	Unknown Format = ""
	OBJ     Format = "OBJ"
	PLY     Format = "PLY"
	VTP     Format = "VTP"
)

// HeadSize is how many bytes FormatOf needs to see.
const HeadSize = 4096

// FormatOf tells a format by the first bytes of a file, unpacked.
func FormatOf(head []byte) Format {
	start := bytes.TrimLeft(head[:min(len(head), HeadSize)], " \t\r\n\xef\xbb\xbf")
	switch {
	case bytes.HasPrefix(start, []byte("ply\n")), bytes.HasPrefix(start, []byte("ply\r")):
		return PLY
	case isVTK(start):
		return VTP
	case isOBJ(start):
		return OBJ
	}
	return Unknown
}

// isVTK reports whether XML is VTK's.
func isVTK(start []byte) bool {
	if bytes.HasPrefix(start, []byte("<VTKFile")) {
		return true
	}
	return bytes.HasPrefix(start, []byte("<?xml")) && bytes.Contains(start, []byte("<VTKFile"))
}

// isOBJ reports whether the lines of a text are those of an OBJ file: it has no mark,
// but its first statements are vertices, names or comments.
func isOBJ(start []byte) bool {
	vertices := 0
	for line := range bytes.Lines(start) {
		words := bytes.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch string(words[0]) {
		case "v":
			if vertices++; len(words) < 4 && line[len(line)-1] == '\n' {
				return false
			}
		case "vn", "vt", "f", "o", "g", "s", "mtllib", "usemtl":
		default:
			if words[0][0] != '#' {
				// The last line may be cut off; before it, this is something else.
				return vertices > 2
			}
		}
	}
	return vertices > 0
}

// Read reads a mesh in one of the formats, with coordinates as in the file, and remarks
// about it, one sentence each.
func Read(r io.Reader, format Format) (*mesh.Mesh, []string, error) {
	read := map[Format]func([]byte, *mesh.Builder) (single bool, err error){OBJ: readOBJ, PLY: readPLY, VTP: readVTP}[format]
	if read == nil {
		return nil, nil, fmt.Errorf("there is no reader of %q", format)
	}
	data, err := machine.ReadAll(r, 1)
	var b mesh.Builder
	var single bool
	if err == nil {
		single, err = read(data, &b)
	} else if memory := new(machine.MemoryError); !errors.As(err, &memory) && !errors.Is(err, machine.ErrSwollen) {
		return nil, nil, fmt.Errorf("cannot read the file to its end, it may be truncated (%w): %s", err, mesh.ExportAgain)
	}
	var memory *machine.MemoryError
	switch {
	case errors.As(err, &memory):
		return nil, nil, fmt.Errorf("the surface is too large for this machine (%w): reduce its triangles or use a machine with more memory", memory)
	case errors.Is(err, machine.ErrSwollen):
		return nil, nil, err
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w: %s", format, err, mesh.ExportAgain)
	}
	return b.Finish(single)
}

// points are the places that a file numbers; those that no triangle uses make no
// vertices.
type points struct {
	at     func(i int) [3]float64
	count  int
	vertex []int32 // of the mesh, plus one; 0 while it is none
}

// polygon adds a polygon of places by their numbers, from 0.
func (p *points) polygon(b *mesh.Builder, numbers []int64) error {
	if len(numbers) < 3 {
		return fmt.Errorf("polygon behind triangle %d has %d corners where at least 3 are needed", len(b.Mesh.Triangles), len(numbers))
	}
	if len(p.vertex) < p.count {
		p.vertex = append(p.vertex, make([]int32, p.count-len(p.vertex))...)
	}
	corners := make([]int32, 0, 8)
	for _, n := range numbers {
		if n < 0 || n >= int64(p.count) {
			return fmt.Errorf("polygon behind triangle %d has a corner numbered %d, counted from 0, where there are %d vertices", len(b.Mesh.Triangles), n, p.count)
		}
		if p.vertex[n] == 0 {
			v, err := b.Vertex(p.at(int(n)))
			if err != nil {
				return err
			}
			p.vertex[n] = v + 1
		}
		corners = append(corners, p.vertex[n]-1)
	}
	return b.Polygon(corners)
}
