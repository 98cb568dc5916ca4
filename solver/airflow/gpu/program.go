package gpu

import (
	"embed"
	"fmt"
	"strings"

	"carina/solver/airflow/collision"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiles"
	"carina/solver/cuda/tiling"
	"carina/solver/lattice"
)

//go:embed kernels/*.h kernels/*.cu
var kernels embed.FS

// operator is a collision operator.
type operator struct {
	name      string // as in package collision
	set       *lattice.Set
	largeEddy bool
}

// generated tells whether the operator is generated from package collision;
// TRT, and BGK which is TRT with equal rates, are written by hand in
// kernels/collide.h: the compiler makes faster code of that.
func (o operator) generated() bool {
	return o.largeEddy || o.name == "regularized" || o.name == "recursive" || o.name == "cumulant"
}

// variant is the operator in package collision; 16-bit storage is scaled.
func (o operator) variant(force bool, bits int) collision.Variant {
	return collision.Variant{Name: o.name, Set: o.set, Force: force, LargeEddy: o.largeEddy, Scaled: bits == 16}
}

// source is the function collide of the operator.
func (o operator) source(force bool, bits int) string {
	if !o.generated() {
		return kernelText("collide.h")
	}
	// Populations are numbered here as directions, with that at rest last.
	place := func(i int) int { return (i + o.set.Q - 1) % o.set.Q }
	statements, outputs := o.variant(force, bits).Program().C(
		func(i int) string { return fmt.Sprintf("g[%d]", place(i)) },
		func(i int) string { return fmt.Sprintf("rate.table[%d]", i) })
	var b strings.Builder
	b.WriteString("DEVICE void collide(real *g, const Rates &rate)\n{\n" + statements)
	for i, out := range outputs {
		fmt.Fprintf(&b, "g[%d] = %s;\n", place(i), out)
	}
	b.WriteString("}\n")
	return b.String()
}

// tableSize is how many numbers the generated function needs.
func (o operator) tableSize(force bool, bits int) int {
	if !o.generated() {
		return 0
	}
	return len(o.variant(force, bits).Program().Table())
}

// program is a kernel specialised at compile time.
type program struct {
	tiling.Layout
	kernel string // the file in kernels that defines it
	odd    bool
	stages int // of the pipeline of a warp
	warps  int // of a block
	blocks int // of a multiprocessor
	walls  bool
	force  bool
	// quadratic and reflect tell how walls are computed.
	quadratic, reflect bool
	// operator is that of steps.
	operator operator
	mode     int // of observations that have several
	// border tells that the tiles of a step border on other ranks.
	border bool
}

// source is the program for a device.
func (p program) source() device.Source {
	return device.Source{Name: p.kernel, Constants: p.constants(), Body: p.body(), Often: p.steps()}
}

// constants are the definitions that specialise the program.
func (p program) constants() string {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	var b strings.Builder
	for _, c := range []struct {
		name  string
		value int
	}{
		{"ODD", number(p.odd)}, {"STAGES", p.stages}, {"WARPS", p.warps}, {"BLOCKS", p.blocks},
		{"WALLS", number(p.walls)}, {"FORCE", number(p.force)}, {"QUADRATIC", number(p.quadratic)}, {"REFLECT", number(p.reflect)}, {"TABLE", p.operator.tableSize(p.force, p.Bits)},
		{"MODE", p.mode}, {"OBSERVED_TILES", observedTiles}, {"BORDER", number(p.border)},
	} {
		fmt.Fprintf(&b, "#define %s %d\n", c.name, c.value)
	}
	return b.String() + p.Layout.Constants()
}

// body is the source apart from what belongs to the device.
func (p program) body() string {
	parts := []string{tiles.TileSource(p.Layout), kernelText("flow.h"), kernelText("walls.h")}
	if p.collides() {
		parts = append(parts, p.operator.source(p.force, p.Bits), kernelText("update.h"))
	}
	if !p.steps() {
		parts = append(parts, kernelText("observe.h"))
	}
	return strings.Join(append(parts, kernelText(p.kernel+".cu")), "\n")
}

// steps tells whether the kernel does time steps, collides whether it updates
// cells.
func (p program) steps() bool    { return p.kernel == "step" || p.kernel == "openings" }
func (p program) collides() bool { return p.steps() || p.kernel == "wallforce" }

