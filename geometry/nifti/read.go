package nifti

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"carina/geometry/contour"
	"carina/geometry/mesh"
	"carina/internal/machine"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Image is what a file says of the surface that was made of it.
type Image struct {
	// Unit is how long the unit of the coordinates is, in metres, 0 where the file does
	// not say.
	Unit float64
	// Patient tells that the coordinates are the patient's: to the right, front and head.
	Patient bool
	// Notes are remarks about the file, one sentence each.
	Notes []string
}

// threshold is the least value of what is inside: labels are whole numbers, masks 0 and
// 1, and probabilities lie between.
const threshold = 0.5

// mostLabels is how many different values a segmentation may hold.
const mostLabels = 512

// Read reads an image, unpacked, and returns the surface of what is inside: the voxels with
// a label, or with 0 all that have one.
func Read(r *bufio.Reader, label int) (*mesh.Mesh, *Image, error) {
	m, image, err := read(r, float64(label))
	var memory *machine.MemoryError
	if errors.As(err, &memory) {
		err = fmt.Errorf("the image is too large for this machine (%w): crop it to the lumen, or use a machine with more memory", memory)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("NIfTI: %w", err)
	}
	return m, image, nil
}

func read(r *bufio.Reader, label float64) (*mesh.Mesh, *Image, error) {
	head, _ := r.Peek(header2)
	h, err := parse(head)
	if err != nil {
		return nil, nil, err
	}
	if _, err := io.CopyN(io.Discard, r, h.offset); err != nil {
		return nil, nil, errTruncated
	}
	v := voxels{header: h, from: r, label: label, labels: map[float64]bool{}}
	// What a header declares is believed when the first slice is there.
	if err := v.fetch(); err != nil {
		return nil, nil, err
	}
	const perVoxel = 32 // of the two slices that are held
	if err := machine.Admit(int64(h.dims[0]) * int64(h.dims[1]) * perVoxel); err != nil {
		return nil, nil, err
	}
	s, err := contour.Of(h.dims[0], h.dims[1], h.dims[2], v.next)
	if err != nil {
		return nil, nil, err
	}
	// The end of a compressed file is behind its last voxel.
	if _, err := io.Copy(io.Discard, r); errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, errTruncated
	}
	if label != 0 && !v.labels[label] {
		return nil, nil, fmt.Errorf("no voxel has the label %g: the image holds %s", label, v.listed())
	}
	if len(s.Triangles) == 0 {
		return nil, nil, fmt.Errorf("no surface is in the image: %s, of which %d are inside: write one that has 0 outside of the lumen and 1, or other labels, inside", quantity.Count(int64(h.dims[0])*int64(h.dims[1])*int64(h.dims[2]), "voxel"), v.inside)
	}
	sides := r3.Vec{X: r3.Norm(h.axis(0)), Y: r3.Norm(h.axis(1)), Z: r3.Norm(h.axis(2))}
	s.Smooth(sides, h.dims[0], h.dims[1], h.dims[2])
	image := &Image{Unit: h.unit, Patient: h.patient}
	image.describe(h, &v, s)
	return h.mesh(s), image, nil
}

// describe makes the remarks.
func (i *Image) describe(h *header, v *voxels, s *contour.Surface) {
	note := func(format string, args ...any) { i.Notes = append(i.Notes, fmt.Sprintf(format, args...)) }
	note("a surface was made of the %s that are inside, of %d x %d x %d; it is known to half a voxel: %.3g x %.3g x %.3g of the file's unit", quantity.Count(v.inside, "voxel"),
		h.dims[0], h.dims[1], h.dims[2], r3.Norm(h.axis(0)), r3.Norm(h.axis(1)), r3.Norm(h.axis(2)))
	if v.between {
		note("the image holds probabilities: what has at least %g is inside", threshold)
	} else if delete(v.labels, 0); len(v.labels) > 1 && v.label == 0 {
		note("the image holds the labels %s: all of them are inside; choose the one of the lumen with --label if that is not meant", v.listed())
	}
	if s.Border > 0 {
		note("the lumen reaches the border of the image with %s, where the surface is open", quantity.Count(s.Border, "voxel"))
	}
	if !i.Patient {
		note("the image does not say where it lies in the patient")
	}
}

