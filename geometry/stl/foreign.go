package stl

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"carina/geometry/meshfile"
)

// foreignMarks are how files of other formats begin.
var foreignMarks = []struct{ mark, format string }{
	{"OFF\n", "OFF"}, {"OFF\r", "OFF"}, {"OFF ", "OFF"}, {"COFF", "OFF"}, {"NOFF", "OFF"}, {"STOFF", "OFF"},
	{"# vtk DataFile", "VTK"}, {"<?xml", "XML (3MF or the like)"}, {"NRRD", "NRRD"}, {"ObjectType = Image", "MetaImage"},
	{"glTF", "glTF"}, {"$MeshFormat", "Gmsh mesh"}, {"ISO-10303-21", "STEP"}, {"PK\x03\x04", "zip (3MF or the like)"}, {"MeshVersionFormatted", "Medit mesh"},
}

// otherMarks are what files have at a place that hold no surface, what these are, and
// what to do with them.
var otherMarks = []struct {
	at              int
	mark, what, how string
}{
	{0, "\x89PNG\r\n", "a picture, PNG", nameSurface}, {0, "\xff\xd8\xff", "a picture, JPEG", nameSurface}, {0, "GIF8", "a picture, GIF", nameSurface},
	{0, "II*\x00", "a picture, TIFF", nameSurface}, {0, "MM\x00*", "a picture, TIFF", nameSurface}, {0, "%PDF-", "a document, PDF", nameSurface},
	{0, "\x7fELF", "a program", nameSurface}, {0, "\x89HDF\r\n", "a file of data, HDF5", nameSurface},
	{128, "DICM", "a slice of an image, DICOM", "segment the image, for instance with 3D Slicer, and name the surface or the segmented image in NIfTI"},
	{0, "BZh", "an archive, bzip2", unpackFirst}, {0, "\xfd7zXZ\x00", "an archive, xz", unpackFirst}, {0, "\x28\xb5\x2f\xfd", "an archive, zstd", unpackFirst},
	{0, "7z\xbc\xaf", "an archive, 7z", unpackFirst}, {0, "Rar!", "an archive, RAR", unpackFirst}, {257, "ustar", "an archive, tar", unpackFirst},
}

const (
	nameSurface = "name the file of the surface"
	unpackFirst = "unpack it first, and name the file of the surface"
)

// refuseOther says what a file is that holds no surface.
func refuseOther(data []byte) error {
	for _, o := range otherMarks {
		if len(data) >= o.at && bytes.HasPrefix(data[o.at:], []byte(o.mark)) {
			return fmt.Errorf("this is %s and not a surface: %s", o.what, o.how)
		}
	}
	return nil
}

// foreignFormat names the format of a surface that is not STL, empty where
// none is recognised.
func foreignFormat(data []byte) string {
	start := bytes.TrimLeft(data[:min(len(data), 4096)], " \t\r\n\xef\xbb\xbf")
	for _, f := range foreignMarks {
		if bytes.HasPrefix(start, []byte(f.mark)) {
			return f.format
		}
	}
	return ""
}

// ownMarks are how files begin that this program writes or reads for other ends, and what
// takes them.
var ownMarks = []struct{ mark, file, takes string }{
	{"carina grid\n", "a grid file", "read it with geometry.ReadGrid, or give it to carina run, partition, inspect or view"},
	{"carina share ", "a rank's share of a partitioned grid", "give its partition file to carina solve"},
	{"surface:", "a case file", "read it with carina.ReadCase, or let its name end in .yaml and give it to carina run"},
}

// refuseOwn says what a file of this program is, and what takes it.
func refuseOwn(data []byte) error {
	start := bytes.TrimLeft(data[:min(len(data), 4096)], " \t\r\n\xef\xbb\xbf")
	is := func(file, takes string) error {
		return fmt.Errorf("this is %s and not a surface: %s", file, takes)
	}
	for _, o := range ownMarks {
		if bytes.HasPrefix(start, []byte(o.mark)) {
			return is(o.file, o.takes)
		}
	}
	switch {
	case bytes.HasPrefix(start, []byte("{")) && bytes.Contains(start, []byte(`"carina partition"`)):
		return is("a partition file", "read it with carina.ReadPartition, or give it to carina solve, inspect, view or export")
	case bytes.HasPrefix(start, []byte("{")):
		return is("a JSON file", nameSurface)
	case bytes.Contains(start, []byte("\nsurface:")) && isText(start):
		return is("a case file", ownMarks[2].takes)
	case isGraph(start):
		return is("a graph", "give it to carina graph")
	}
	return nil
}

// isGraph reports whether a text begins as METIS graphs do: with two to four whole
// numbers in a line, after comments.
func isGraph(start []byte) bool {
	for line := range bytes.Lines(start) {
		if bytes.HasPrefix(line, []byte("%")) {
			continue
		}
		fields := bytes.Fields(line)
		for _, f := range fields {
			if len(bytes.Trim(f, "0123456789")) > 0 {
				return false
			}
		}
		return len(fields) >= 2 && len(fields) <= 4
	}
	return false
}

// refuseForeign says what a file is that is no STL.
func refuseForeign(data []byte) error {
	if err := cmp.Or(refuseOwn(data), refuseOther(data)); err != nil {
		return err
	}
	if format := meshfile.FormatOf(data); format != meshfile.Unknown {
		return fmt.Errorf("this is a file in the format %s and not STL: read it with geometry.ReadSurface, packed once at most", format)
	}
	if format := foreignFormat(data); format != "" {
		return fmt.Errorf("this is a file in the format %s and not STL: convert it to STL, OBJ, PLY or VTP, for instance with MeshLab, Blender or meshio, and a segmented image to NIfTI", format)
	}
	if len(data) >= stlHeader && isText(data[:min(len(data), 4096)]) {
		return errors.New("this is a text that does not begin as STL, OBJ, PLY or VTP does: " + nameSurface)
	}
	return nil
}

// isText reports whether bytes are printable but for white space.
func isText(data []byte) bool {
	return !bytes.ContainsFunc(data, func(r rune) bool { return r != utf8.RuneError && unicode.IsControl(r) && !unicode.IsSpace(r) })
}
