package page

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/output/picture"

	"gonum.org/v1/gonum/spatial/r3"
)

// scene is what the page's script draws: a header, sent as JSON, and binary
// streams. Lengths in the header are in millimetres.
type scene struct {
	// Origin and Step turn quantised positions into millimetres.
	Origin [3]float64 `json:"origin"`
	Step   float64    `json:"step"`
	// Low and High are the corners of what is shown.
	Low  [3]float64 `json:"low"`
	High [3]float64 `json:"high"`
	// Vertices and Faces are counts.
	Vertices int `json:"vertices"`
	Faces    int `json:"faces"`
	// Labels describe the values of the stream "label"; what they are is in
	// LabelKind.
	Labels    []label `json:"labels"`
	LabelKind string  `json:"labelKind"`
	// Fields have streams "vertex:NAME" and "voxel:NAME" of bytes, 1 to 255
	// from low to high.
	Fields []field  `json:"fields"`
	Voxels *lattice `json:"voxels"`
	// Lines are the points of each streamline, LineTime and Transit the
	// longest and the median time in seconds that the air takes along one.
	Lines    []int     `json:"lines"`
	LineTime float64   `json:"lineTime"`
	Transit  float64   `json:"transit"`
	Boxes    int       `json:"boxes"`
	Openings []opening `json:"openings"`
	Branches []branch  `json:"branches"`
	// Turned tells that x points to the patient's right and y to the front, so that
	// the usual sides are those behind. Sides are named where they are known: x and
	// its opposite, then y and z.
	Turned bool       `json:"turned"`
	Sides  *[6]string `json:"sides"`
	Note   string     `json:"note"`
	// Instants are moments that can be chosen, the last is that of all else; none where
	// there is one alone.
	Instants []instant `json:"instants,omitempty"`
	// Streams are the names and lengths of the binary parts, in their order.
	Streams []stream `json:"streams"`

	data []byte
	// packed is the data compressed, frames are those of the instants but the last.
	packed string
	frames []string
	// read are the instants of which fields can be read, in which these have the ranges.
	read []*Instant
	// order is that of the openings in the scene.
	order  []int
	ranges ranges
}

type label struct {
	Name   string `json:"name"`
	Colour string `json:"colour"`
	Detail string `json:"detail"`
}

type field struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit"`
	Low     float64  `json:"low"`
	High    float64  `json:"high"`
	Colours []string `json:"colours"`
	// Wall tells that it is known at vertices alone.
	Wall bool `json:"wall,omitempty"`
	// values of each vertex and voxel.
	vertex, voxel []float32
}

type lattice struct {
	Size [3]int32 `json:"size"`
	// Spacing is in millimetres.
	Spacing float64 `json:"spacing"`
	Runs    int     `json:"runs"`
}

type opening struct {
	Number int        `json:"number"`
	Role   string     `json:"role"`
	At     [3]float64 `json:"at"`
	numbers
}

// numbers are what is told of an opening. Flow stands beside it, if it is known.
type numbers struct {
	Text string `json:"text"`
	Flow string `json:"flow,omitempty"`
}

type stream struct {
	Name   string `json:"name"`
	Length int    `json:"length"`
}

const millimetre = 1e-3

func toMillimetres(v r3.Vec) [3]float64 {
	return [3]float64{v.X / millimetre, v.Y / millimetre, v.Z / millimetre}
}

func (s *scene) add(name string, data []byte) {
	s.Streams = append(s.Streams, stream{name, len(data)})
	s.data = append(s.data, data...)
}

// quantum is the number of steps that positions are rounded to along the
// longest side.
const quantum = 1 << 16

