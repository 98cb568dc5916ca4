package nifti

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Sizes of the headers of versions 1 and 2.
const header1, header2 = 348, 540

// HeadSize is how many bytes Is needs to see.
const HeadSize = header1

// Is tells a NIfTI file by its first bytes, unpacked; or its relative Analyze, or the
// header of a pair of files, which Read refuses.
func Is(head []byte) bool {
	order, version := versionOf(head)
	return order != nil && (version == 2 || len(head) >= header1)
}

// versionOf tells the order of bytes and the version; the order is nil for other files.
func versionOf(head []byte) (binary.ByteOrder, int) {
	if len(head) < 40+16 {
		return nil, 0
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch size := order.Uint32(head); {
		case size == header1 && order.Uint16(head[40:]) <= 7:
			return order, 1
		case size == header2 && string(head[4:6]) == "n+" || size == header2 && string(head[4:6]) == "ni":
			return order, 2
		}
	}
	return nil, 0
}

// header is what is needed of a header.
type header struct {
	order     binary.ByteOrder
	size      int64
	dims      [3]int
	kind      kind
	slope     float64
	intercept float64
	// unit is how long the file's unit is in metres, 0 where it does not say.
	unit float64
	// place takes voxels to coordinates; patient is set where these are the patient's.
	place   [3][4]float64
	patient bool
	offset  int64
}

// kind is a type of voxels.
type kind struct {
	size int
	read func(o binary.ByteOrder, d []byte) float64
}

var kinds = map[int16]kind{
	2:    {1, func(_ binary.ByteOrder, d []byte) float64 { return float64(d[0]) }},
	256:  {1, func(_ binary.ByteOrder, d []byte) float64 { return float64(int8(d[0])) }},
	4:    {2, func(o binary.ByteOrder, d []byte) float64 { return float64(int16(o.Uint16(d))) }},
	512:  {2, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint16(d)) }},
	8:    {4, func(o binary.ByteOrder, d []byte) float64 { return float64(int32(o.Uint32(d))) }},
	768:  {4, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint32(d)) }},
	1024: {8, func(o binary.ByteOrder, d []byte) float64 { return float64(int64(o.Uint64(d))) }},
	1280: {8, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint64(d)) }},
	16:   {4, func(o binary.ByteOrder, d []byte) float64 { return float64(math.Float32frombits(o.Uint32(d))) }},
	64:   {8, func(o binary.ByteOrder, d []byte) float64 { return math.Float64frombits(o.Uint64(d)) }},
}

// fields are where a version keeps what.
type fields struct {
	version                                            int
	bitpix                                             int
	dim, datatype, pixdim, offset, slope, intercept    int
	units, qform, sform, quaternion, quaternion0, rows int
}

var (
	fields1 = fields{1, 72, 40, 70, 76, 108, 112, 116, 123, 252, 254, 256, 268, 280}
	fields2 = fields{2, 14, 16, 12, 104, 168, 176, 184, 500, 344, 348, 352, 376, 400}
)

// parse reads a header.
//
// Source: nifti1.h and nifti2.h of the NIfTI Data Format Working Group.
func parse(data []byte) (*header, error) {
	order, version := versionOf(data)
	h := &header{order: order}
	at, magic, whole, size := fields1, "", "n+1\x00", header1
	if version == 2 {
		at, whole, size = fields2, "n+2\x00", header2
	}
	if order == nil || len(data) < size {
		return nil, errors.New("the file is truncated within its header: copy or write it again")
	}
	if magic = string(data[344:348]); version == 2 {
		magic = string(data[4:8])
	}
	switch magic {
	case whole:
	case "ni1\x00", "ni2\x00":
		return nil, errors.New("this is the header of a pair of files: write the image as one file, .nii or .nii.gz")
	default:
		return nil, errors.New("this is an Analyze image, which does not say where left and right are: convert it to NIfTI")
	}
	r := reader{order, data, &at}
	code := int16(order.Uint16(data[at.datatype:]))
	known := false
	if h.kind, known = kinds[code]; !known {
		return nil, fmt.Errorf("its voxels are of type %d, which is no type of labels: write whole numbers, or 0 and 1", code)
	}
	// Some programs leave out what follows from the type.
	if bits := int(order.Uint16(data[at.bitpix:])); bits != 0 && bits != 8*h.kind.size {
		return nil, fmt.Errorf("its voxels are said to have %d bits, and by their type they have %d: its header is damaged, write the file again", bits, 8*h.kind.size)
	}
	if err := h.sizes(&r); err != nil {
		return nil, err
	}
	if h.offset = int64(r.real(at.offset)); version == 2 {
		h.offset = int64(order.Uint64(data[at.offset:]))
	}
	h.size = int64(size)
	if h.offset < h.size || h.offset > 1<<40 {
		return nil, errors.New("its voxels are said to begin where they cannot: write the file again")
	}
	if h.slope, h.intercept = r.real(at.slope), r.real(at.intercept); h.slope == 0 || math.IsNaN(h.slope) {
		h.slope, h.intercept = 1, 0
	}
	h.unit = map[byte]float64{1: 1, 2: 1e-3, 3: 1e-6}[r.units()&7]
	return h, h.locate(&r)
}

