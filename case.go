package carina

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"carina/internal/run"
)

// Case says everything that a computation needs, as users write it: in a case
// file (YAML, the names of the yaml tags, in any order), in flags, or both, flags having
// the last word. Quantities carry units. The zero value of every field but
// Surface means a sensible default.
//
// It is made of parts. The case of another physics is made of those that it shares with
// air and of one of its own in the place of FlowCase, see ReadParts.
type Case struct {
	SurfaceCase
	PartitionCase
	FlowCase
	ResultsCase
}

// SurfaceCase is the part of a case that says which cells there are: those of a surface,
// or of a grid file, which may have one layer.
type SurfaceCase struct {
	// Surface is the file of a surface, see geometry.ReadSurface, or a grid file; relative to the case file.
	Surface string `yaml:"surface"`
	// Unit of the surface's coordinates, or the length of one unit; guessed
	// when empty. Scale multiplies the coordinates before, 1 when 0.
	Unit  string  `yaml:"unit"`
	Scale float64 `yaml:"scale" zero:"refused"`
	// Label is that of the lumen in a segmentation; without, all labels are inside.
	Label int `yaml:"label" zero:"refused"`
	// Axes say where the surface's axes point in the patient, LPS or RAS; not known
	// when empty.
	Axes string `yaml:"axes"`
	// Spacing is the side of a cell; FluidCells asks for a number of cells
	// instead.
	Spacing    string `yaml:"spacing"`
	FluidCells int64  `yaml:"fluid-cells" zero:"refused"`
	// Voxelizer is rows, vote or winding; chosen by the diagnosis when empty.
	Voxelizer string `yaml:"voxelizer"`
	// Directions is how many directions have links: 26 for D3Q27, by default
	// what the method needs.
	Directions int `yaml:"directions" zero:"refused"`
	// Inlet is the number of the opening that air enters through. Roles are
	// those of single openings, inlet or outlet, by number.
	Inlet int   `yaml:"inlet" zero:"refused"`
	Roles Roles `yaml:"roles"`
	// DropOpenings are the numbers of openings to close, MergeOpenings groups
	// of openings that act as one.
	DropOpenings  Numbers `yaml:"drop-openings"`
	MergeOpenings Groups  `yaml:"merge-openings"`
	// Openings are discs that cut the lumen, for surfaces without flat ends.
	Openings []OpeningCase `yaml:"openings"`
	// ExtendOpenings lengthens every opening by a straight piece: a length,
	// or a multiple of the opening's diameter such as 2D.
	ExtendOpenings string `yaml:"extend-openings"`

	// file is the case file, folder its folder, where its tables are looked for.
	file, folder string
}

// PartitionCase is the part of a case that says who computes what, and on what.
type PartitionCase struct {
	// Ranks is the number of ranks that share the work.
	Ranks int `yaml:"ranks" zero:"refused"`
	// Decompose and Balance are of balance.DecompositionNames and
	// balance.BalancerNames.
	Decompose      string  `yaml:"decompose"`
	Balance        string  `yaml:"balance"`
	CuboidsPerRank int     `yaml:"cuboids-per-rank" zero:"refused"`
	MinSide        int     `yaml:"min-side" zero:"refused"`
	MaxSide        int     `yaml:"max-side" zero:"refused"`
	Imbalance      float64 `yaml:"imbalance" zero:"refused"`
	Seed           uint64  `yaml:"seed"`
	Preset         string  `yaml:"preset"`
	// Machine is a file of measured costs, see carina bench cost.
	Machine string `yaml:"machine"`
	// Speeds are the relative speeds of the ranks, equal when empty.
	Speeds []float64 `yaml:"speeds" zero:"refused"`
	// DevicesPerHost is how many consecutive ranks share a host; all when 0.
	DevicesPerHost int `yaml:"devices-per-host" zero:"refused"`
	// Improve moves cuboids between ranks after balancing while the predicted
	// step time falls. KeepHeavy leaves cuboids whole that the ranks cannot
	// share evenly. TimeLimit is how long the graph balancer goes on improving.
	Improve   bool          `yaml:"improve"`
	KeepHeavy bool          `yaml:"keep-heavy"`
	TimeLimit time.Duration `yaml:"time-limit" zero:"refused"`
	// Device is what the ranks compute on: cpu or gpu, or one of these for each rank, such
	// as gpu:0,gpu:1,cpu:12 with numbers of GPUs and of cores; or gpu+cpu for all GPUs of the
	// machine and its cores. A GPU as gpu+host or gpu:0+host has cells that its memory does
	// not hold in the host's, which it reaches. GPUMemory is how much a rank may take of its GPU, all that is
	// free when empty. Exchange is how GPUs exchange their borders: ipc, directly, or host,
	// by messages; chosen for each pair when empty.
	Device    Device `yaml:"device"`
	GPUMemory string `yaml:"gpu-memory"`
	Exchange  string `yaml:"exchange"`
}

