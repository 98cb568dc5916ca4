package cuda

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed kernels/tile.h
var tileSource string

//go:embed kernels/collide.h
var collideSource string

//go:embed kernels/pipeline.h
var pipelineSource string

//go:embed kernels/walls.h
var wallsSource string

//go:embed kernels/step.cu
var stepSource string

//go:embed kernels/outflow.cu
var outflowSource string

//go:embed kernels/meet.cu
var meetSource string

//go:embed kernels/unpack.cu
var unpackSource string

//go:embed kernels/observe.cu
var observeSource string

// program is a kernel specialised at compile time.
type program struct {
	kernel string // step, observe, outflow, meet or unpack
	bits   int    // of a stored population
	odd    bool
	stages int // of the pipeline of a warp
	warps  int // of a block
	blocks int // of a multiprocessor
	walls  bool
	force  bool
	mode   int // of observe
	// border tells that the tiles of a step border on other ranks.
	border bool
}

// constants are the definitions that specialise the program.
func (p program) constants() string {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return fmt.Sprintf("#define BITS %d\n#define ODD %d\n#define STAGES %d\n#define WARPS %d\n#define BLOCKS %d\n#define WALLS %d\n#define FORCE %d\n#define MODE %d\n#define BORDER %d\n",
		p.bits, number(p.odd), p.stages, p.warps, p.blocks, number(p.walls), number(p.force), p.mode, number(p.border))
}

// body is the source apart from what belongs to the device.
func (p program) body() string {
	last := stepSource
	switch p.kernel {
	case "observe":
		last = observeSource
	case "outflow":
		last = outflowSource
	case "unpack":
		last = unpackSource
	case "meet":
		return meetSource
	}
	return strings.Join([]string{tileSource, collideSource, pipelineSource, wallsSource, last}, "\n")
}

// sharedBytes is the shared memory of a block.
func (p program) sharedBytes() int {
	const stagedCells, stagedLinks, cellBytes, linkBytes, changeBytes, heldBytes = 32, 128, 8, 4, 4, 2
	image := tileChunks * chunkValues * p.bits / 8
	if p.walls {
		image += stagedCells*cellBytes + stagedLinks*(linkBytes+changeBytes)
		if p.bits == 16 {
			image += stagedLinks * heldBytes
		}
	}
	return p.warps * p.stages * image
}

// tuned returns the program of a step as it was measured to be fastest, and
// how many tiles a warp updates in a row (NOTES.md).
func tuned(bits int, odd, walls, force, border bool) (p program, perWarp int) {
	p = program{kernel: "step", bits: bits, odd: odd, stages: 2, warps: 4, blocks: 4, walls: walls, force: force, border: border}
	if bits == 16 && !walls {
		p.blocks = 5
		return p, 4
	}
	return p, 2
}

// observing returns a program that looks at the flow.
func observing(bits, mode int, walls bool) program {
	return program{kernel: "observe", bits: bits, stages: 1, warps: 4, blocks: 5, walls: walls, mode: mode}
}

// summing returns the program that sums the flow through the openings, and how
// many links a thread takes.
func summing(bits int) (p program, run int) {
	const warps, linksOfThread = 4, 128
	return program{kernel: "outflow", bits: bits, stages: 1, warps: warps, blocks: 1, walls: true}, linksOfThread
}

// unpacking returns the program that puts messages where they belong.
func unpacking(bits int) program {
	return program{kernel: "unpack", bits: bits, stages: 1, warps: 4, blocks: 1}
}

// The modes of observe.
const (
	observeFields = iota
	observePeak
	observeHash
	observeModes
)
