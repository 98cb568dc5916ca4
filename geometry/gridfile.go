package geometry

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/internal/terminal"

	"github.com/klauspost/compress/zstd"
	"gonum.org/v1/gonum/spatial/r3"
)

// A grid file is
//
//	GridMagic, version (uint32), body (zstd), SHA-256 of all before it
//
// and the body, before compression, with whole numbers as varints and all
// others little-endian:
//
//	origin x y z, spacing, since version 2 enclosed volume (float64); size x y z
//	number of openings; each: number, name, role, centre, normal, area
//	number of runs; each: Z and Y less than those of the run before it (Y from
//	  0 in a new layer), X0 less the X1 before it in the same row, X1 − X0
//	number of directions of the links, number of boundary cells
//	each cell's number less that of the cell before it, and its mask
//	the fractions (uint16), as many as the masks have bits
//	number of links to openings; each: link less the link before it, place of
//	  the opening from 1
//	each opening's doubt in hundredths, unless all are 0 and it is version 2
//	since version 3 number of places that may be ends; each: centre, radius
//	since version 4 number of narrow places; each: centre, area, number of the
//	  openings behind it, and these
//
// A file has the oldest version that holds what it says.

// GridMagic begins every grid file.
const GridMagic = "carina grid\n"

const (
	gridVersion          = 4
	placesGridVersion    = 3 // has no narrow places
	placelessGridVersion = 2
	oldestGridVersion    = 1
)

// mostPlaces is how many places that may be ends a file holds.
const mostPlaces = math.MaxUint16

// WriteGrid writes a grid file. The file is there only when it is complete.
func WriteGrid(path string, g *Grid) error {
	return atomicfile.Write(path, func(w io.Writer) error { return EncodeGrid(w, g) })
}

