package water

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"carina"
	"carina/balance"
	"carina/internal/quantity"
	"carina/solver/shallow"
)

// Case says everything that a flood needs, as users write it: in a case file (YAML, the
// names of the yaml tags), in flags, or both. Quantities carry units.
type Case struct {
	carina.PartitionCase
	WaterCase
	carina.ResultsCase
}

// WaterCase is the part of a case that says how water flows over what ground.
type WaterCase struct {
	// Terrain is a grid of heights in m in ESRI's ASCII format, or the name of one of
	// Scenes.
	Terrain string `yaml:"terrain"`
	// Depth is a grid of the water's depths in m at the start; Level, in its place, the
	// level up to which all ground is under water.
	Depth string `yaml:"depth"`
	Level string `yaml:"level"`
	// Spacing is the side of a cell, that of the terrain when empty.
	Spacing string `yaml:"spacing"`
	// Time is how long to compute.
	Time string `yaml:"time"`
	// CFL is the part of the time in which the fastest wave crosses a cell that a step
	// takes, at most 0.25, which it is when 0. Scheme is heun, of second order in time, or
	// euler. Precision is single or double.
	CFL       float64 `yaml:"cfl" zero:"refused"`
	Scheme    string  `yaml:"scheme"`
	Precision string  `yaml:"precision"`
	// Manning is the ground's coefficient in s/m^⅓, Chezy its in m^½/s; none when 0.
	Manning float64 `yaml:"manning"`
	Chezy   float64 `yaml:"chezy" zero:"refused"`
	// Edges are what lies beyond the sides: see ParseEdge.
	Edges []string `yaml:"edges"`
	// Gauges are places such as bridge=120,45: a name, and coordinates in m. Their depths
	// are told every Interval, a 200th of the time when empty.
	Gauges   []string `yaml:"gauges"`
	Interval string   `yaml:"interval"`
	// ExchangeEvery is in how many steps ranks exchange their borders once, and compute what
	// lies beyond them meanwhile: a number, 1 when empty, or auto, which tries several.
	ExchangeEvery string `yaml:"exchange-every"`
	// Wet is the depth from which on ground counts as flooded, 1cm when empty.
	Wet string `yaml:"wet"`

	file, folder string
}

// The schemes and precisions.
var (
	Schemes    = []string{"heun", "euler"}
	Precisions = []string{"single", "double"}
)

// ReadCase reads a case file. Files that it names are taken as relative to it.
func ReadCase(path string) (c Case, err error) {
	if err := carina.ReadParts(path, &c); err != nil {
		return c, err
	}
	if c.Terrain == "" {
		return c, fmt.Errorf("case file %s names no terrain: add a line such as terrain: valley.asc", path)
	}
	c.file, c.folder = path, filepath.Dir(path)
	for _, name := range []*string{&c.Terrain, &c.Depth} {
		if *name != "" && sceneOf(*name) == nil {
			*name = c.path(*name)
		}
	}
	return c, nil
}

// path is that of a file that the case names.
func (c *WaterCase) path(name string) string {
	if filepath.IsAbs(name) || c.folder == "" {
		return name
	}
	return filepath.Join(c.folder, name)
}

// Name is that of the terrain's file without its ending, by which results are called.
func (c *WaterCase) Name() string {
	return strings.TrimSuffix(filepath.Base(c.Terrain), filepath.Ext(c.Terrain))
}

// saved is a case with where it was read.
type saved struct {
	carina.PartitionCase
	WaterCase
	carina.ResultsCase
	File, Folder string
}

