package meshtest

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"carina/geometry/mesh"
)

// OBJ is a mesh as a file of Wavefront OBJ.
func OBJ(m *mesh.Mesh) []byte {
	var b bytes.Buffer
	b.WriteString("# a mesh\no lumen\n")
	for _, v := range m.Vertices {
		fmt.Fprintf(&b, "v %v %v %v\n", v.X, v.Y, v.Z)
	}
	for _, t := range m.Triangles {
		fmt.Fprintf(&b, "f %d//1 %d//1 %d//1\n", t.V[0]+1, t.V[1]+1, t.V[2]+1)
	}
	return b.Bytes()
}

// PLY is a mesh as a file of PLY: ascii, binary_little_endian or binary_big_endian.
func PLY(m *mesh.Mesh, format string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "ply\nformat %s 1.0\ncomment a mesh\nelement vertex %d\nproperty uchar red\nproperty double x\nproperty double y\nproperty double z\n"+
		"element face %d\nproperty list uchar int vertex_indices\nend_header\n", format, len(m.Vertices), len(m.Triangles))
	var order binary.AppendByteOrder = binary.LittleEndian
	if format == "binary_big_endian" {
		order = binary.BigEndian
	}
	for _, v := range m.Vertices {
		if format == "ascii" {
			fmt.Fprintf(&b, "7 %v %v %v\n", v.X, v.Y, v.Z)
			continue
		}
		b.WriteByte(7)
		for _, x := range []float64{v.X, v.Y, v.Z} {
			b.Write(order.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	for _, t := range m.Triangles {
		if format == "ascii" {
			fmt.Fprintf(&b, "3 %d %d %d\n", t.V[0], t.V[1], t.V[2])
			continue
		}
		b.WriteByte(3)
		for _, i := range t.V {
			b.Write(order.AppendUint32(nil, uint32(i)))
		}
	}
	return b.Bytes()
}

// VTPEncodings are the encodings that VTP knows.
var VTPEncodings = []string{"ascii", "binary", "binary compressed", "appended raw", "appended raw compressed", "appended base64", "appended base64 compressed"}

// VTP is a mesh as a file of VTK's XML poly data in one of VTPEncodings.
func VTP(m *mesh.Mesh, encoding string) []byte {
	format, _, _ := strings.Cut(encoding, " ")
	compressed, raw := strings.HasSuffix(encoding, "compressed"), strings.Contains(encoding, "raw")
	compressor := ""
	if compressed {
		compressor = ` compressor="vtkZLibDataCompressor"`
	}
	var points, corners, ends []byte
	texts := [3]strings.Builder{}
	for _, v := range m.Vertices {
		for _, x := range []float64{v.X, v.Y, v.Z} {
			points = binary.LittleEndian.AppendUint64(points, math.Float64bits(x))
			fmt.Fprintf(&texts[0], "%v ", x)
		}
	}
	for i, t := range m.Triangles {
		for _, k := range t.V {
			corners = binary.LittleEndian.AppendUint32(corners, uint32(k))
			fmt.Fprintf(&texts[1], "%d ", k)
		}
		ends = binary.LittleEndian.AppendUint64(ends, uint64(3*i+3))
		fmt.Fprintf(&texts[2], "%d\n", 3*i+3)
	}
	var appended bytes.Buffer
	array := func(i int, attributes string, data []byte) string {
		open := fmt.Sprintf("<DataArray %s format=%q", attributes, format)
		switch format {
		case "ascii":
			return open + ">\n" + texts[i].String() + "\n</DataArray>\n"
		case "binary":
			return open + ">\n  " + vtkBlock(data, compressed, false) + "\n</DataArray>\n"
		}
		open += fmt.Sprintf(" offset=\"%d\"/>\n", appended.Len())
		appended.WriteString(vtkBlock(data, compressed, raw))
		return open
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\" header_type=\"UInt32\"%s>\n<PolyData>\n"+
		"<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n<Points>\n", compressor, len(m.Vertices), len(m.Triangles))
	b.WriteString(array(0, `type="Float64" Name="Points" NumberOfComponents="3"`, points))
	b.WriteString("</Points>\n<Polys>\n" + array(1, `type="Int32" Name="connectivity"`, corners) + array(2, `type="Int64" Name="offsets"`, ends) + "</Polys>\n</Piece>\n</PolyData>\n")
	if format == "appended" {
		kind := "base64"
		if raw {
			kind = "raw"
		}
		fmt.Fprintf(&b, "<AppendedData encoding=%q>\n _%s\n</AppendedData>\n", kind, appended.String())
	}
	b.WriteString("</VTKFile>\n")
	return b.Bytes()
}

// vtkBlock is data behind their header, compressed in pieces or whole, raw or in base64,
// where the header of compressed data is encoded by itself.
func vtkBlock(data []byte, compressed, raw bool) string {
	encode := base64.StdEncoding.EncodeToString
	if raw {
		encode = func(b []byte) string { return string(b) }
	}
	if !compressed {
		return encode(append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), data...))
	}
	const block = 1 << 12
	blocks := (len(data) + block - 1) / block
	header := binary.LittleEndian.AppendUint32(nil, uint32(blocks))
	header = binary.LittleEndian.AppendUint32(header, block)
	header = binary.LittleEndian.AppendUint32(header, uint32(len(data)%block))
	var packed bytes.Buffer
	for i := range blocks {
		before := packed.Len()
		// A bytes.Buffer takes everything.
		z := zlib.NewWriter(&packed)
		_, _ = z.Write(data[i*block : min((i+1)*block, len(data))])
		_ = z.Close()
		header = binary.LittleEndian.AppendUint32(header, uint32(packed.Len()-before))
	}
	return encode(header) + encode(packed.Bytes())
}

// NIfTI is an image of labels as a file of NIfTI-1 with voxels of the given sides in mm,
// the centre of the first at a place in the patient.
func NIfTI(n [3]int, sides, at [3]float64, label func(x, y, z int) uint8) []byte {
	b := make([]byte, 352, 352+n[0]*n[1]*n[2])
	put := binary.LittleEndian
	real := func(at int, x float64) { put.PutUint32(b[at:], math.Float32bits(float32(x))) }
	put.PutUint32(b, 348)
	put.PutUint16(b[40:], 3)
	put.PutUint16(b[70:], 2)
	put.PutUint16(b[72:], 8)
	real(76, 1)
	real(108, 352)
	b[123] = 2
	put.PutUint16(b[254:], 1)
	for i := range 3 {
		put.PutUint16(b[42+2*i:], uint16(n[i]))
		real(80+4*i, sides[i])
		real(280+16*i+4*i, sides[i])
		real(280+16*i+12, at[i])
	}
	copy(b[344:], "n+1\x00")
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				b = append(b, label(x, y, z))
			}
		}
	}
	return b
}
