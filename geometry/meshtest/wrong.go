package meshtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"carina/geometry/mesh"
)

// WrongImages are images with which something is wrong, by what is; the right one has 0
// and 1.
func WrongImages(right []byte) map[string][]byte {
	changed := func(change func(b []byte)) []byte {
		b := bytes.Clone(right)
		change(b)
		return b
	}
	short := func(at int, value uint16) []byte {
		return changed(func(b []byte) { binary.LittleEndian.PutUint16(b[at:], value) })
	}
	real := func(at int, value float64) []byte {
		return changed(func(b []byte) { binary.LittleEndian.PutUint32(b[at:], math.Float32bits(float32(value))) })
	}
	zero := func(from, to int) []byte { return changed(func(b []byte) { clear(b[from:to]) }) }
	return map[string][]byte{
		"truncated header": right[:347], "truncated behind the header": right[:352], "truncated voxels": right[:len(right)-1],
		"Analyze": zero(344, 348), "a pair of files": changed(func(b []byte) { copy(b[344:], "ni1") }), "two dimensions": short(40, 2), "no dimensions": short(40, 0),
		"a time series": changed(func(b []byte) { b[40], b[48] = 4, 5 }), "a flat image": short(46, 1), "no voxels along x": short(42, 0), "negative voxels along y": short(44, 0xffff),
		"more voxels than bytes": short(46, 32767), "a slice larger than the file": changed(func(b []byte) { copy(b[42:], "\xff\x7f\xff\x7f") }),
		"colours": short(70, 128), "complex numbers": short(70, 32), "unknown type": short(70, 7), "bits": short(70, 1), "wider voxels than bytes": changed(func(b []byte) { b[70], b[72] = 64, 64 }), "voxels of 12 bits": short(72, 12),
		"a rotation that is none": changed(func(b []byte) {
			b[252], b[254] = 1, 0
			binary.LittleEndian.PutUint32(b[256:], math.Float32bits(0.9))
			binary.LittleEndian.PutUint32(b[260:], math.Float32bits(0.9))
		}),
		"voxels within the header": real(108, 100), "voxels beyond the file": real(108, 1e9), "voxels nowhere": real(108, math.NaN()),
		"flat voxels": zero(280, 292), "a matrix of nan": real(280, math.NaN()), "a matrix of infinity": real(284, math.Inf(1)), "infinitely far away": real(292, math.Inf(-1)),
		"nothing inside": zero(352, len(right)), "all inside": changed(func(b []byte) {
			for i := 352; i < len(b); i++ {
				b[i] = 1
			}
		}), "intensities": changed(func(b []byte) {
			b[70], b[72], b[352], b[353] = 4, 16, 0x18, 0xfc // -1000 in 16 bits
		}), "negative by its intercept": changed(func(b []byte) {
			binary.LittleEndian.PutUint32(b[112:], math.Float32bits(1))
			binary.LittleEndian.PutUint32(b[116:], math.Float32bits(-1024))
		}), "values between labels": real(112, 1.5),
	}
}

// WrongFiles are files of a mesh that something is wrong with, by the format and by what
// is wrong.
func WrongFiles(m *mesh.Mesh) map[string]map[string][]byte {
	return map[string]map[string][]byte{"OBJ": wrongOBJ(m), "PLY": wrongPLY(m), "VTP": wrongVTP(m)}
}

func texts(of map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for name, text := range of {
		all[name] = []byte(text)
	}
	return all
}

