package tiles

import (
	"embed"
	"fmt"

	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

//go:embed kernels/*.h kernels/*.cu
var sources embed.FS

func kernelSource(name string) string {
	text, err := sources.ReadFile("kernels/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(text)
}

// TileSource is what kernels on tiles begin with: where tiles keep their populations,
// and how these come into shared memory and go back. It wants the layout's constants
// and those that kernels/tile.h names.
func TileSource(l tiling.Layout) string {
	text := kernelSource("tile.h")
	if l.Corners() > 0 {
		text += "\n" + kernelSource("corners.h")
	}
	return text + "\n" + kernelSource("pipeline.h")
}

// movingWarps are a block's of the kernels that move single groups and values.
const movingWarps = 4

// movingSource is such a kernel.
func movingSource(name string, l tiling.Layout, mode int) device.Source {
	constants := fmt.Sprintf("#define ODD 0\n#define STAGES 1\n#define WARPS %d\n#define BLOCKS 1\n#define BORDER 0\n#define MODE %d\n", movingWarps, mode)
	return device.Source{Name: name, Constants: constants + l.Constants(), Body: TileSource(l) + "\n" + kernelSource(name+".cu")}
}

// ExchangeSources are the kernels of tiles that border on another rank's: what tells others
// that values have come, and what takes values out of messages.
func ExchangeSources(l tiling.Layout) [2]device.Source {
	return [2]device.Source{cuda.HandshakeSource(), movingSource("unpack", l, 0)}
}