// reader reads the fields of a header.
type reader struct {
	order binary.ByteOrder
	data  []byte
	at    *fields
}

// real reads a number, which has 4 bytes in version 1 and 8 in version 2.
func (r *reader) real(at int) float64 {
	if r.at.version == 1 {
		return float64(math.Float32frombits(r.order.Uint32(r.data[at:])))
	}
	return math.Float64frombits(r.order.Uint64(r.data[at:]))
}

// reals reads the number of a list.
func (r *reader) reals(at, i int) float64 { return r.real(at + i*4*r.at.version) }

// code reads a small whole number, of 2 bytes in version 1 and 4 in version 2.
func (r *reader) code(at int) int {
	if r.at.version == 1 {
		return int(int16(r.order.Uint16(r.data[at:])))
	}
	return int(int32(r.order.Uint32(r.data[at:])))
}

// units is the code of the units.
func (r *reader) units() byte {
	if r.at.version == 1 {
		return r.data[r.at.units]
	}
	return byte(r.order.Uint32(r.data[r.at.units:]))
}

// dim reads a size of the image.
func (r *reader) dim(i int) int64 {
	if r.at.version == 1 {
		return int64(int16(r.order.Uint16(r.data[r.at.dim+2*i:])))
	}
	return int64(r.order.Uint64(r.data[r.at.dim+8*i:]))
}

// sizes reads how many voxels there are.
func (h *header) sizes(r *reader) error {
	n := r.dim(0)
	if n < 3 || n > 7 {
		return fmt.Errorf("the image has %d dimensions where 3 are needed: write one volume", n)
	}
	for i := int64(4); i <= n; i++ {
		if more := r.dim(int(i)); more > 1 {
			return fmt.Errorf("the file holds %s, over time or of several kinds: write the one that is meant", quantity.Count(more, "image"))
		}
	}
	const most = 1 << 20 // voxels along an axis
	for i := range h.dims {
		size := r.dim(i + 1)
		if size < 2 || size > most {
			return fmt.Errorf("the image has %s along axis %d where 2 to %d are needed: write a volume of several slices", quantity.Count(size, "voxel"), i+1, most)
		}
		h.dims[i] = int(size)
	}
	return nil
}

// locate reads where voxels lie: by the rows of a matrix, else by a rotation, else by
// their sides alone.
func (h *header) locate(r *reader) error {
	at := r.at
	var sides [3]float64
	for i := range sides {
		sides[i] = math.Abs(r.reals(at.pixdim, i+1))
	}
	switch {
	case r.code(at.sform) > 0:
		h.patient = true
		for row := range h.place {
			for column := range h.place[row] {
				h.place[row][column] = r.reals(at.rows, 4*row+column)
			}
		}
	case r.code(at.qform) > 0:
		h.patient = true
		b, c, d := r.reals(at.quaternion, 0), r.reals(at.quaternion, 1), r.reals(at.quaternion, 2)
		square := b*b + c*c + d*d
		const rounding = 1e-5 // of single precision
		if !(square < 1+rounding) {
			return errors.New("its header has a rotation that is none: its quaternion is damaged, write the file again")
		}
		a := math.Sqrt(max(0, 1-square))
		turn := [3][3]float64{
			{a*a + b*b - c*c - d*d, 2*b*c - 2*a*d, 2*b*d + 2*a*c},
			{2*b*c + 2*a*d, a*a + c*c - b*b - d*d, 2*c*d - 2*a*b},
			{2*b*d - 2*a*c, 2*c*d + 2*a*b, a*a + d*d - c*c - b*b},
		}
		if r.real(at.pixdim) < 0 {
			sides[2] = -sides[2]
		}
		for row := range h.place {
			for column := range 3 {
				h.place[row][column] = turn[row][column] * sides[column]
			}
			h.place[row][3] = r.reals(at.quaternion0, row)
		}
	default:
		for i := range h.place {
			h.place[i][i] = sides[i]
		}
	}
	return h.checkPlace()
}

// axis is where a step along an axis of the image leads.
func (h *header) axis(i int) r3.Vec {
	return r3.Vec{X: h.place[0][i], Y: h.place[1][i], Z: h.place[2][i]}
}

// volume is that of a voxel, negative where the image's axes are left-handed.
func (h *header) volume() float64 { return r3.Dot(h.axis(0), r3.Cross(h.axis(1), h.axis(2))) }

func (h *header) checkPlace() error {
	sides := 1.0
	for i := range 3 {
		sides *= r3.Norm(h.axis(i))
	}
	far := math.Abs(h.place[0][3]) + math.Abs(h.place[1][3]) + math.Abs(h.place[2][3])
	const flattest, farthest = 1e-3, 1e15
	if !(math.Abs(h.volume()) > flattest*sides) || !(sides < farthest) || !(far < farthest) {
		return errors.New("its header gives voxels no volume, or no place: the matrix or the sides of voxels are damaged, write the file again")
	}
	return nil
}