func wrongOBJ(m *mesh.Mesh) map[string][]byte {
	const v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
	whole := string(OBJ(m))
	return texts(map[string]string{
		"vertices alone": v, "no vertices": "f 1 2 3\n", "comments alone": "# nothing\n", "two corners": v + "f 1 2\n", "no corners": v + "f\n",
		"corner 0": v + "f 0 1 2\n", "corner too high": v + "f 1 2 4\n", "corner too low": v + "f -4 -1 -2\n", "corner too early": "v 0 0 0\nf 1 2 3\nv 1 0 0\nv 0 1 0\n",
		"corner no number": v + "f 1 2 x\n", "corner with a point": v + "f 1.0 2 3\n", "corner overflows": v + "f 1 2 99999999999999999999\n", "corner empty": v + "f 1 2 /3\n",
		"two coordinates": "v 0 0\n" + v + "f 1 2 3\n", "coordinate no number": "v a 0 0\n" + v + "f 1 2 3\n", "coordinate with an underscore": "v 1_0 0 0\n" + v + "f 1 2 3\n", "coordinate infinite": "v inf 0 0\n" + v + "f 1 2 3\n",
		"coordinate nan": "v 0 nan 0\n" + v + "f 1 2 3\n", "coordinate overflows": "v 1e999 0 0\n" + v + "f 1 2 3\n", "unknown statement": v + "face 1 2 3\n",
		"far corner": strings.Replace(whole, "\nv ", "\nv 1e30 ", 1), "binary behind": whole[:200] + "\x00\x01\x02\n" + whole[200:], "another format": "solid a\nendsolid a\n",
		"too many numbers": "v 0 0 0 0 0 0 0 0 0 0\n" + v + "f 1 2 3\n", "comma": "v 0,0 0,0 0,0\n" + v + "f 1 2 3\n",
		"texture no number": v + "f 1/x 2 3\n", "texture 0": v + "f 1/0 2/1 3/1\n", "normal no number": v + "f 1//x 2//1 3//1\n", "normal with a point": v + "f 1/1/1.5 2/1/1 3/1/1\n",
		"four numbers": v + "f 1/1/1/1 2/1/1/1 3/1/1/1\n", "one texture": v + "f 1/1 2 3\n", "normals of some": v + "f 1/1/1 2/2/2 3/3\n", "weight no number": "v 0 0 0 x\n" + v + "f 1 2 3\n",
	})
}

func wrongPLY(m *mesh.Mesh) map[string][]byte {
	const head, vertex, face = "ply\nformat ascii 1.0\n", "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n", "element face 1\nproperty list uchar int vertex_indices\n"
	const end, body = "end_header\n0 0 0\n1 0 0\n0 1 0\n", "3 0 1 2\n"
	binaryFile := PLY(m, "binary_little_endian")
	all := texts(map[string]string{
		"no end of header": head + vertex + face, "no format": "ply\n" + vertex + face + end + body, "unknown format": "ply\nformat utf8 1.0\n" + vertex + face + end + body,
		"version 2": "ply\nformat ascii 2.0\n" + vertex + face + end + body, "unknown statement": head + "elements vertex 3\n" + face + end + body,
		"unknown type": head + strings.Replace(vertex, "float", "real", 1) + face + end + body, "list of real length": head + vertex + strings.Replace(face, "uchar", "float", 1) + end + body,
		"property before element": head + "property float x\n" + vertex + face + end + body, "negative count": head + strings.Replace(vertex, "3", "-3", 1) + face + end + body,
		"count no number": head + strings.Replace(vertex, "3", "many", 1) + face + end + body, "no z": head + strings.Replace(vertex, "property float z\n", "", 1) + face + end + body,
		"no list of corners": head + vertex + "element face 1\nproperty int corner\n" + end + "0\n", "faces first": head + face + vertex + "end_header\n3 0 1 2\n0 0 0\n1 0 0\n0 1 0\n",
		"no faces": head + vertex + end, "corner too high": head + vertex + face + end + "3 0 1 3\n", "corner negative": head + vertex + face + end + "3 0 1 -1\n", "corner with a point": head + vertex + face + end + "3 0 1 1.5\n",
		"two corners": head + vertex + face + end + "2 0 1\n", "length negative": head + vertex + strings.Replace(face, "uchar", "int", 1) + end + "-3 0 1 2\n",
		"length too long": head + vertex + strings.Replace(face, "uchar", "int", 1) + end + "2000000000 0 1 2\n", "word for a number": head + vertex + face + "end_header\n0 0 zero\n1 0 0\n0 1 0\n" + body,
		"underscore": head + vertex + face + "end_header\n0 0 1_0\n1 0 0\n0 1 0\n" + body, "nan": head + vertex + face + "end_header\n0 0 nan\n1 0 0\n0 1 0\n" + body, "too few vertices": head + vertex + face + "end_header\n0 0 0\n1 0 0\n", "nothing behind": head + vertex + face + "end_header\n",
		"coordinate with a point": head + strings.ReplaceAll(vertex, "float", "short") + face + "end_header\n0 0 0\n1.5 0 0\n0 1 0\n" + body, "coordinate beyond its type": head + strings.ReplaceAll(vertex, "float", "short") + face + "end_header\n0 0 0\n40000 0 0\n0 1 0\n" + body,
		"length beyond its type": head + vertex + face + end + "259 0 1 2\n", "two formats": head + "format ascii 1.0\n" + vertex + face + end + body,
		"x twice": head + strings.Replace(vertex, "float y", "float x\nproperty float y", 1) + face + "end_header\n0 0 0 0\n1 1 0 0\n0 0 1 0\n" + body, "vertices twice": head + vertex + vertex + face + end + "0 0 0\n1 0 0\n0 1 0\n" + body,
	})
	all["truncated"] = binaryFile[:len(binaryFile)-5]
	all["more vertices than bytes"] = bytes.Replace(binaryFile, fmt.Appendf(nil, "vertex %d", len(m.Vertices)), []byte("vertex 2000000000"), 1)
	all["more faces than bytes"] = bytes.Replace(binaryFile, fmt.Appendf(nil, "face %d", len(m.Triangles)), []byte("face 2000000000"), 1)
	all["another order of bytes"] = bytes.Replace(binaryFile, []byte("little"), []byte("big"), 1)
	return all
}