func kernelText(name string) string {
	text, err := kernels.ReadFile("kernels/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(text)
}

// realBytes is the size of the numbers that are computed with.
func realBytes(bits int) int {
	const single, double = 4, 8
	if bits == 64 {
		return double
	}
	return single
}

// sharedBytes is the shared memory of a block.
func (p program) sharedBytes() int {
	const stagedCells, stagedLinks, cellBytes, linkBytes = 32, 128, 8, 4
	image := p.ImageBytes()
	if p.walls {
		image += stagedCells*cellBytes + stagedLinks*(linkBytes+realBytes(p.Bits))
		if p.Bits == 16 || p.quadratic {
			image += stagedLinks * p.ValueBytes()
		}
	}
	bytes := p.stages * image
	if p.walls && p.odd {
		const shifts = 32 * 4
		bytes += shifts
	}
	return p.warps * bytes
}

// fitting returns the program with as many warps as have the shared memory that a
// block has unasked.
func (p program) fitting() program {
	const unasked = 48 << 10
	for p.sharedBytes() > unasked {
		p.warps /= 2
	}
	return p
}

// tuned returns the program of a step as it was measured to be fastest, and
// how many tiles a warp updates in a row (NOTES.md).
func tuned(l tiling.Layout, odd, walls, force bool, o operator, border bool) (p program, perWarp int) {
	shape := o.shape(l, walls)
	if border {
		shape = o.borderShape(l)
	}
	return program{
		kernel: "step", Layout: l, odd: odd, walls: walls, force: force, operator: o, border: border,
		stages: shape.stages, warps: shape.warps, blocks: shape.blocks,
	}, shape.perWarp
}

// shape is how a launch is cut: stages of the pipeline of a warp, warps of a
// block, blocks of a multiprocessor, and tiles that a warp updates in a row.
type shape struct{ stages, warps, blocks, perWarp int }

// shape is that of the tiles that border on no other rank. Blocks of one warp
// end one by one, so none waits for the slowest; with walls, whose tiles differ most,
// that gains most. Where the hand-written operator has large eddies, it needs more registers.
func (o operator) shape(l tiling.Layout, walls bool) shape {
	eddies := o.largeEddy && (o.name == "trt" || o.name == "bgk")
	switch {
	case l.Corners() > 0 && l.Bits == 32 && walls:
		return shape{1, 1, 20, 1}
	case l.Corners() > 0:
		return o.borderShape(l)
	case l.Bits == 64 && walls:
		return shape{1, 1, 16, 2}
	case l.Bits == 64:
		return shape{1, 1, 12, 2}
	case l.Bits == 32 && eddies:
		return shape{1, 1, 16, 1}
	case l.Bits == 32:
		return shape{1, 1, 20, 1}
	case walls && eddies:
		return shape{1, 1, 20, 6}
	case walls:
		return shape{1, 1, 24, 4}
	case eddies:
		return shape{2, 4, 4, 4}
	default:
		return shape{2, 4, 5, 4}
	}
}

// borderShape is that of the tiles that border on other ranks: they are few, and
// the table of where their groups go needs more registers.
func (o operator) borderShape(l tiling.Layout) shape {
	switch {
	case l.Corners() > 0 && l.Bits == 64:
		return shape{1, 3, 4, 1}
	case l.Corners() > 0 && l.Bits == 16:
		return shape{1, 2, 10, 1}
	case l.Corners() > 0:
		return shape{1, 3, 6, 1}
	case l.Bits == 64:
		// Two stages of four warps would need more than the 48 KiB of shared
		// memory that a block has unasked.
		return shape{1, 4, 3, 2}
	case o.generated() && l.Bits == 32:
		return shape{1, 4, 4, 2}
	case o.generated():
		return shape{2, 4, 3, 2}
	default:
		return shape{2, 4, 4, 2}
	}
}

// atOpenings returns the program for the tiles at openings that goes with one
// for the others.
func (p program) atOpenings() program {
	// What limits them is latency: as many warps as have registers for what openings
	// need, since there is hardly a first-level cache beside the shared memory.
	p.kernel, p.stages, p.warps, p.blocks = "openings", 1, 2, 14
	if p.Bits == 64 {
		p.blocks = 8
	}
	return p
}

// observedTiles are observed by a warp, one after the other.
const observedTiles = 4

// observer returns a program that observes the flow.
func observer(kernel string, l tiling.Layout, mode int, walls bool) program {
	return program{kernel: kernel, Layout: l, stages: 1, warps: 4, blocks: 4, walls: walls, mode: mode}.fitting()
}

// cellsOfSum are added by a thread of outflow.
const cellsOfSum = 4

// The modes of fields and stress.
const (
	fieldsNow, fieldsMean                            = 0, 1
	stressComponents, stressOfShear, stressTraceless = 0, 1, 2
)