// EncodeGrid writes a grid as WriteGrid does, as a stream: it holds a few
// megabytes, whatever the size of the grid.
func EncodeGrid(w io.Writer, g *Grid) error {
	for _, o := range g.Openings {
		if len(o.Name) > longestText {
			return fmt.Errorf("the name of opening %d has %d bytes, a grid file holds at most %d: give it a shorter one", o.Number, len(o.Name), longestText)
		}
	}
	hash := sha256.New()
	hashed := io.MultiWriter(w, hash)
	version := g.fileVersion()
	head := binary.LittleEndian.AppendUint32([]byte(GridMagic), version)
	if _, err := hashed.Write(head); err != nil {
		return err
	}
	compressed, err := zstd.NewWriter(hashed, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	e := gridEncoder{w: bufio.NewWriterSize(compressed, 1<<18)}
	e.header(g)
	e.runs(g.Runs)
	e.links(&g.Links)
	if e.doubts(g, version); version >= gridVersion {
		e.narrow(g.Narrow)
	}
	if err := e.w.Flush(); err != nil {
		return err
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	_, err = w.Write(hash.Sum(nil))
	return err
}

// fileVersion is the oldest version that holds a grid.
func (g *Grid) fileVersion() uint32 {
	switch {
	case len(g.Narrow) > 0:
		return gridVersion
	case len(g.Perhaps) > 0:
		return placesGridVersion
	}
	return placelessGridVersion
}

// gridEncoder writes the body. Errors stay in the buffered writer until it is
// flushed.
type gridEncoder struct {
	w       *bufio.Writer
	scratch [binary.MaxVarintLen64]byte
}

func (e *gridEncoder) whole(values ...int64) {
	for _, v := range values {
		e.w.Write(e.scratch[:binary.PutUvarint(e.scratch[:], uint64(v))])
	}
}

func (e *gridEncoder) real(values ...float64) {
	for _, v := range values {
		binary.LittleEndian.PutUint64(e.scratch[:], math.Float64bits(v))
		e.w.Write(e.scratch[:8])
	}
}

func (e *gridEncoder) text(s string) {
	e.whole(int64(len(s)))
	e.w.WriteString(s)
}

func (e *gridEncoder) header(g *Grid) {
	e.real(g.Origin.X, g.Origin.Y, g.Origin.Z, g.Spacing, g.Enclosed)
	e.whole(int64(g.Size[0]), int64(g.Size[1]), int64(g.Size[2]), int64(len(g.Openings)))
	for _, o := range g.Openings {
		e.whole(int64(o.Number))
		e.text(o.Name)
		e.text(string(o.Role))
		e.real(o.Center.X, o.Center.Y, o.Center.Z, o.Normal.X, o.Normal.Y, o.Normal.Z, o.Area)
	}
}

func (e *gridEncoder) runs(runs []Run) {
	e.whole(int64(len(runs)))
	var before Run
	for _, r := range runs {
		if r.Z != before.Z {
			before.Y, before.X1 = 0, 0
		} else if r.Y != before.Y {
			before.X1 = 0
		}
		e.whole(int64(r.Z-before.Z), int64(r.Y-before.Y), int64(r.X0-before.X1), int64(r.X1-r.X0))
		before = r
	}
}

func (e *gridEncoder) links(l *Links) {
	e.whole(int64(l.Directions), int64(l.Len()))
	var before int64
	for i, mask := range l.Mask {
		cell := l.Cell(i)
		e.whole(cell-before, int64(mask))
		before = cell
	}
	for _, d := range l.Distance {
		e.scratch[0], e.scratch[1] = byte(d), byte(d>>8)
		e.w.Write(e.scratch[:2])
	}
	e.whole(int64(len(l.Openings)))
	before = 0
	for _, o := range l.Openings {
		e.whole(o.Link-before, int64(o.Number))
		before = o.Link
	}
}

// doubts writes how unsure the openings are and what else may be one, and in the version
// without places nothing where all are sure.
func (e *gridEncoder) doubts(g *Grid, version uint32) {
	if version == placelessGridVersion && !slices.ContainsFunc(g.Openings, func(o Opening) bool { return hundredths(o.Doubt) > 0 }) {
		return
	}
	for _, o := range g.Openings {
		e.whole(hundredths(o.Doubt))
	}
	if version == placelessGridVersion {
		return
	}
	places := g.Perhaps[:min(len(g.Perhaps), mostPlaces)]
	e.whole(int64(len(places)))
	for _, p := range places {
		e.real(p.Center.X, p.Center.Y, p.Center.Z, p.Radius)
	}
}

func (e *gridEncoder) narrow(places []Narrow) {
	e.whole(int64(len(places)))
	for _, n := range places {
		e.real(n.Center.X, n.Center.Y, n.Center.Z, n.Area)
		e.whole(int64(len(n.Behind)))
		for _, number := range n.Behind {
			e.whole(int64(number))
		}
	}
}

func hundredths(x float64) int64 { return int64(math.Round(100 * min(max(x, 0), 1))) }

// gridDecoder reads the body and keeps the first error; after one all it
// returns is zero.
type gridDecoder struct {
	r       *bufio.Reader
	version uint32
	err     error
	growth  machine.Growth
}

// admit fails if what has been read so far, and grows on, will not fit.
func (d *gridDecoder) admit(g *Grid) {
	if err := d.growth.Admit(int64(16*len(g.Runs)) + g.Links.bytes()); err != nil {
		d.fail("the grid is too large for this machine: %w", err)
	}
}

// admissions is how many entries are read before memory is asked for again.
const admissions = 1 << 16

func (d *gridDecoder) fail(format string, arguments ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, arguments...)
	}
}

// whole reads a whole number of at most limit.
func (d *gridDecoder) whole(what string, limit int64) int64 {
	if d.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(d.r)
	if err != nil {
		d.fail("reading %s: %w", what, noEOF(err))
		return 0
	}
	if v > uint64(limit) {
		d.fail("%s is %d, more than the %d possible", what, v, limit)
		return 0
	}
	return int64(v)
}

func (d *gridDecoder) real(what string) float64 {
	if d.err != nil {
		return 0
	}
	var b [8]byte
	if _, err := io.ReadFull(d.r, b[:]); err != nil {
		d.fail("reading %s: %w", what, noEOF(err))
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		d.fail("%s is not a finite number", what)
		return 0
	}
	return v
}

func (d *gridDecoder) vector(what string) r3.Vec {
	x, y := d.real(what), d.real(what)
	return r3.Vec{X: x, Y: y, Z: d.real(what)}
}

// longestText is how many bytes a name of a grid file may have.
const longestText = 4096