// addGrid adds the voxels of the page's grid with all that is known of them.
func (s *scene) addGrid(p *Page, v *voxels, m *mesh) {
	s.read, s.ranges = v.survey(p)
	s.frame(v.origin, r3.Add(v.origin, r3.Scale(v.spacing, r3.Vec{X: float64(v.size[0]), Y: float64(v.size[1]), Z: float64(v.size[2])})))
	s.LabelKind = "rank"
	if p.Segments != nil {
		s.Labels = rankLabels(p)
	}
	place := func(c r3.Vec) r3.Vec { return r3.Add(v.origin, r3.Scale(v.spacing, c)) }
	s.addMesh(m, place, m.normals(false))
	if v.pressure != nil {
		s.Fields = append(s.Fields, pressureField(p, m, v, s.ranges))
	}
	if v.velocity != nil {
		s.Fields = append(s.Fields, speedField(m, v, s.ranges))
	}
	s.addWall(p, m, v, place)
	s.addFields(v)
	s.addBoxes(p)
	s.addBranches(p)
	s.addLines(v.streamlines(p.openings()), place)
	if v.factor > 1 {
		s.Note = fmt.Sprintf("%s shown as %s of %d×%d×%d.", quantity.GroupedCount(p.Grid.Cells(), "cell"), quantity.GroupedCount(v.count(), "voxel"), v.factor, v.factor, v.factor)
	} else {
		s.Note = quantity.GroupedCount(v.count(), "cell") + "."
	}
}

// addSurface adds a surface with its openings.
func (s *scene) addSurface(surface *geometry.Surface, openings []geometry.Opening) {
	m := surfaceMesh(surface, picture.OpeningTriangles(surface, openings))
	s.frame(surface.Bounds())
	s.LabelKind = "opening"
	s.Labels = []label{{Name: "wall", Colour: "#ccd3dd"}}
	for _, o := range openings {
		s.Labels = append(s.Labels, label{Name: fmt.Sprintf("%d %s", o.Number, o.Name), Colour: hex(picture.OwnerColour(o.Number - 1)),
			Detail: quantity.FormatArea(o.Area)})
	}
	s.addMesh(m, func(c r3.Vec) r3.Vec { return c }, m.normals(true))
	s.Note = fmt.Sprintf("%s.", quantity.GroupedCount(len(surface.Triangles), "triangle"))
}

// frame sets the box and the quantisation.
func (s *scene) frame(low, high r3.Vec) {
	s.Low, s.High = toMillimetres(low), toMillimetres(high)
	extent := r3.Sub(high, low)
	longest := max(extent.X, extent.Y, extent.Z, 1e-9)
	// Smoothed corners may leave the box a little.
	margin := 0.02 * longest
	s.Origin = toMillimetres(r3.Sub(low, r3.Vec{X: margin, Y: margin, Z: margin}))
	s.Step = (longest + 2*margin) / (quantum - 1) / millimetre
}

// quantised returns a place in steps from the origin.
func (s *scene) quantised(at r3.Vec) [3]int64 {
	mm := toMillimetres(at)
	var q [3]int64
	for i := range q {
		q[i] = int64(min(max(math.Round((mm[i]-s.Origin[i])/s.Step), 0), quantum-1))
	}
	return q
}

// deltas encodes numbers as zigzag varints of their differences, which are
// small where neighbours follow each other.
type deltas struct {
	last int64
	data []byte
}

func (d *deltas) add(v int64) {
	d.data = binary.AppendVarint(d.data, v-d.last)
	d.last = v
}

// addPlaces adds streams NAME:x, NAME:y and NAME:z.
func (s *scene) addPlaces(name string, n int, at func(i int) r3.Vec) {
	var axes [3]deltas
	for i := range n {
		q := s.quantised(at(i))
		for a := range axes {
			axes[a].add(q[a])
		}
	}
	for a, axis := range []string{"x", "y", "z"} {
		s.add(name+":"+axis, axes[a].data)
	}
}

