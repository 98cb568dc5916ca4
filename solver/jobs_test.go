package solver_test

import (
	"fmt"
	"runtime"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// The blocks of a large job, of blockSide cells along a side, one for each rank.
const (
	blocksX, blocksY, blocksZ = 25, 20, 20
	blockSide                 = 2
)

// shareOfBlock is what the rank of a block needs of a box full of blocks: its own cells
// and those around them.
func shareOfBlock(rank int32) *solver.Domain {
	at := [3]int32{rank % blocksX, rank / blocksX % blocksY, rank / (blocksX * blocksY)}
	size := blocksSize
	var low, high [3]int32
	for a := range low {
		low[a], high[a] = max(0, at[a]*blockSide-1), min(size[a], (at[a]+1)*blockSide+1)
	}
	d := &solver.Domain{Grid: &geometry.Grid{Spacing: 1, Size: size}, Ranks: blocksX * blocksY * blocksZ, Share: &solver.Share{Cells: int64(size[0] * size[1] * size[2])}}
	for z := low[2]; z < high[2]; z++ {
		for y := low[1]; y < high[1]; y++ {
			run := geometry.Run{X0: low[0], X1: high[0], Y: y, Z: z}
			d.Grid.Runs = append(d.Grid.Runs, run)
			d.Share.Starts = append(d.Share.Starts, int64((z*size[1]+y)*size[0]+low[0]))
			for x := run.X0; x < run.X1; {
				end := min(run.X1, (x/blockSide+1)*blockSide)
				block := (z/blockSide*blocksY+y/blockSide)*blocksX + x/blockSide
				d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: x, X1: end, Y: y, Z: z}, Cuboid: block})
				x = end
			}
		}
	}
	return d
}

// blocksSize is that of the box.
var blocksSize = [3]int32{blocksX * blockSide, blocksY * blockSide, blocksZ * blockSide}

// sides are the directions in which spread looks.
var sides = geometry.Directions[:6]

// spread takes in its step the sum over a cell's neighbours.
type spread struct{}

func (spread) Fields() []solver.Field { return []solver.Field{{Name: "heat", Values: 2}} }

func (spread) Program() (p solver.Program) {
	var near []solver.Slot
	for _, o := range sides {
		near = append(near, solver.Slot{Offset: o, Wall: -1})
	}
	return solver.Program{Steps: [][]solver.Phase{{{Name: "spread", Reads: near, Fetch: near}}}, State: [][]solver.Slot{{{}}}}
}

// heat is what a cell has before the step, zero outside the box.
func heat(x, y, z int32) float32 {
	if x < 0 || y < 0 || z < 0 || x >= blocksSize[0] || y >= blocksSize[1] || z >= blocksSize[2] {
		return 0
	}
	return float32(1 + (x*x+2*y*x+3*z)%97)
}

func (spread) Bind(b *solver.Binding) (solver.Kernel, error) {
	k := &spreadKernel{}
	memory, stride := processor.Values[float32](b.Device.(*processor.Device), b.Array(0))
	for v := range k.values {
		k.values[v] = memory[v*stride:][:stride]
	}
	k.near = b.Windows(sides)
	b.EachCell(func(cell, x, y, z int32) { k.values[0][cell] = heat(x, y, z) })
	return k, nil
}

type spreadKernel struct {
	values [2][]float32
	near   *solver.Windows
}

func (k *spreadKernel) Work(int, int) solver.Work {
	return solver.BlockWork(func(b *solver.Block, _ int) {
		for c := b.First; c < b.End; c++ {
			k.values[1][c] = 0
			for i := range sides {
				if n := k.near.Neighbour(i, c); n >= 0 {
					k.values[1][c] += k.values[0][n]
				}
			}
		}
	})
}

func (k *spreadKernel) Begin(int64) error { return nil }

// counted is a transport that counts the bytes that a rank sends, gets and reduces.
type counted struct {
	transport.Transport
	bytes int64
}

func (c *counted) Exchange(list []transport.Message) error {
	for _, m := range list {
		c.bytes += int64(len(m.Send) + len(m.Receive))
	}
	return c.Transport.Exchange(list)
}

func (c *counted) Reduce(o transport.Operation, values []int64) error {
	c.bytes += 8 * int64(len(values))
	return c.Transport.Reduce(o, values)
}

// A job of very many ranks needs on each what its own cells and its neighbours need, and
// hardly anything for the other ranks.
func TestManyRanks(t *testing.T) {
	const ranks, most = blocksX * blocksY * blocksZ, 100_000
	if testing.Short() || race.Enabled {
		t.Skip("-short, or the race detector, which follows fewer goroutines")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var crossed int64
	enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
		c := &counted{Transport: tr}
		r, err := solver.NewRank(shareOfBlock(int32(tr.Rank())), solver.Together{spread{}}, processor.New(1, tr), c, solver.Options{})
		if err != nil {
			return err
		}
		defer r.Close()
		highest := []int64{c.bytes}
		if err := tr.Reduce(transport.Max, highest); err != nil {
			return err
		}
		if tr.Rank() == 0 {
			crossed = highest[0]
			runtime.ReadMemStats(&after)
		}
		if err := tr.Reduce(transport.Max, highest); err != nil { // waits for rank 0
			return err
		}
		if err := r.Step(); err != nil {
			return err
		}
		k := r.Kernel(0).(*spreadKernel)
		r.Layout().EachCell(func(cell, x, y, z int32) {
			want := float32(0)
			for _, o := range sides {
				want += heat(x+int32(o.X), y+int32(o.Y), z+int32(o.Z))
			}
			if got := k.values[1][cell]; got != want {
				err = fmt.Errorf("cell (%d, %d, %d) has %g, want %g", x, y, z, got, want)
			}
		})
		return err
	})
	made := int64(after.TotalAlloc-before.TotalAlloc) / ranks
	t.Logf("at most %d bytes cross on a rank, which allocates %d", crossed, made)
	if crossed > most || made > most {
		t.Errorf("on one of %d ranks %d bytes cross and %d are allocated, more than %d", ranks, crossed, made, most)
	}
}