// FlowCase is the part of a case that says how air flows.
type FlowCase struct {
	// Flow through the inlet. Viscosity is kinematic.
	Flow      string `yaml:"flow"`
	Viscosity string `yaml:"viscosity"`
	Density   string `yaml:"density"`
	// Profile over inlets is plug, parabolic or developed. Waveform multiplies
	// the flow over time, see parseWaveform. Conditions are those of single
	// openings.
	Profile    string          `yaml:"profile"`
	Waveform   string          `yaml:"waveform"`
	Conditions []ConditionCase `yaml:"conditions"`
	// Storage is how populations are stored: single, or half in 16 bits.
	Storage string `yaml:"storage"`
	// Layout is how a rank stores its cells, see package solver, and what the
	// balancer takes them to cost.
	Layout string `yaml:"layout"`
	// Collision, Wall, Precision, Lattice and Smagorinsky choose the method,
	// see package solver.
	Collision   string  `yaml:"collision"`
	Wall        string  `yaml:"wall"`
	Precision   string  `yaml:"precision"`
	Lattice     string  `yaml:"lattice"`
	Smagorinsky float64 `yaml:"smagorinsky"`
	// TimeStep is chosen from LatticeVelocity, the largest expected velocity
	// in cells per step, when empty.
	TimeStep        string  `yaml:"time-step"`
	LatticeVelocity float64 `yaml:"lattice-velocity" zero:"refused"`
	// Mismatch is by how much inflow and outflow may differ where a waveform changes
	// the flow, relative to their amplitude, such as 1%, which is the default.
	Mismatch string `yaml:"mismatch"`
	// Tolerance ends the computation early when the pressure drop and the shares of
	// all openings are known within this, relatively, since they do not change any
	// more or as means over time.
	Tolerance float64 `yaml:"tolerance" zero:"refused"`
	// Steps or Time end the computation; when neither is given it goes on
	// until the flow is steady, at most ten exchanges of the air after its start.
	Steps int64  `yaml:"steps" zero:"refused"`
	Time  string `yaml:"time"`

	// Refine is on how many spacings to compute, 2 or 3, the finest last, to tell
	// what the flow tends to; one when 0. Accuracy goes on to finer spacings, at most
	// the case's, until the pressure drop and the resistance are known to it, such as 5%.
	Refine   int    `yaml:"refine" zero:"refused"`
	Accuracy string `yaml:"accuracy"`
}

// ResultsCase is the part of a case that says what is told of the flow, and where results
// go.
type ResultsCase struct {
	// Lobes are parts of the airway of which tables tell, too.
	Lobes []LobeCase `yaml:"lobes"`
	// Series is how often openings, branches, lobes and probes are told of while the flow
	// is computed, and Snapshots how often all fields: a time, or every=1000 (steps).
	Series    string `yaml:"series"`
	Snapshots string `yaml:"snapshots"`
	// Probes are points, and sections, that are told of, too.
	Probes []ProbeCase `yaml:"probes"`
	// Statistics asks for means, root mean squares and Reynolds stresses of all fields, from
	// a time on, by default when the transient has left, and into how many Phases a period
	// is divided, 16 by default.
	Statistics     bool   `yaml:"statistics"`
	StatisticsFrom string `yaml:"statistics-from"`
	Phases         int    `yaml:"phases" zero:"refused"`
	// Output is the folder for results.
	Output string `yaml:"output"`
}

// LobeCase is a lobe: what leads to some openings, by their numbers or names, in which *
// stands for anything, and to no others; or a branch, by its number, with all behind it.
type LobeCase struct {
	Name     string   `yaml:"name"`
	Openings []string `yaml:"openings"`
	Branch   int      `yaml:"branch" zero:"refused"`
}

// Device is what a rank computes on.
type Device = run.Device

// The devices: a rank is a process or goroutine on the processor, or a GPU.
const (
	CPU = run.CPU
	GPU = run.GPU
)

