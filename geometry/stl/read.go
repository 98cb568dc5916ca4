package stl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"carina/geometry/mesh"
	"carina/internal/machine"
	"carina/internal/quantity"

	"github.com/hschendel/stl"
)

// Sizes of the parts of a binary STL file.
const (
	stlHeader   = 84
	stlTriangle = 50
)

// Read reads a mesh from an STL file, binary or ASCII, plain or gzipped, with
// coordinates as in the file, and remarks about it, one sentence each.
//
// The parsing is github.com/hschendel/stl's. In front of it stand the checks
// that it does not make: it takes NaN and a triangle count that the file does
// not hold, knows keywords in lower case only, and stops after the first
// solid.
func Read(r io.Reader) (m *mesh.Mesh, notes []string, err error) {
	buffered, err := machine.Unpack(r)
	if err != nil {
		return nil, nil, err
	}
	shortest := int64(stlTriangle)
	if head, _ := buffered.Peek(1024); isASCII(head) {
		shortest = shortestASCII
	}
	data, err := machine.ReadAll(buffered, mesh.BytesPerTriangle/shortest)
	if err == nil {
		err = admitTriangles(data)
	}
	var memory *machine.MemoryError
	if errors.As(err, &memory) {
		return nil, nil, fmt.Errorf("the surface is too large for this machine (%w): reduce its triangles or use a machine with more memory", memory)
	}
	if errors.Is(err, machine.ErrSwollen) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the file to its end, it may be truncated (%w): %s", err, mesh.ExportAgain)
	}
	c, err := collect(data, false)
	if err != nil {
		return nil, nil, err
	}
	coarse := c.coarseness()
	if coarse > mesh.Coarsest && isASCII(data) {
		// The text may say more than single precision holds.
		if c, err = collect(data, true); err != nil {
			return nil, nil, err
		}
		coarse = c.coarseness()
	}
	if coarse > mesh.Coarsest {
		c.NoteCoarse(coarse)
	}
	if err := c.CheckFarthest(); err != nil {
		return nil, nil, err
	}
	return &c.Mesh, c.Notes, nil
}

// collect reads the triangles of a file, of text with all digits where exact is
// set.
func collect(data []byte, exact bool) (*collector, error) {
	c := &collector{exact: exact}
	var err error
	if isASCII(data) {
		err = readASCII(data, c)
	} else {
		err = readBinary(data, c)
	}
	if err == nil && c.err != nil {
		err = fmt.Errorf("%w: %s", c.err, mesh.ExportAgain)
	}
	if err == nil && len(c.Mesh.Triangles) == 0 {
		err = errors.New("the file holds no triangles: " + mesh.ExportAgain)
	}
	return c, err
}

// shortestASCII is how many bytes a triangle hardly has less of in an ASCII file.
const shortestASCII = 150

// admitTriangles asks for the memory that the triangles of a file will take.
func admitTriangles(data []byte) error {
	if isASCII(data) {
		// A solid is copied before it is parsed.
		return machine.Admit(int64(len(data)) + int64(len(data)/shortestASCII)*mesh.BytesPerTriangle)
	}
	return machine.Admit(int64(len(data)/stlTriangle) * mesh.BytesPerTriangle)
}

// isASCII tells the two kinds of STL apart. A size that fits the binary
// triangle count settles it, because binary headers may begin with "solid".
func isASCII(data []byte) bool {
	if len(data) >= stlHeader {
		count := int64(binary.LittleEndian.Uint32(data[80:]))
		if int64(len(data)) == stlHeader+count*stlTriangle {
			return false
		}
	}
	start := bytes.TrimLeft(data[:min(len(data), 1024)], " \t\r\n\xef\xbb\xbf")
	if len(start) < 5 || !bytes.EqualFold(start[:5], []byte("solid")) && !bytes.EqualFold(start[:5], []byte("facet")) {
		return false
	}
	return bytes.IndexByte(start, 0) < 0
}

func readBinary(data []byte, c *collector) error {
	if len(data) == 0 {
		return errors.New("the file is empty: " + mesh.ExportAgain)
	}
	if len(data) < stlHeader {
		if err := refuseForeign(data); err != nil {
			return err
		}
		return fmt.Errorf("the file has %s, too few for an STL file: %s", quantity.Count(len(data), "byte"), mesh.ExportAgain)
	}
	promised := int64(binary.LittleEndian.Uint32(data[80:]))
	if int64(len(data)) != stlHeader+promised*stlTriangle {
		if err := refuseForeign(data); err != nil {
			return err
		}
	}
	present := int64(len(data)-stlHeader) / stlTriangle
	rest := int64(len(data)-stlHeader) % stlTriangle
	switch {
	case rest == 0 && present > 0 && (promised == 0 || promised == math.MaxUint32):
		// Some programs write the count before they know it.
		c.Note("the header's triangle count %d is wrong, the file's size says %d", promised, present)
		promised = present
	case promised > present:
		return fmt.Errorf("the file is truncated or not STL: its header promises %s and %d are there: %s", quantity.Count(promised, "triangle"), present, mesh.ExportAgain)
	case present > promised && !allZero(data[stlHeader+promised*stlTriangle:]):
		// Neither number can be told to be the right one.
		return fmt.Errorf("the file is damaged: its header promises %s, but there are bytes for %d: %s", quantity.Count(promised, "triangle"), present, mesh.ExportAgain)
	case present > promised || rest > 0:
		c.Note("ignored: %s behind the last triangle", quantity.Count(int64(len(data))-stlHeader-promised*stlTriangle, "byte"))
	}
	body := data[:stlHeader+promised*stlTriangle]
	binary.LittleEndian.PutUint32(body[80:], uint32(promised))
	c.Begin("")
	return stl.CopyAll(bytes.NewReader(body), c)
}

// allZero tells whether bytes are nothing but padding.
func allZero(data []byte) bool {
	return len(bytes.TrimLeft(data, "\x00")) == 0
}

// collector is the stl.Writer that builds a mesh.
type collector struct {
	mesh.Builder
	err error
	// exact is set where corners are taken instead of the library's numbers of
	// single precision, from which they differ by up to finer.
	exact   bool
	finer   float64
	corners []float64
}

var _ stl.Writer = (*collector)(nil)

func (c *collector) SetName(string)          {}
func (c *collector) SetBinaryHeader([]byte)  {}
func (c *collector) SetASCII(bool)           {}
func (c *collector) SetTriangleCount(uint32) {}
func (c *collector) AppendTriangle(t stl.Triangle) {
	var corners [3]int32
	for i, v := range t.Vertices {
		if c.err != nil {
			return
		}
		var at [3]float64
		for axis, x := range v {
			at[axis] = float64(x)
			if len(c.corners) > 0 && !math.IsNaN(at[axis]) && !math.IsInf(at[axis], 0) {
				c.finer = max(c.finer, math.Abs(c.corners[0]-at[axis]))
				at[axis], c.corners = c.corners[0], c.corners[1:]
			}
		}
		corners[i], c.err = c.Vertex(at)
	}
	if c.err == nil {
		c.Triangle(corners)
	}
}

// coarseness is the mesh's, 0 where the coordinates hold more digits than those of
// single precision.
func (c *collector) coarseness() float64 {
	if c.finer > c.Apart()/256 {
		return 0
	}
	return c.Coarseness()
}