func wrongVTP(m *mesh.Mesh) map[string][]byte {
	plain, packed, inline := VTP(m, "ascii"), VTP(m, "appended raw compressed"), VTP(m, "binary compressed")
	change := func(data []byte, from, to string) []byte { return bytes.Replace(data, []byte(from), []byte(to), 1) }
	points, polygons := fmt.Sprintf("NumberOfPoints=\"%d\"", len(m.Vertices)), fmt.Sprintf("NumberOfPolys=\"%d\"", len(m.Triangles))
	underscore := bytes.Index(packed, []byte(">\n _")) + len(">\n _")
	damaged := bytes.Clone(packed)
	for i := underscore + 40; i < underscore+60; i++ {
		damaged[i] ^= 0x55
	}
	blocks := bytes.Clone(packed)
	copy(blocks[underscore:], []byte{255, 255, 255, 255})
	return map[string][]byte{
		"another kind": change(plain, "PolyData", "UnstructuredGrid"), "no kind": change(plain, ` type="PolyData"`, ""), "not VTK's": []byte("<?xml version=\"1.0\"?>\n<model><Piece/></model>"),
		"byte order": change(plain, "LittleEndian", "MiddleEndian"), "header type": change(plain, "UInt32", "UInt16"), "compressor": change(packed, "vtkZLib", "vtkLZ4"),
		"no piece": []byte("<VTKFile type=\"PolyData\"><PolyData></PolyData></VTKFile>"), "no end": plain[:len(plain)/2], "damaged XML": change(plain, "</Points>", "</Punkte>"),
		"negative count": change(plain, points, `NumberOfPoints="-1"`), "count no number": change(plain, polygons, `NumberOfPolys="many"`), "more points": change(plain, points, `NumberOfPoints="2000000000"`),
		"fewer points": change(plain, points, `NumberOfPoints="5"`), "more polygons than bytes": change(packed, polygons, `NumberOfPolys="2000000000"`), "no polygons": change(plain, polygons, `NumberOfPolys="0"`),
		"two components": change(plain, `NumberOfComponents="3"`, `NumberOfComponents="2"`), "unknown type": change(plain, `type="Float64"`, `type="Real"`), "unknown format": change(plain, `format="ascii"`, `format="hex"`),
		"no offsets": change(plain, `"offsets"`, `"ends"`), "no points": change(change(plain, "<Points>", "<Other>"), "</Points>", "</Other>"), "word for a number": change(plain, "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n", "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\nx "),
		"offset outside": change(packed, `offset="0"`, `offset="99999999"`), "offset no number": change(packed, `offset="0"`, `offset="x"`), "no underscore": change(packed, ">\n _", ">\n "), "truncated data": packed[:underscore+100],
		"damaged block": damaged, "blocks that are not there": blocks, "corner too high": change(plain, "format=\"ascii\">\n0 ", "format=\"ascii\">\n99999 "), "base64 damaged": change(inline, "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"binary\">\n  ", "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"binary\">\n  ####"),
		"point with a point": change(plain, `type="Float64"`, `type="Int32"`),
		"nan":                change(plain, "NumberOfComponents=\"3\" format=\"ascii\">\n", "NumberOfComponents=\"3\" format=\"ascii\">\nnan "),
		"underscore":         change(plain, "NumberOfComponents=\"3\" format=\"ascii\">\n", "NumberOfComponents=\"3\" format=\"ascii\">\n0_"),
	}
}
