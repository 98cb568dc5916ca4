package geometry

import (
	"errors"
	"fmt"
	"io"

	"carina/geometry/mesh"
	"carina/geometry/meshfile"
	"carina/geometry/nifti"
	"carina/geometry/stl"
	"carina/internal/machine"

	"gonum.org/v1/gonum/spatial/r3"
)

// Surface is a triangle mesh as it was read, in metres. Vertices at exactly the
// same place in the file are one vertex here.
type Surface struct {
	mesh.Mesh
	// Unit is the unit that the file was read in.
	Unit Unit
	// UnitReason says why Unit was chosen.
	UnitReason string
	// guessed is the unit that was guessed, before a scale; UnknownUnit where it
	// was given.
	guessed Unit
	// Axes say where the coordinates point in the patient, where the file says so.
	Axes Axes
	// Notes are remarks of the reader about the file, one sentence each.
	Notes []string
	// stated is the unit that the file itself states; UnknownUnit where it does not.
	stated Unit
}

// ReadSurface reads triangles from a file in the formats STL, OBJ, PLY or VTP, or makes
// them of a segmented image in the format NIfTI, plain or gzipped; the format is told by
// what the file holds. With UnknownUnit the unit is what the file states, or is guessed
// from the extents, and Surface.UnitReason says how.
func ReadSurface(path string, unit Unit) (*Surface, error) {
	return Reading{Unit: unit, Scale: 1}.File(path)
}

// Reading is how a surface is read.
type Reading struct {
	// Unit is that of coordinates, which are multiplied by Scale before.
	Unit  Unit
	Scale float64
	// Label is that of the lumen in a segmentation; with 0 all labels are.
	Label int
}

// File is ReadSurface.
func (how Reading) File(path string) (*Surface, error) {
	f, err := machine.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the surface: %w", err)
	}
	defer f.Close()
	s, err := how.read(f)
	if err != nil {
		return nil, fmt.Errorf("surface %s: %w", path, err)
	}
	return s, nil
}

// ReadSurfaceFrom is ReadSurface for a stream.
func ReadSurfaceFrom(r io.Reader, unit Unit) (*Surface, error) {
	return Reading{Unit: unit, Scale: 1}.read(r)
}

func (how Reading) read(r io.Reader) (*Surface, error) {
	buffered, err := machine.UnpackUnless(r, nifti.Is)
	if err != nil {
		return nil, err
	}
	head, _ := buffered.Peek(meshfile.HeadSize)
	s := &Surface{Unit: Metre, UnitReason: "given"}
	var m *mesh.Mesh
	if format := meshfile.FormatOf(head); nifti.Is(head) {
		var image *nifti.Image
		if m, image, err = nifti.Read(buffered, how.Label); err == nil {
			s.Notes, s.stated, s.Axes = image.Notes, Unit(image.Unit), map[bool]Axes{true: RAS}[image.Patient]
		}
	} else if how.Label != 0 {
		err = errors.New("labels are those of segmentations, and this is a surface: leave the label out")
	} else if format != meshfile.Unknown {
		m, s.Notes, err = meshfile.Read(buffered, format)
	} else {
		m, s.Notes, err = stl.Read(buffered)
	}
	if err != nil {
		return nil, err
	}
	s.Mesh = *m
	s.settle(how.Unit, how.Scale)
	return s, s.checkSize()
}

// IsSurface tells by the first bytes of a file, unpacked, that it is in one of the formats
// besides STL, which is told by its size.
func IsSurface(head []byte) bool {
	return nifti.Is(head) || meshfile.FormatOf(head) != meshfile.Unknown
}

// ReadSTL reads a surface from an STL stream, plain or gzipped; see ReadSurface.
func ReadSTL(r io.Reader, unit Unit) (*Surface, error) {
	m, notes, err := stl.Read(r)
	if err != nil {
		return nil, err
	}
	s := &Surface{Mesh: *m, Unit: Metre, UnitReason: "given", Notes: notes}
	s.settle(unit, 1)
	return s, s.checkSize()
}

// settle takes the coordinates to metres: in the unit that is given, else in that which
// the file states, else in one that is guessed.
func (s *Surface) settle(unit Unit, scale float64) {
	if unit == UnknownUnit {
		s.GuessUnit(scale)
		return
	}
	if s.stated != UnknownUnit && s.stated != unit {
		s.Notes = append(s.Notes, fmt.Sprintf("the file states the unit %v, but %v was given, which is taken", s.stated, unit))
	}
	s.rescale(Unit(scale) * unit)
}

// checkSize refuses what no unit and no scale can be meant to make of a surface.
func (s *Surface) checkSize() error {
	const smallest, largest = 1e-9, 1e6 // m
	low, high := s.Bounds()
	if size := r3.Sub(high, low); size != (r3.Vec{}) {
		if longest := max(size.X, size.Y, size.Z); !(longest >= smallest && longest <= largest) {
			return fmt.Errorf("it would be %.3g m long: correct its unit or its scale", longest)
		}
	}
	return nil
}

// WriteSTL writes the surface as binary STL in the given unit. Names of
// solids are not part of that format.
func WriteSTL(w io.Writer, s *Surface, unit Unit) error {
	if unit <= 0 {
		return errors.New("cannot write STL without a unit: say mm or m")
	}
	return stl.Write(w, &s.Mesh, float64(unit), "carina surface UNITS="+unit.String())
}