func (d *gridDecoder) text(what string) string {
	b := make([]byte, d.whole(what, longestText))
	if d.err == nil {
		if _, err := io.ReadFull(d.r, b); err != nil {
			d.fail("reading %s: %w", what, noEOF(err))
		}
	}
	return string(b)
}

func (d *gridDecoder) header(g *Grid) {
	g.Origin = d.vector("the origin")
	const shortest, longest = 1e-12, 1e12 // metres
	if r3.Norm(g.Origin) > longest {
		d.fail("the origin is %v m", g.Origin)
	}
	if g.Spacing = d.real("the spacing"); d.err == nil && (g.Spacing < shortest || g.Spacing > longest) {
		d.fail("the spacing is %g m", g.Spacing)
	}
	if d.version > 1 {
		if g.Enclosed = d.real("the enclosed volume"); g.Enclosed < 0 {
			d.fail("the enclosed volume is %g m³", g.Enclosed)
		}
	}
	for axis := range g.Size {
		g.Size[axis] = int32(d.whole("the size", maxCells))
	}
	count, before := d.whole("the number of openings", math.MaxUint16), 0
	for i := range count {
		if d.err != nil {
			return
		}
		o := Opening{Number: int(d.whole("an opening's number", math.MaxUint16))}
		// Names are shown and written in many places, some of which would obey them.
		o.Name, o.Role = terminal.Line(d.text("an opening's name")), Role(d.text("an opening's role"))
		o.Center, o.Normal = d.vector("an opening's centre"), d.vector("an opening's normal")
		o.Area = d.real("an opening's area")
		if d.err == nil && (o.Number <= before || o.Role != Inlet && o.Role != Outlet) {
			d.fail("opening %d has the number %d and the role %q", i+1, o.Number, o.Role)
		}
		before = o.Number
		if d.err == nil && !nearGrid(g, o) {
			d.fail("opening %d lies at %v m, far outside of the grid, or has the normal %v or the area %g m²", i+1, o.Center, o.Normal, o.Area)
		}
		g.Openings = append(g.Openings, o)
	}
}

// nearGrid tells whether an opening can belong to a grid.
func nearGrid(g *Grid, o Opening) bool {
	const far = 1000 // times the size of the grid
	reach := far * g.Spacing * r3.Norm(r3.Vec{X: float64(g.Size[0]), Y: float64(g.Size[1]), Z: float64(g.Size[2])})
	return r3.Norm(r3.Sub(o.Center, g.Origin)) <= reach && r3.Norm(o.Normal) <= 2 && o.Area >= 0 && o.Area <= reach*reach
}

// runs reads the runs and returns the number of their cells.
func (d *gridDecoder) runs(g *Grid) (cells int64) {
	var before Run
	count := d.whole("the number of runs", math.MaxInt64)
	for i := int64(0); i < count && d.err == nil; i++ {
		r := Run{Z: before.Z + int32(d.whole("a run's layer", int64(g.Size[2]-before.Z)))}
		if r.Z != before.Z {
			before.Y, before.X1 = 0, 0
		}
		r.Y = before.Y + int32(d.whole("a run's row", int64(g.Size[1]-before.Y)))
		if r.Y != before.Y {
			before.X1 = 0
		}
		r.X0 = before.X1 + int32(d.whole("a run's begin", int64(g.Size[0]-before.X1)))
		r.X1 = r.X0 + int32(d.whole("a run's length", int64(g.Size[0]-r.X0)))
		if d.err == nil && (r.Z >= g.Size[2] || r.Y >= g.Size[1] || r.X1 == r.X0 || i > 0 && r.Z == before.Z && r.Y == before.Y && r.X0 == before.X1) {
			d.fail("run %d is empty, touches the one before it or lies outside the grid", i)
		}
		g.Runs = append(roomed(g.Runs, 1, count), r)
		if i%admissions == 0 {
			d.admit(g)
		}
		cells += int64(r.X1 - r.X0)
		before = r
	}
	return cells
}

