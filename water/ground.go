package water

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"

	"carina/geometry"
	"carina/geometry/terrain"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/solver/shallow"

	"gonum.org/v1/gonum/spatial/r3"
)

// ground is what water flows over, with the water at the start.
type ground struct {
	heights, depths *terrain.Raster
	discharge       func(p r3.Vec) (x, y float64) // by depth and time; nil: none
	grid            *geometry.Grid
	// base is the lowest height: single precision tells others from it.
	base float64
	// warnings are of what was left out.
	warnings []string
}

// mostCells is how many cells a flood has at most: what one process can number.
const mostCells = 1 << 31

// makeGround reads the rasters that a case names, or makes those of a scene.
func (c *Case) makeGround(s *settings) (*ground, error) {
	g := &ground{}
	var err error
	if scene := sceneOf(c.Terrain); scene != nil {
		if err := g.generate(scene, s.spacing); err != nil {
			return nil, err
		}
	} else if g.heights, err = readRaster(c.Terrain); err != nil {
		return nil, err
	} else if err := g.checkHeights(c.Terrain); err != nil {
		return nil, err
	}
	switch {
	case c.Depth != "":
		if g.depths, err = readRaster(c.Depth); err != nil {
			return nil, err
		}
		if err := g.heights.Fits(g.depths); err != nil {
			return nil, fmt.Errorf("%s does not fit the ground: %w", c.Depth, err)
		}
		if err := g.checkDepths(c.Depth); err != nil {
			return nil, err
		}
	case s.hasLevel:
		g.fill(s.level)
	case g.depths == nil:
		g.fill(math.Inf(-1))
	}
	if s.spacing > 0 && math.Abs(s.spacing-g.heights.Spacing) > 1e-9*s.spacing {
		if err := g.resample(s.spacing); err != nil {
			return nil, err
		}
	}
	if err := admit(float64(g.heights.Columns) * float64(g.heights.Rows)); err != nil {
		return nil, err
	}
	if g.grid, err = g.heights.Grid(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Terrain, err)
	}
	g.base = math.Inf(1)
	for _, v := range g.heights.Values {
		if v < g.base {
			g.base = v
		}
	}
	return g, nil
}

