package vtk

import (
	"fmt"
	"io"

	"carina/internal/atomicfile"
)

// file is a file being written. VTK's headers stand before the data that they
// describe and are filled in later.
type file interface {
	io.Writer
	io.WriterAt
}

// writeFile lets write fill the file at path, which appears when it is
// complete.
func writeFile(path string, write func(f file) error) error {
	err := atomicfile.Write(path, func(w io.Writer) error {
		f, ok := w.(file)
		if !ok {
			return fmt.Errorf("%T cannot be written at an offset", w)
		}
		return write(f)
	})
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}