func (d *gridDecoder) links(g *Grid, cells int64) {
	l, openings := &g.Links, len(g.Openings)
	l.Directions = int(d.whole("the number of directions", int64(len(Directions))))
	count := d.whole("the number of boundary cells", cells)
	before, links := int64(0), int64(0)
	for i := int64(0); i < count && d.err == nil; i++ {
		cell := before + d.whole("a boundary cell", cells-1-before)
		mask := uint32(d.whole("a mask of directions", 1<<l.Directions-1))
		if d.err == nil && (mask == 0 || i > 0 && cell == before) {
			d.fail("boundary cell %d is there twice or has no link", cell)
		}
		l.roomed(count)
		l.Append(cell, mask)
		if i%admissions == 0 {
			d.admit(g)
		}
		links += int64(bits.OnesCount32(mask))
		before = cell
	}
	d.distances(g, links)
	count = d.whole("the number of links to openings", links)
	before = 0
	for i := int64(0); i < count && d.err == nil; i++ {
		link := before + d.whole("a link to an opening", links-1-before)
		number := d.whole("an opening's number", int64(openings))
		if d.err == nil && (number == 0 || i > 0 && link == before) {
			d.fail("link %d to an opening is there twice or meets none", link)
		}
		l.Openings = append(roomed(l.Openings, 1, count), OpeningLink{Link: link, Number: uint16(number)})
		if i%admissions == 0 {
			d.admit(g)
		}
		before = link
	}
}

// doubts reads how unsure the openings are and what else may be one, where the file
// says so.
func (d *gridDecoder) doubts(g *Grid) {
	if _, err := d.r.Peek(1); d.err != nil || err != nil {
		return
	}
	for i := range g.Openings {
		g.Openings[i].Doubt = float64(d.whole("an opening's doubt", 100)) / 100
	}
	if d.version < placesGridVersion {
		return
	}
	count := d.whole("the number of places that may be ends", mostPlaces)
	for i := int64(0); i < count && d.err == nil; i++ {
		p := Place{d.vector("a place that may be an end"), d.real("its radius")}
		if d.err == nil && !(p.Radius >= 0 && nearGrid(g, Opening{Center: p.Center, Area: math.Pi * p.Radius * p.Radius})) {
			d.fail("a place that may be an end lies at %v m, far outside of the grid, or has the radius %g m", p.Center, p.Radius)
		}
		g.Perhaps = append(g.Perhaps, p)
	}
}

// narrow reads the narrow places.
func (d *gridDecoder) narrow(g *Grid) {
	count := d.whole("the number of narrow places", int64(2*len(g.Openings)))
	for i := int64(0); i < count && d.err == nil; i++ {
		n := Narrow{Center: d.vector("a narrow place"), Area: d.real("the area of a narrow place")}
		if d.err == nil && !(n.Area > 0 && nearGrid(g, Opening{Center: n.Center, Area: n.Area})) {
			d.fail("a narrow place lies at %v m, far outside of the grid, or has the area %g m²", n.Center, n.Area)
		}
		behind := d.whole("the number of openings behind a narrow place", int64(len(g.Openings)))
		for j := int64(0); j < behind && d.err == nil; j++ {
			n.Behind = append(n.Behind, int(d.whole("an opening behind a narrow place", math.MaxUint16)))
		}
		g.Narrow = append(g.Narrow, n)
	}
}

// roomed is a list with room for more of count items. It doubles, so that a false count
// takes no memory, but holds no room for more than count in the end.
func roomed[T any](list []T, more int, count int64) []T {
	if need := len(list) + more; need > cap(list) {
		const least = 64
		room := max(int64(need), min(count, max(least, 2*int64(len(list)))))
		list = append(make([]T, 0, room), list...)
	}
	return list
}

// distances reads the fractions of the links in pieces, so that a false count
// fails before it takes memory.
func (d *gridDecoder) distances(g *Grid, links int64) {
	l := &g.Links
	piece := make([]byte, 1<<17)
	for int64(len(l.Distance)) < links && d.err == nil {
		n := int(min(int64(len(piece)), 2*(links-int64(len(l.Distance)))))
		if _, err := io.ReadFull(d.r, piece[:n]); err != nil {
			d.fail("reading the links: %w", noEOF(err))
			return
		}
		d.admit(g)
		l.Distance = roomed(l.Distance, n/2, links)
		for i := 0; i < n; i += 2 {
			l.Distance = append(l.Distance, binary.LittleEndian.Uint16(piece[i:]))
		}
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