func (s *scene) addMesh(m *mesh, place func(r3.Vec) r3.Vec, normals []r3.Vec) {
	s.Vertices, s.Faces = len(m.vertices), len(m.faces)
	s.addPlaces("vertex", len(m.vertices), func(i int) r3.Vec { return place(m.corners[m.vertices[i].corner]) })
	packed := make([]byte, 0, 3*len(normals))
	var labels, faces deltas
	for i, n := range normals {
		for _, c := range [3]float64{n.X, n.Y, n.Z} {
			packed = append(packed, byte(int8(math.Round(127*c))))
		}
		labels.add(int64(m.vertices[i].label))
	}
	for _, f := range m.faces {
		for _, v := range f {
			faces.add(int64(v))
		}
	}
	s.add("normal", packed)
	s.add("label", labels.data)
	s.add("face", faces.data)
}

func pressureField(p *Page, m *mesh, v *voxels, before ranges) field {
	f := field{Name: "pressure", Unit: "Pa", voxel: v.pressure, vertex: m.atVertices(v.pressure)}
	f.Low, f.High = v.pressures(p, v.pressure, p.OpeningPressure)
	if before.known {
		f.Low, f.High = min(f.Low, before.low), max(f.High, before.high)
	}
	f.scale(func(share float64) string { return hex(picture.PressureColour(share)) })
	return f
}

// pressures are the range of pressures in voxels and at openings.
func (v *voxels) pressures(p *Page, values []float32, atOpenings []float64) (low, high float64) {
	places := v.places()
	return picture.Extremes(values, func(i int) r3.Vec { return places[i] }, p.openings(), atOpenings)
}

func speedField(m *mesh, v *voxels, before ranges) field {
	speed := v.speed()
	f := field{Name: "speed", Unit: "m/s", voxel: speed, vertex: m.atVertices(speed)}
	_, f.High = picture.Extremes(f.voxel, nil, nil, nil)
	f.High = max(f.High, before.fastest)
	f.scale(func(share float64) string { return hex(picture.SpeedColour(share)) })
	return f
}

// scale gives the field its colours, and a range where it has none.
func (f *field) scale(colour func(share float64) string) {
	if !(f.High > f.Low) {
		f.High = f.Low + 1e-9
	}
	const steps = 33
	for i := range steps {
		f.Colours = append(f.Colours, colour(float64(i)/(steps-1)))
	}
}

// byteOf returns 1 to 255 from low to high.
func (f *field) byteOf(v float32) byte {
	share := (float64(v) - f.Low) / (f.High - f.Low)
	if !(share > 0) {
		return 1
	}
	return byte(1 + math.Round(254*min(share, 1)))
}

// pack appends a byte for each value.
func (f *field) pack(data []byte, values []float32) []byte {
	for _, v := range values {
		data = append(data, f.byteOf(v))
	}
	return data
}

// addFields adds the voxels and the fields' values.
func (s *scene) addFields(v *voxels) {
	if len(s.Fields) == 0 {
		return
	}
	s.Voxels = &lattice{Size: v.size, Spacing: v.spacing / millimetre, Runs: len(v.runs)}
	var columns [4]deltas
	for _, r := range v.runs {
		for i, c := range [4]int32{r.X0, r.X1, r.Y, r.Z} {
			columns[i].add(int64(c))
		}
	}
	for i, name := range []string{"x0", "x1", "y", "z"} {
		s.add("run:"+name, columns[i].data)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		s.add("vertex:"+f.Name, f.pack(nil, f.vertex))
		if !f.Wall {
			s.add("voxel:"+f.Name, f.pack(nil, f.voxel))
		}
	}
}

// addBoxes adds the cuboids: two corners and the owner of each.
func (s *scene) addBoxes(p *Page) {
	g := p.Grid
	corner := func(c [3]int32) r3.Vec {
		return r3.Add(g.Origin, r3.Scale(g.Spacing, r3.Vec{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}))
	}
	s.Boxes = len(p.Cuboids)
	s.addPlaces("box", 2*len(p.Cuboids), func(i int) r3.Vec {
		c := p.Cuboids[i/2]
		return corner([2][3]int32{c.Min, c.Max}[i%2])
	})
	var owners deltas
	for _, o := range p.Owners {
		owners.add(int64(o))
	}
	s.add("box:owner", owners.data)
}

