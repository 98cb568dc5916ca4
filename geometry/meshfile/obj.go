package meshfile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"carina/geometry/mesh"
	"carina/internal/quantity"
)

// readOBJ reads Wavefront OBJ: vertices, faces of any number of corners, which may be
// numbered from the end, and the names of objects and groups. Materials, normals and
// textures are passed over; curves and free-form surfaces are noted, as they are lost.
//
// Source: Wavefront, Advanced Visualizer Manual, appendix B1.
func readOBJ(data []byte, b *mesh.Builder) (single bool, err error) {
	o := objReader{b: b}
	o.at = func(i int) [3]float64 { return o.places[i] }
	if err := b.Reserve(int64(bytes.Count(data, []byte("\nf ")))); err != nil {
		return false, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for number := 1; len(data) > 0; number++ {
		var line []byte
		begins := number
		line, data = mesh.CutLine(data)
		if bytes.HasSuffix(line, []byte{'\\'}) {
			line = bytes.Clone(line) // what follows is appended to it
		}
		for bytes.HasSuffix(line, []byte{'\\'}) && len(data) > 0 {
			var more []byte
			more, data = mesh.CutLine(data)
			line[len(line)-1] = ' '
			line = append(line, more...)
			number++
		}
		if err := o.statement(line); err != nil {
			return false, fmt.Errorf("line %d: %w", begins, err)
		}
	}
	if o.passed > 0 {
		b.Note("%s of curves, points or lines passed over, of which no surface is made", quantity.Count(o.passed, "statement"))
	}
	return false, nil
}

// objReader reads an OBJ file line by line.
type objReader struct {
	points
	b      *mesh.Builder
	places [][3]float64
	// name is that of the solid that the next face begins; passed is how many
	// statements made no surface.
	name   string
	named  bool
	passed int
}

// statement reads one line.
func (o *objReader) statement(line []byte) error {
	if at := bytes.IndexByte(line, '#'); at >= 0 {
		line = line[:at]
	}
	words := bytes.Fields(line)
	if len(words) == 0 {
		return nil
	}
	switch string(words[0]) {
	case "v":
		return o.place(words[1:])
	case "f", "fo":
		return o.face(words[1:])
	case "o", "g":
		o.name, o.named = string(bytes.ToValidUTF8(bytes.Join(words[1:], []byte{' '}), []byte{'?'})), true
	case "vn", "vt", "vp", "s", "mg", "mtllib", "usemtl", "usemap", "maplib", "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "end":
	case "p", "l", "curv", "curv2", "surf", "cstype", "deg", "bmat", "step", "parm", "trim", "hole", "scrv", "sp", "con", "ctech", "stech", "call", "csh":
		o.passed++
	default:
		return fmt.Errorf("%q is no statement of OBJ", clip(words[0]))
	}
	return nil
}

// place reads a vertex. Behind x, y and z may stand numbers, a weight or a colour.
func (o *objReader) place(words [][]byte) error {
	if len(words) < 3 || len(words) > 8 {
		return fmt.Errorf("a vertex has %s where x, y and z are needed", quantity.Count(len(words), "number"))
	}
	if len(o.places) == math.MaxInt32 {
		return fmt.Errorf("there are more than %d vertices", math.MaxInt32)
	}
	var at [3]float64
	for i, word := range words {
		x, err := quantity.Plain(string(word))
		switch {
		case err != nil && i >= len(at):
			return fmt.Errorf("a vertex has %q behind its coordinates, which is no weight and no colour", clip(word))
		case err != nil:
			return fmt.Errorf("a vertex has the coordinate %q, which is no finite number", clip(word))
		case i < len(at):
			at[i] = x
		}
	}
	o.places = append(o.places, at)
	o.count = len(o.places)
	return nil
}

// face reads a polygon, whose corners are all v, v/vt, v//vn or v/vt/vn. Numbers of textures
// and normals are not followed.
func (o *objReader) face(words [][]byte) error {
	if o.named || len(o.b.Mesh.Solids) == 0 {
		o.b.Begin(o.name)
		o.named = false
	}
	numbers := make([]int64, 0, 8)
	var all cornerForm
	for i, word := range words {
		n, form, ok := corner(word)
		switch {
		case !ok:
			return fmt.Errorf("a face has the corner %q: it is a vertex's number, and behind slashes those of a texture and a normal", clip(word))
		case i > 0 && form != all:
			return fmt.Errorf("a face has the corners %q and %q: either all or none have a texture, and a normal", clip(words[0]), clip(word))
		case n < 0:
			n += int64(o.count) + 1
		}
		if n < 1 || n > int64(o.count) {
			return fmt.Errorf("a face has the corner %q where %s so far", clip(word), are(o.count))
		}
		numbers, all = append(numbers, n-1), form
	}
	if len(numbers) < 3 {
		return fmt.Errorf("a face has %s where at least 3 are needed", quantity.Count(len(numbers), "corner"))
	}
	return o.polygon(o.b, numbers)
}

// cornerForm tells what a corner has besides its vertex.
type cornerForm struct{ texture, normal bool }

// corner reads v, v/vt, v//vn or v/vt/vn; none of the numbers is 0.
func corner(word []byte) (vertex int64, form cornerForm, ok bool) {
	const most = 3
	for i, part := range bytes.SplitN(word, []byte{'/'}, most) {
		if len(part) == 0 && i > 0 {
			continue
		}
		n, err := strconv.ParseInt(string(part), 10, 64)
		if err != nil || n == 0 {
			return 0, form, false
		}
		switch i {
		case 0:
			vertex = n
		case 1:
			form.texture = true
		default:
			form.normal = true
		}
	}
	return vertex, form, true
}

func are(vertices int) string {
	if vertices == 1 {
		return "there is 1 vertex"
	}
	return fmt.Sprintf("there are %d vertices", vertices)
}

// clip shortens a word of a file for a sentence.
func clip(word []byte) string {
	const longest = 40
	if len(word) > longest {
		return string(word[:longest]) + "..."
	}
	return string(word)
}