// encode returns all that a case says, for decode.
func (c *Case) encode() ([]byte, error) {
	k := saved{c.PartitionCase, c.WaterCase, c.ResultsCase, c.file, c.folder}
	paths := []*string{&k.File, &k.Folder, &k.Depth}
	if sceneOf(k.Terrain) == nil {
		paths = append(paths, &k.Terrain)
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	if k.Folder == "" {
		var err error
		if k.Folder, err = filepath.Abs("."); err != nil {
			return nil, err
		}
	}
	return json.Marshal(k)
}

func (c *Case) decode(data []byte) error {
	var k saved
	if err := json.Unmarshal(data, &k); err != nil {
		return err
	}
	if k.Terrain == "" {
		return errors.New("it is not of a flood")
	}
	*c = Case{k.PartitionCase, k.WaterCase, k.ResultsCase}
	c.file, c.folder = k.File, k.Folder
	return nil
}

// settings are what a case says, as numbers.
type settings struct {
	time, interval, wet, spacing, level float64
	snapshots                           float64 // 0: none
	hasLevel, euler, single             bool
	exchangeEvery                       int // 0 tries several
	edges                               []edge
	gauges                              []gauge
}

// gauge is a place where the depth is told.
type gauge struct {
	name string
	x, y float64
}

// Check refuses what cannot be meant, before anything is read or made.
func (c *Case) Check() error {
	_, err := c.settings()
	return err
}

// settings reads what the case says.
func (c *Case) settings() (s settings, err error) {
	if c.Terrain == "" {
		return s, fmt.Errorf("there is no ground: name a grid of heights such as valley.asc, or one of %s", quantity.Either(SceneNames()))
	}
	for _, q := range []struct {
		text string
		kind quantity.Kind
		into *float64
	}{{c.Time, quantity.Time, &s.time}, {c.Interval, quantity.Time, &s.interval}, {c.Wet, quantity.Length, &s.wet}, {c.Spacing, quantity.Length, &s.spacing}, {c.Snapshots, quantity.Time, &s.snapshots}} {
		if q.text == "" {
			continue
		}
		if *q.into, err = q.kind.ParsePositive(q.text); err != nil {
			return s, err
		}
	}
	const flooded, rows = 0.01, 200
	s.wet = cmp.Or(s.wet, flooded)
	if scene := sceneOf(c.Terrain); scene != nil {
		s.time = cmp.Or(s.time, scene.time)
	}
	if s.time == 0 {
		return s, errors.New("it is not said how long to compute: give --time, such as 30min")
	}
	s.interval = cmp.Or(s.interval, s.time/rows)
	if s.snapshots > 0 && c.Output == "" {
		return s, errors.New("snapshots lie in the folder for results: name one with output")
	}
	if c.Level != "" {
		s.hasLevel = true
		if s.level, err = quantity.Length.Parse(c.Level); err != nil {
			return s, err
		}
		if c.Depth != "" {
			return s, errors.New("the water at the start is given by --depth and by --level: give one of them")
		}
	}
	if err := errors.Join(checkName("scheme", c.Scheme, Schemes), checkName("precision", c.Precision, Precisions)); err != nil {
		return s, err
	}
	s.euler, s.single = c.Scheme == "euler", c.Precision != "double"
	const most = 0.25
	if c.CFL < 0 || !(c.CFL <= most) {
		return s, fmt.Errorf("a CFL number of %g would let depths become negative: give --cfl a number above 0 of at most %g", c.CFL, most)
	}
	if err := c.checkFriction(); err != nil {
		return s, err
	}
	if s.exchangeEvery, err = parseEvery(c.ExchangeEvery); err != nil {
		return s, err
	}
	if s.edges, err = c.parseEdges(); err != nil {
		return s, err
	}
	for _, text := range c.Gauges {
		g, err := parseGauge(text)
		if err != nil {
			return s, err
		}
		if slices.ContainsFunc(s.gauges, func(h gauge) bool { return h.name == g.name }) {
			return s, fmt.Errorf("two gauges are called %q: give them different names", g.name)
		}
		s.gauges = append(s.gauges, g)
	}
	_, err = c.Options(nil)
	return s, err
}

// checkFriction refuses coefficients that cannot be meant, and those that are numbers of
// another formula.
func (c *Case) checkFriction() error {
	const smooth, rough, smoothest = 1, 1, 1e6 // Manning's above, Chézy's below and above
	switch {
	case !(c.Manning >= 0 && c.Chezy >= 0 && c.Chezy < smoothest):
		return errors.New("friction is not negative: give --manning or --chezy a number from 0 on")
	case c.Manning > 0 && c.Chezy > 0:
		return errors.New("friction is given by --manning and by --chezy: give one of them")
	case c.Manning > smooth:
		return fmt.Errorf("%g is no coefficient of Manning's, which is 0.01 to 0.2 s/m^⅓; of Strickler's, in m^⅓/s, give one divided by it, --manning %.3g", c.Manning, 1/c.Manning)
	case c.Chezy > 0 && c.Chezy < rough:
		return fmt.Errorf("%g is no coefficient of Chézy's, which is some 20 to 100 m^½/s: if it is Manning's, give --manning %g", c.Chezy, c.Chezy)
	}
	return nil
}

// parseEvery reads in how many steps ranks exchange once, 0 where that is to be tried.
func parseEvery(text string) (int, error) {
	const most = 64
	switch n, err := strconv.Atoi(text); {
	case text == "":
		return 1, nil
	case text == "auto":
		return 0, nil
	case err != nil || n < 1 || n > most:
		return 0, fmt.Errorf("ranks cannot exchange every %q steps: give a number from 1 to %d, or auto", text, most)
	default:
		return n, nil
	}
}

func checkName(what, name string, list []string) error {
	if name == "" {
		return nil
	}
	return quantity.CheckName(what, name, list)
}

// parseGauge reads a gauge such as bridge=120,45.
func parseGauge(text string) (g gauge, err error) {
	name, place, named := strings.Cut(text, "=")
	x, y, both := strings.Cut(place, ",")
	if named && both && strings.TrimSpace(name) != "" {
		g.name = strings.TrimSpace(name)
		g.x, err = strconv.ParseFloat(strings.TrimSpace(x), 64)
		if err == nil {
			g.y, err = strconv.ParseFloat(strings.TrimSpace(y), 64)
		}
	}
	if !named || !both || g.name == "" || err != nil || g.x-g.x != 0 || g.y-g.y != 0 {
		return g, fmt.Errorf("%q is no gauge: give a name and its coordinates in m, such as bridge=120,45", text)
	}
	return g, nil
}

// cost is what a step of water costs on ranks of processors: some bytes more than two
// cells deep cross between them, in values of some bytes.
func (s *settings) cost() *balance.Cost {
	c := balance.DefaultCost(balance.Sparse)
	const fluid = 12e-9
	c.Fluid, c.Boundary, c.Opening = fluid, fluid, fluid
	c.BytesPerPopulation = 8
	if s.single {
		c.BytesPerPopulation = 4
	}
	return &c
}

// water is the physics but for the ground and the water at the start.
func (c *Case) water(s *settings) *shallow.Water {
	const gravity = 9.81
	manning := c.Manning
	if scene := sceneOf(c.Terrain); scene != nil && c.Chezy == 0 {
		manning = cmp.Or(manning, scene.manning)
	}
	return &shallow.Water{Gravity: gravity, Courant: c.CFL, Manning: manning, Chezy: c.Chezy, Euler: s.euler, Single: s.single, End: s.time, Wet: s.wet}
}
