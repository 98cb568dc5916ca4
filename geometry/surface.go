package geometry

import (
	"errors"
	"fmt"
	"io"

	"carina/geometry/mesh"
	"carina/geometry/stl"
	"carina/internal/machine"
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
	// Notes are remarks of the reader about the file, one sentence each.
	Notes []string
}

// ReadSurface reads an STL file, binary or ASCII, plain or gzipped. With
// UnknownUnit the unit is guessed from the extents and Surface.UnitReason says
// how.
func ReadSurface(path string, unit Unit) (*Surface, error) {
	f, err := machine.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the surface: %w", err)
	}
	defer f.Close()
	s, err := ReadSTL(f, unit)
	if err != nil {
		return nil, fmt.Errorf("surface %s: %w", path, err)
	}
	return s, nil
}

// ReadSTL reads a surface from an STL stream; see ReadSurface.
func ReadSTL(r io.Reader, unit Unit) (*Surface, error) {
	m, notes, err := stl.Read(r)
	if err != nil {
		return nil, err
	}
	s := &Surface{Mesh: *m, Unit: Metre, UnitReason: "given", Notes: notes}
	if unit == UnknownUnit {
		s.GuessUnit(1)
	} else {
		s.rescale(unit)
	}
	return s, nil
}

// WriteSTL writes the surface as binary STL in the given unit. Names of
// solids are not part of that format.
func WriteSTL(w io.Writer, s *Surface, unit Unit) error {
	if unit <= 0 {
		return errors.New("cannot write STL without a unit: say mm or m")
	}
	return stl.Write(w, &s.Mesh, float64(unit), "carina surface UNITS="+unit.String())
}