// mesh takes the surface to coordinates.
func (h *header) mesh(s *contour.Surface) *mesh.Mesh {
	m := &mesh.Mesh{Vertices: make([]r3.Vec, len(s.Vertices)), Triangles: make([]mesh.Triangle, len(s.Triangles)), Solids: []string{""}}
	origin := r3.Vec{X: h.place[0][3], Y: h.place[1][3], Z: h.place[2][3]}
	for i, v := range s.Vertices {
		at := r3.Add(r3.Scale(v.X, h.axis(0)), r3.Add(r3.Scale(v.Y, h.axis(1)), r3.Scale(v.Z, h.axis(2))))
		m.Vertices[i] = r3.Add(origin, at)
	}
	for i, t := range s.Triangles {
		if h.volume() < 0 {
			t[1], t[2] = t[2], t[1]
		}
		m.Triangles[i] = mesh.Triangle{V: t}
	}
	return m
}

var errTruncated = errors.New("the file ends before its voxels do, it is truncated: copy or write it again")

// voxels reads an image slice by slice.
type voxels struct {
	*header
	from io.Reader
	// slice is where one is read to; ready tells that the next is there already.
	slice []byte
	ready bool
	// label is the value of what is inside; with 0 all from the threshold on are.
	label float64
	// labels are the different values so far; inside is how many voxels are.
	labels map[float64]bool
	inside int64
	// between tells of values between 0 and 1.
	between bool
}

// fetch reads the first slice, and takes no memory for voxels that are not there.
func (v *voxels) fetch() error {
	n := int64(v.dims[0]) * int64(v.dims[1]) * int64(v.kind.size)
	var err error
	if v.slice, err = machine.ReadAll(io.LimitReader(v.from, n), 1); err != nil {
		var memory *machine.MemoryError
		if errors.As(err, &memory) {
			return err
		}
		return fmt.Errorf("%w (%w)", errTruncated, err)
	}
	if int64(len(v.slice)) < n {
		return errTruncated
	}
	v.ready = true
	return nil
}

// next tells what is inside in the next slice.
func (v *voxels) next(inside []bool) error {
	if !v.ready {
		if _, err := io.ReadFull(v.from, v.slice); err != nil {
			return errTruncated
		}
	}
	v.ready = false
	last := math.NaN()
	for i := range inside {
		value := v.slope*v.kind.read(v.order, v.slice[i*v.kind.size:]) + v.intercept
		inside[i] = value >= threshold && (v.label == 0 || value == v.label)
		if inside[i] {
			v.inside++
		}
		if value != last && !v.labels[value] {
			if err := v.learn(value); err != nil {
				return err
			}
		}
		last = value
	}
	return nil
}

// listed are the labels that occur, the first of many.
func (v *voxels) listed() string {
	const most = 20
	var words []string
	for _, label := range slices.Sorted(maps.Keys(v.labels)) {
		if len(words) == most {
			return strings.Join(words, ", ") + " and more"
		}
		if label != 0 {
			words = append(words, strconv.FormatFloat(label, 'g', -1, 64))
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ", ")
}

// learn looks at a value that is new, and refuses those of images that are no
// segmentations.
func (v *voxels) learn(value float64) error {
	const segment = "which no segmentation does: write an image that has 0 outside of the lumen and 1, or other labels, inside"
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		return errors.New("a voxel has a value that is no finite number, " + segment)
	case value < 0:
		return fmt.Errorf("a voxel has the value %g, %s", value, segment)
	case value != math.Trunc(value) && value < 1:
		v.between = true // as many as there may be
		return nil
	case value != math.Trunc(value):
		return fmt.Errorf("a voxel has the value %g, %s", value, segment)
	}
	if len(v.labels) >= mostLabels {
		return fmt.Errorf("the image holds more than %d different values, %s", mostLabels, segment)
	}
	v.labels[value] = true
	return nil
}