func readRaster(path string) (*terrain.Raster, error) {
	file, err := machine.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := machine.Text(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	g, err := terrain.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// checkHeights refuses heights that no ground has, which stand for none in rasters that do not
// say so, and warns of ground that is higher than wide, as that of coordinates in degrees is.
func (g *ground) checkHeights(path string) error {
	const highest = 30e3 // m; -32768 stands for no height, too
	low, high := math.Inf(1), math.Inf(-1)
	for i, v := range g.heights.Values {
		if math.IsNaN(v) {
			continue
		}
		if math.Abs(v) > highest {
			row, column := i/int(g.heights.Columns), i%int(g.heights.Columns)
			return fmt.Errorf("%s: the height in column %d of row %d from the south is %g m, which no ground has: name the value as NODATA_value, or correct it", path, column+1, row+1, v)
		}
		low, high = min(low, v), max(high, v)
	}
	width := float64(max(g.heights.Columns, g.heights.Rows)) * g.heights.Spacing
	if high-low > width {
		g.warnings = append(g.warnings, fmt.Sprintf("the ground is %s wide and %s high: if its coordinates are degrees, make them metres with gdalwarp -t_srs and a projection",
			quantity.FormatLength(width), quantity.FormatLength(high-low)))
	}
	return nil
}

// admit refuses more cells than the memory holds: with the water and the ground, and the
// results, of each.
func admit(cells float64) error {
	const bytes = 260
	return machine.AdmitFor(fmt.Sprintf("a flood on %.3g cells", cells), int64(bytes*cells), "choose a larger spacing")
}

// like is a raster of other values on the same squares.
func like(g *terrain.Raster, value func(i int) float64) *terrain.Raster {
	other := *g
	other.Values = make([]float64, len(g.Values))
	for i := range other.Values {
		other.Values[i] = value(i)
	}
	return &other
}

// fill lets all ground below a level be under water.
func (g *ground) fill(level float64) {
	g.depths = like(g.heights, func(i int) float64 { return math.Max(0, level-g.heights.Values[i]) })
}

// checkDepths refuses depths that make no sense where there is ground. Where there is no
// depth there is no water.
func (g *ground) checkDepths(path string) error {
	for i, h := range g.depths.Values {
		if math.IsNaN(h) {
			g.depths.Values[i] = 0
			continue
		}
		row, column := i/int(g.heights.Columns), i%int(g.heights.Columns)
		if h < 0 {
			return fmt.Errorf("%s: the water is %g m deep in column %d of row %d from the south: give depths from 0 on", path, h, column+1, row+1)
		}
		if h > 0 && math.IsNaN(g.heights.Values[i]) {
			return fmt.Errorf("%s: there is water in column %d of row %d from the south, where the ground has no height: give it one, or no water", path, column+1, row+1)
		}
	}
	return nil
}

// resample lets squares have another side: heights lie between those that are known.
func (g *ground) resample(spacing float64) error {
	old := g.heights
	columns, rows := float64(old.Columns)*old.Spacing/spacing, float64(old.Rows)*old.Spacing/spacing
	if !(columns*rows < mostCells) || columns < 1 || rows < 1 {
		return fmt.Errorf("a spacing of %s makes %.3g by %.3g cells of the ground: choose another one", quantity.FormatLength(spacing), columns, rows)
	}
	if err := admit(columns * rows); err != nil {
		return err
	}
	to := terrain.Raster{Columns: int32(math.Floor(columns + 1e-6)), Rows: int32(math.Floor(rows + 1e-6)), West: old.West, South: old.South, Spacing: spacing}
	depths := to
	to.Values, depths.Values = make([]float64, int(to.Columns)*int(to.Rows)), make([]float64, int(to.Columns)*int(to.Rows))
	// What is level stays level: the ground and the level are taken between, not depths.
	levels := like(old, func(i int) float64 { return old.Values[i] + g.depths.Values[i] })
	for y := range int(to.Rows) {
		for x := range int(to.Columns) {
			p := r3.Vec{X: to.West + (float64(x)+0.5)*spacing, Y: to.South + (float64(y)+0.5)*spacing}
			i := y*int(to.Columns) + x
			to.Values[i] = old.Between(p)
			if g.depths.At(p) > 0 {
				depths.Values[i] = math.Max(0, levels.At(p)-to.Values[i])
			}
		}
	}
	for axis, left := range [2]float64{(columns - float64(to.Columns)) * spacing, (rows - float64(to.Rows)) * spacing} {
		if left > 1e-6*spacing {
			g.warnings = append(g.warnings, fmt.Sprintf("cells of %s leave out %s of the ground in the %s: choose a spacing that divides it, such as that of the ground, %s, or a half of it",
				quantity.FormatLength(spacing), quantity.FormatLength(left), []string{"east", "north"}[axis], quantity.FormatLength(old.Spacing)))
		}
	}
	g.heights, g.depths = &to, &depths
	return nil
}

// bind lets a physics have the ground and the water.
func (g *ground) bind(w *shallow.Water) {
	w.Bottom = func(p r3.Vec) float64 { return g.heights.At(p) - g.base }
	w.Initial = func(p r3.Vec) (float64, [2]float64) {
		h := g.depths.At(p)
		if g.discharge == nil || h == 0 {
			return h, [2]float64{}
		}
		u, v := g.discharge(p)
		return h, [2]float64{h * u, h * v}
	}
}

// hash tells grounds and waters apart.
func (g *ground) hash() string {
	sum := sha256.New()
	for _, r := range []*terrain.Raster{g.heights, g.depths} {
		fmt.Fprintf(sum, "%d %d %v %v %v", r.Columns, r.Rows, r.West, r.South, r.Spacing)
		var buffer [4096]byte
		for values := r.Values; len(values) > 0; {
			n := min(len(values), len(buffer)/8)
			for i, v := range values[:n] {
				binary.LittleEndian.PutUint64(buffer[8*i:], math.Float64bits(v))
			}
			sum.Write(buffer[:8*n])
			values = values[n:]
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// border is what lies beyond the sides of cells: what shallow.Water.Edge takes, nil where
// there are walls alone, and by what its inflow is multiplied.
func (g *ground) border(list []edge) (beyond func(p r3.Vec, side shallow.Side) float64, inflow func(side shallow.Side, time float64) float64, entering [4]float64, err error) {
	r := g.heights
	flows := [4]*hydrograph{}
	open := false
	for i := range list {
		e := &list[i]
		open = open || e.kind == "open" || e.kind == "inflow"
		if e.kind == "inflow" {
			flows[e.side] = e.flow
		}
	}
	for i := range list {
		if err := list[i].meets(r); err != nil {
			return nil, nil, entering, err
		}
	}
	if !open {
		return nil, nil, entering, nil
	}
	of := func(p r3.Vec, side shallow.Side) *edge {
		away := [4]float64{p.X - r.West, r.West + float64(r.Columns)*r.Spacing - p.X, p.Y - r.South, r.South + float64(r.Rows)*r.Spacing - p.Y}
		where, along := gaps, p.Y
		if side >= shallow.South {
			along = p.X
		}
		if away[side] < r.Spacing {
			where = int(side)
		}
		for i := len(list) - 1; i >= 0; i-- {
			if e := &list[i]; e.side == where && along >= e.from && along < e.to {
				return e
			}
		}
		return nil
	}
	// An inflow is per metre of the side, of 1 m³/s altogether.
	for side := range flows {
		if flows[side] == nil {
			continue
		}
		for i := range max(r.Columns, r.Rows) {
			p := r3.Vec{X: r.West + (float64(i)+0.5)*r.Spacing, Y: r.South + 0.5*r.Spacing}
			if side < int(shallow.South) {
				p = r3.Vec{X: r.West + 0.5*r.Spacing, Y: r.South + (float64(i)+0.5)*r.Spacing}
			}
			switch shallow.Side(side) {
			case shallow.East:
				p.X = r.West + (float64(r.Columns)-0.5)*r.Spacing
			case shallow.North:
				p.Y = r.South + (float64(r.Rows)-0.5)*r.Spacing
			}
			if e := of(p, shallow.Side(side)); e != nil && e.kind == "inflow" && !math.IsNaN(r.At(p)) {
				entering[side] += r.Spacing
			}
		}
		if entering[side] == 0 {
			return nil, nil, entering, fmt.Errorf("no cell lies where water is to come in at the %s: give it a part of the side that has ground", Sides[side])
		}
	}
	beyond = func(p r3.Vec, side shallow.Side) float64 {
		switch e := of(p, side); {
		case e == nil:
			return 0
		case e.kind == "open":
			return shallow.Outflow
		case e.kind == "inflow":
			return 1 / entering[side]
		}
		return 0
	}
	inflow = func(side shallow.Side, time float64) float64 {
		if flows[side] == nil {
			return 0
		}
		return flows[side].at(time)
	}
	return beyond, inflow, entering, nil
}

// scene is ground and water that are generated.
type scene struct {
	name, does    string
	width, height float64 // m
	spacing       float64 // m, where none is given
	time          float64 // s, where none is given
	manning       float64 // s/m^⅓, where no friction is given
	bottom        func(x, y float64) float64
	depth         func(x, y float64) float64
	velocity      func(x, y float64) (u, v float64) // nil: none
}

// The bowl of W. C. Thacker, J. Fluid Mech. 107 (1981): its depth, its radius, and how far
// the water's surface is turned.
const bowlDepth, bowlRadius, bowlTurn = 0.1, 1., 0.5

// scenes are those that can be generated.
var scenes = []scene{
	{name: "dam", does: "a dam across a channel breaks, 1 m onto dry ground", width: 100, height: 20, spacing: 0.25, time: 7,
		bottom: func(x, y float64) float64 { return 0 },
		depth: func(x, y float64) float64 {
			if x < 50 {
				return 1
			}
			return 0
		}},
	{name: "circle", does: "a circular dam of 200 m breaks, 1 m onto 0.1 m (Skevik 2014)", width: 2000, height: 2000, spacing: 5, time: 60,
		bottom: func(x, y float64) float64 { return 0 },
		depth: func(x, y float64) float64 {
			if math.Hypot(x-1000, y-1000) < 200 {
				return 1
			}
			return 0.1
		}},
	{name: "valley", does: "a reservoir breaks into a dry, winding valley", width: 2000, height: 500, spacing: 4, time: 240, manning: 0.03,
		bottom: valleyHeight,
		depth: func(x, y float64) float64 {
			if x < 200 {
				return math.Max(0, 50-valleyHeight(x, y))
			}
			return 0
		}},
	{name: "bowl", does: "water swings in a paraboloid (Thacker 1981)", width: 4, height: 4, spacing: 0.02, time: 4.4857,
		bottom: bowlHeight,
		depth: func(x, y float64) float64 {
			return math.Max(0, bowlTurn*bowlDepth/(bowlRadius*bowlRadius)*(2*(x-2)-bowlTurn)-bowlHeight(x, y))
		},
		velocity: func(x, y float64) (u, v float64) { return 0, bowlTurn * math.Sqrt(2*9.81*bowlDepth) / bowlRadius }},
}

func valleyHeight(x, y float64) float64 {
	middle := 250 + 90*math.Sin(x/160)
	return 40 - 0.018*x + math.Min(60, 0.004*(y-middle)*(y-middle))
}

func bowlHeight(x, y float64) float64 {
	return bowlDepth * (((x-2)*(x-2)+(y-2)*(y-2))/(bowlRadius*bowlRadius) - 1)
}

// SceneNames are those of scenes that can be generated.
func SceneNames() (names []string) {
	for i := range scenes {
		names = append(names, scenes[i].name)
	}
	return names
}

// SceneWords describe each scene in a line.
func SceneWords() (lines []string) {
	for i := range scenes {
		lines = append(lines, fmt.Sprintf("  %-8s %s", scenes[i].name, scenes[i].does))
	}
	return lines
}

// sceneOf is that of a name, nil where there is none.
func sceneOf(name string) *scene {
	for i := range scenes {
		if scenes[i].name == name {
			return &scenes[i]
		}
	}
	return nil
}

// generate makes a scene, with as many whole cells as its width and height have.
func (g *ground) generate(s *scene, spacing float64) error {
	if spacing == 0 {
		spacing = s.spacing
	}
	columns, rows := math.Round(s.width/spacing), math.Round(s.height/spacing)
	if columns < 1 || rows < 1 || !(columns*rows < mostCells) {
		return fmt.Errorf("a spacing of %s makes %.3g by %.3g cells of %s, which is %g by %g m: choose another one", quantity.FormatLength(spacing), columns, rows, s.name, s.width, s.height)
	}
	if err := admit(columns * rows); err != nil {
		return err
	}
	r := &terrain.Raster{Columns: int32(columns), Rows: int32(rows), Spacing: spacing}
	r.Values = make([]float64, int(r.Columns)*int(r.Rows))
	at := func(i int) (x, y float64) {
		return (float64(i%int(r.Columns)) + 0.5) * spacing, (float64(i/int(r.Columns)) + 0.5) * spacing
	}
	for i := range r.Values {
		r.Values[i] = s.bottom(at(i))
	}
	g.heights = r
	g.depths = like(r, func(i int) float64 { return s.depth(at(i)) })
	if s.velocity != nil {
		g.discharge = func(p r3.Vec) (float64, float64) { return s.velocity(p.X, p.Y) }
	}
	return nil
}

// inputs are the files that a flood is computed from.
func (f *Flood) inputs() (list []string) {
	paths := []string{f.c.Terrain, f.c.Depth, f.c.file}
	for _, e := range f.settings.edges {
		paths = append(paths, e.file)
	}
	for _, path := range paths {
		if path != "" && sceneOf(path) == nil {
			list = append(list, filepath.Clean(path))
		}
	}
	return list
}
