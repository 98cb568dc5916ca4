package stl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"carina/geometry/mesh"
	"carina/internal/machine"
	"carina/internal/quantity"

	"github.com/hschendel/stl"
	"gonum.org/v1/gonum/spatial/r3"
)

// exportAgain is what to do with a file that is damaged.
const exportAgain = "export the surface again from the program that made it"

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
	data, err := machine.ReadAll(buffered, bytesPerTriangle/shortest)
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
		return nil, nil, fmt.Errorf("cannot read the file to its end, it may be truncated (%w): %s", err, exportAgain)
	}
	c, err := collect(data, false)
	if err != nil {
		return nil, nil, err
	}
	coarse := c.coarseness()
	if coarse > coarsest && isASCII(data) {
		// The text may say more than single precision holds.
		if c, err = collect(data, true); err != nil {
			return nil, nil, err
		}
		coarse = c.coarseness()
	}
	if coarse > coarsest {
		c.note("the coordinates lie so far from their origin that they lost digits: the places that they can tell apart are %.2g %% of a triangle's side from each other, so that volume and shape are not to be relied on; move the surface to the origin and export it again", 100*coarse)
	}
	if err := c.checkFarthest(); err != nil {
		return nil, nil, err
	}
	return &c.mesh, c.notes, nil
}

// collect reads the triangles of a file, of text with all digits where exact is
// set.
func collect(data []byte, exact bool) (*collector, error) {
	c := &collector{index: map[[3]float64]int32{}, exact: exact}
	var err error
	if isASCII(data) {
		err = readASCII(data, c)
	} else {
		err = readBinary(data, c)
	}
	if err == nil {
		err = c.err
	}
	if err == nil && len(c.mesh.Triangles) == 0 {
		err = errors.New("the file holds no triangles: " + exportAgain)
	}
	return c, err
}

// bytesPerTriangle is what a triangle takes until it is voxels, measured up to
// 1.6 million; in an ASCII file it has hardly less than shortestASCII bytes.
const bytesPerTriangle, shortestASCII = 550, 150

// admitTriangles asks for the memory that the triangles of a file will take.
func admitTriangles(data []byte) error {
	if isASCII(data) {
		// A solid is copied before it is parsed.
		return machine.Admit(int64(len(data)) + int64(len(data)/shortestASCII)*bytesPerTriangle)
	}
	return machine.Admit(int64(len(data)/stlTriangle) * bytesPerTriangle)
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
		return errors.New("the file is empty: " + exportAgain)
	}
	if len(data) < stlHeader {
		if err := refuseForeign(data); err != nil {
			return err
		}
		return fmt.Errorf("the file has %s, too few for an STL file: %s", quantity.Count(len(data), "byte"), exportAgain)
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
		c.note("the header's triangle count %d is wrong, the file's size says %d", promised, present)
		promised = present
	case promised > present:
		return fmt.Errorf("the file is truncated or not STL: its header promises %s and %d are there: %s", quantity.Count(promised, "triangle"), present, exportAgain)
	case present > promised && !allZero(data[stlHeader+promised*stlTriangle:]):
		// Neither number can be told to be the right one.
		return fmt.Errorf("the file is damaged: its header promises %s, but there are bytes for %d: %s", quantity.Count(promised, "triangle"), present, exportAgain)
	case present > promised || rest > 0:
		c.note("ignored: %s behind the last triangle", quantity.Count(int64(len(data))-stlHeader-promised*stlTriangle, "byte"))
	}
	body := data[:stlHeader+promised*stlTriangle]
	binary.LittleEndian.PutUint32(body[80:], uint32(promised))
	c.begin("")
	return stl.CopyAll(bytes.NewReader(body), c)
}

// allZero tells whether bytes are nothing but padding.
func allZero(data []byte) bool {
	return len(bytes.TrimLeft(data, "\x00")) == 0
}

// collector is the stl.Writer that builds a mesh: it merges equal vertices
// and refuses coordinates that are no numbers.
type collector struct {
	mesh  mesh.Mesh
	notes []string
	index map[[3]float64]int32
	solid int32
	err   error
	// exact is set where corners are taken instead of the library's numbers of
	// single precision, from which they differ by up to finer.
	exact   bool
	finer   float64
	corners []float64
}

var _ stl.Writer = (*collector)(nil)

func (c *collector) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// longestSolid is how many bytes of a solid's name are kept.
const longestSolid = 200

// begin starts a new solid. A name that no table could show is shortened.
func (c *collector) begin(name string) {
	if len(name) > longestSolid {
		c.note("the name of solid %d has %d bytes and is shortened to %d", len(c.mesh.Solids)+1, len(name), longestSolid)
		name = strings.ToValidUTF8(name[:longestSolid], "") + "…"
	}
	c.solid = int32(len(c.mesh.Solids))
	c.mesh.Solids = append(c.mesh.Solids, name)
}

func (c *collector) SetName(string)          {}
func (c *collector) SetBinaryHeader([]byte)  {}
func (c *collector) SetASCII(bool)           {}
func (c *collector) SetTriangleCount(uint32) {}
func (c *collector) AppendTriangle(t stl.Triangle) {
	if c.err != nil {
		return
	}
	out := mesh.Triangle{Solid: c.solid}
	for i, v := range t.Vertices {
		var at [3]float64
		for axis, x := range v {
			f := float64(x)
			if math.IsNaN(f) || math.IsInf(f, 0) {
				c.err = fmt.Errorf("triangle %d has a coordinate that is not a finite number: %s", len(c.mesh.Triangles)+1, exportAgain)
				return
			}
			if len(c.corners) > 0 {
				c.finer = max(c.finer, math.Abs(c.corners[0]-f))
				f, c.corners = c.corners[0], c.corners[1:]
			}
			at[axis] = f + 0 // turns -0 into +0, which are the same place
		}
		out.V[i] = c.vertex(at)
	}
	c.mesh.Triangles = append(c.mesh.Triangles, out)
}

func (c *collector) vertex(at [3]float64) int32 {
	if i, ok := c.index[at]; ok {
		return i
	}
	i := int32(len(c.mesh.Vertices))
	c.index[at] = i
	c.mesh.Vertices = append(c.mesh.Vertices, r3.Vec{X: at[0], Y: at[1], Z: at[2]})
	return i
}