// OpeningCase is an opening named by hand: a disc that cuts the lumen. Center
// is in the surface's unit; Radius carries its own unit.
type OpeningCase struct {
	Name   string    `yaml:"name"`
	Center []float64 `yaml:"center"`
	Radius string    `yaml:"radius"`
}

// ConditionCase is what happens at one opening, see solver.Condition. Opening
// is its number or name. Quantities carry units.
type ConditionCase struct {
	Opening            string  `yaml:"opening"`
	Kind               string  `yaml:"kind"`
	Flow               string  `yaml:"flow"`
	Profile            string  `yaml:"profile"`
	Pressure           string  `yaml:"pressure"`
	Share              float64 `yaml:"share" zero:"refused"`
	ProximalResistance string  `yaml:"proximal-resistance"`
	DistalResistance   string  `yaml:"distal-resistance"`
	Compliance         string  `yaml:"compliance"`
	Waveform           string  `yaml:"waveform"`
}

// ProbeCase is a point, or with a radius the disc across a normal. Center is in the
// surface's unit; Radius carries its own unit.
type ProbeCase struct {
	Name   string    `yaml:"name"`
	Center []float64 `yaml:"center"`
	Normal []float64 `yaml:"normal"`
	Radius string    `yaml:"radius"`
}

// ReadCase reads a case file. Unknown keys are refused with their place in
// the file. A relative surface is taken as relative to the case file.
func ReadCase(path string) (c Case, err error) {
	if err := ReadParts(path, &c); err != nil {
		return c, err
	}
	if err := c.CheckNames(); err != nil {
		return c, fmt.Errorf("case file %s: %w", path, err)
	}
	return c, nil
}

// ReadParts fills in the parts of the case of any physics, a structure like Case, from a
// case file. Keys are its fields' yaml tags; a field may be text, a number, a switch, a
// time.Duration, a list, or a structure of such. Where a number's zero stands for its
// default, the tag zero:"refused" says so. The surface of a
// SurfaceCase is taken as relative to the case file; checks are left to the physics.
func ReadParts(path string, parts any) error {
	data, err := readCase(path)
	if err != nil {
		return err
	}
	// Some editors begin files with a byte-order mark.
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := decodeCase(data, parts); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("case file %s is empty: it needs at least a line such as surface: airway.stl", path)
		}
		return fmt.Errorf("case file %s: %w", path, err)
	}
	if c, is := parts.(interface{ lieBeside(string) error }); is {
		return c.lieBeside(path)
	}
	return nil
}

// lieBeside takes the surface as relative to the case file.
func (c *SurfaceCase) lieBeside(path string) error {
	if c.Surface == "" {
		return fmt.Errorf("case file %s names no surface: add a line such as surface: airway.stl", path)
	}
	if !filepath.IsAbs(c.Surface) {
		c.Surface = filepath.Join(filepath.Dir(path), c.Surface)
	}
	c.file, c.folder = path, filepath.Dir(path)
	return nil
}

// File is the case file that the case was read from; it is empty where it was
// not.
func (c *SurfaceCase) File() string { return c.file }

// plainCase is a case without its methods.
type plainCase Case

// savedCase is a case with where it was read.
type savedCase struct {
	plainCase
	File, Folder string
}

// MarshalBinary returns all that a case says, for UnmarshalBinary.
func (c Case) MarshalBinary() ([]byte, error) {
	k := savedCase{plainCase(c), c.file, c.folder}
	for _, path := range []*string{&k.Surface, &k.File, &k.Folder} {
		if *path == "" {
			continue
		}
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	return json.Marshal(k)
}

// UnmarshalBinary reads what MarshalBinary returned. Files are found from any folder.
func (c *Case) UnmarshalBinary(data []byte) error {
	k := struct {
		savedCase
		Terrain, Scene string
	}{}
	if err := json.Unmarshal(data, &k); err != nil {
		return err
	}
	if k.Terrain != "" {
		return errors.New("it is of a flood, which carina water computes")
	}
	if k.Scene != "" {
		return errors.New("it is of a gas, which carina thermal computes")
	}
	*c = Case(k.plainCase)
	c.file, c.folder = k.File, k.Folder
	return c.CheckNames()
}

// Name is the name of the surface's file without its endings, by which what is made of it
// is called.
func (c *SurfaceCase) Name() string {
	name := filepath.Base(c.Surface)
	for _, ending := range []string{".gz", filepath.Ext(strings.TrimSuffix(name, ".gz"))} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
