package stl

import (
	"bytes"
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
		return is("a JSON file", "name the file of the surface")
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
	if err := refuseOwn(data); err != nil {
		return err
	}
	if format := meshfile.FormatOf(data); format != meshfile.Unknown {
		return fmt.Errorf("this is a file in the format %s and not STL: read it with geometry.ReadSurface, packed once at most", format)
	}
	if format := foreignFormat(data); format != "" {
		return fmt.Errorf("this is a file in the format %s and not STL: convert it to STL, OBJ, PLY or VTP, for instance with MeshLab, Blender or meshio, and a segmented image to NIfTI", format)
	}
	if len(data) >= stlHeader && isText(data[:min(len(data), 4096)]) {
		return errors.New("this is a text that does not begin as STL, OBJ, PLY or VTP does: name the file of the surface")
	}
	return nil
}

// isText reports whether bytes are printable but for white space.
func isText(data []byte) bool {
	return !bytes.ContainsFunc(data, func(r rune) bool { return r != utf8.RuneError && unicode.IsControl(r) && !unicode.IsSpace(r) })
}