// addLines adds the streamlines. Times are in steps of 1/65535 of LineTime.
func (s *scene) addLines(lines []streamline, place func(r3.Vec) r3.Vec) {
	if len(lines) == 0 {
		return
	}
	var all []waypoint
	var ends []float64
	for _, l := range lines {
		s.Lines = append(s.Lines, len(l))
		all = append(all, l...)
		ends = append(ends, l[len(l)-1].time)
	}
	slices.Sort(ends)
	s.LineTime, s.Transit = ends[len(ends)-1], ends[len(ends)/2]
	s.addPlaces("line", len(all), func(i int) r3.Vec { return place(all[i].at) })
	speed := &s.Fields[slices.IndexFunc(s.Fields, func(f field) bool { return f.Name == "speed" })]
	var times deltas
	speeds := make([]byte, len(all))
	for i, w := range all {
		speeds[i] = speed.byteOf(float32(w.speed))
		times.add(int64(math.Round(w.time / s.LineTime * (quantum - 1))))
	}
	s.add("line:speed", speeds)
	s.add("line:time", times.data)
}

// addOpenings adds the openings, those with most flow or the largest first.
func (s *scene) addOpenings(p *Page) {
	flows := make([]float64, len(p.Flow))
	for i, q := range p.Flow {
		flows[i] = math.Abs(q)
	}
	all := p.openings()
	s.order = make([]int, len(all))
	for i := range s.order {
		s.order[i] = i
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		if p.Flow != nil {
			return cmp.Compare(flows[b], flows[a])
		}
		return cmp.Compare(all[b].Area, all[a].Area)
	})
	words := s.wordsAt(p, p.Flow, p.OpeningPressure)
	for k, i := range s.order {
		o := all[i]
		s.Openings = append(s.Openings, opening{Number: o.Number, Role: string(o.Role), At: toMillimetres(o.Center), numbers: words[k]})
	}
}

// wordsAt are the numbers at openings in the order of the scene, by flows and pressures that
// may be nil.
func (s *scene) wordsAt(p *Page, flow, pressure []float64) []numbers {
	sizes := make([]float64, len(flow))
	for i, q := range flow {
		sizes[i] = math.Abs(q)
	}
	words, all, least := quantity.FormatFlows(sizes...), p.openings(), quantity.LeastPressure(0, 0, 0, pressure...)
	var list []numbers
	for _, i := range s.order {
		n := numbers{Text: all[i].Name + ", " + quantity.FormatArea(all[i].Area)}
		if flow != nil {
			n.Flow = words[i]
			n.Text += ", " + words[i]
		}
		if pressure != nil {
			n.Text += ", " + quantity.FormatFrom(least, pressure[i], "Pa")
		}
		list = append(list, n)
	}
	return list
}

// addSides names where the axes point, where that is known.
func (s *scene) addSides(axes geometry.Axes) {
	if axes == geometry.UnknownAxes {
		return
	}
	s.Turned, s.Sides = axes == geometry.RAS, new([6]string)
	for i := range s.Sides {
		s.Sides[i] = axes.Side(i/2, i%2 == 1)
	}
}

// rankLabels has one entry a rank with what it owns.
func rankLabels(p *Page) []label {
	ranks := int(slices.Max(p.Owners)) + 1
	cells, cuboids := make([]int64, ranks), make([]int, ranks)
	for _, s := range p.Segments {
		cells[p.Owners[s.Cuboid]] += int64(s.X1 - s.X0)
	}
	for _, o := range p.Owners {
		cuboids[o]++
	}
	labels := make([]label, ranks)
	for r := range labels {
		labels[r] = label{Name: fmt.Sprintf("rank %d", r), Colour: hex(picture.OwnerColour(r)),
			Detail: fmt.Sprintf("%s, %s", quantity.GroupedCount(cells[r], "cell"), quantity.GroupedCount(cuboids[r], "cuboid"))}
	}
	return labels
}
