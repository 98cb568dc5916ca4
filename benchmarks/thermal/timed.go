package thermalbench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"carina/balance"
	"carina/gas"
	"carina/internal/atomicfile"
	"carina/internal/crash"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/run"
	"carina/solver/transport"

	"golang.org/x/sync/errgroup"
)

// CutOptions say what is timed.
type CutOptions struct {
	// Folder is where results are written.
	Folder string
	// Device is what each rank computes on: a core, or a GPU of its own.
	Device run.Device
	// Ranks are numbers of ranks, Size the box.
	Ranks []int
	Size  [2]int
	// Quick times each cut less often.
	Quick bool
	// Progress is told the stage and the share done.
	Progress func(stage string, done float64)
}

// Timed is a cut with the step that the model predicts and the clock gives, in seconds.
type Timed struct {
	Ranks               int
	Cut                 string
	Columns, Rows       int
	Predicted, Measured float64
}

// Off is by how much of what is measured the prediction is off.
func (t *Timed) Off() float64 { return t.Predicted/t.Measured - 1 }

// Cuts are what was timed, and what it was predicted from.
type Cuts struct {
	Machine machine.Description
	Device  run.Device
	Box     Box
	Cost    *balance.Cost
	Timed   []Timed

	cores    int
	measured map[int]*busy // by the number of cores at work
}

// busy is what a cell takes, and a row besides, while so many cores are at work on gases of
// their own: they share the memory. These boxes are wide and narrow.
type busy struct{ cell, row, wide, narrow float64 }

// stretch is how many steps are timed.
const stretch = 64

// step times steps of a gas that ranks share, and counts the columns of tiles.
func (o *CutOptions) step(ctx context.Context, size [2]int, ranks int, cut string) (seconds float64, columns int, err error) {
	c := gas.Case{Scene: "waves", Size: size, Steps: stretch, Every: stretch, Collision: "bgk", Cut: cut}
	c.Ranks, c.Device = ranks, o.Device
	f, err := gas.Open(ctx, c, gas.Options{})
	if err != nil {
		return 0, 0, err
	}
	if err := f.Run(ctx); err != nil {
		return 0, 0, err
	}
	left := map[int32]bool{}
	for _, cuboid := range f.Partition().Cuboids {
		left[cuboid.Min[0]] = true
	}
	return f.Summary().Seconds / stretch, len(left), nil
}

// alone times a step of as many gases as cores are to be at work, each on one rank: the longest.
func (o *CutOptions) alone(ctx context.Context, size [2]int, cores int) (longest float64, err error) {
	var all errgroup.Group
	took := make([]float64, cores)
	for i := range took {
		all.Go(func() (err error) {
			defer crash.Guard()
			took[i], _, err = o.step(ctx, size, 1, gas.Cuts[0])
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return 0, err
	}
	return slices.Max(took), nil
}

// narrowing is by how much narrower one of the boxes is that tell what rows take.
const narrowing = 8

// look times gases of half the box, wide and narrow, of which the least times count.
func (b *busy) look(ctx context.Context, o *CutOptions, cores int) error {
	w, h := o.Size[0], o.Size[1]/2
	for _, box := range []struct {
		size [2]int
		into *float64
	}{{[2]int{w, h}, &b.wide}, {[2]int{w / narrowing, h * narrowing}, &b.narrow}} {
		took, err := o.alone(ctx, box.size, cores)
		if err != nil {
			return err
		}
		*box.into = min(*box.into, took)
	}
	rows := float64((narrowing - 1) * h)
	b.row = max(0, (b.narrow-b.wide)/rows)
	b.cell = (b.wide - float64(h)*b.row) / float64(w*h)
	return nil
}

// at is how many cores are at work where so many ranks compute.
func (r *Cuts) at(ranks int) int {
	if r.Device.Kind() != run.CPU {
		return 1
	}
	return min(ranks, r.cores)
}

// TimeCuts times stripes and tiles in turn, several times, of which the least count, and
// predicts them from gases of one rank each with half the box, as many at once as cores are at
// work, and from what messages take between two ranks of this process; of messages between GPUs,
// from assumed ones.
func TimeCuts(ctx context.Context, o CutOptions) (*Cuts, error) {
	rounds := 6
	if o.Quick {
		rounds = 2
	}
	r := &Cuts{
		Machine: machine.Describe(), Device: o.Device, Box: Box{Width: float64(o.Size[0]), Height: float64(o.Size[1])}, Cost: gpuCost(),
		cores: runtime.GOMAXPROCS(0), measured: map[int]*busy{},
	}
	for _, ranks := range o.Ranks {
		for _, cut := range gas.Cuts {
			if cut == gas.Cuts[0] || ranks > 3 {
				r.Timed = append(r.Timed, Timed{Ranks: ranks, Cut: cut, Measured: math.Inf(1)})
				r.measured[r.at(ranks)] = &busy{wide: math.Inf(1), narrow: math.Inf(1)}
			}
		}
	}
	network := balance.Network{Latency: math.Inf(1), SecondsPerByte: math.Inf(1)}
	for round := range rounds {
		if o.Progress != nil {
			o.Progress("stripes and tiles", float64(round)/float64(rounds))
		}
		for cores, b := range r.measured {
			if err := b.look(ctx, &o, cores); err != nil {
				return nil, err
			}
		}
		small, large := messageTime(8), messageTime(1<<20)
		network.Latency, network.SecondsPerByte = min(network.Latency, small), min(network.SecondsPerByte, (large-small)/(1<<20))
		for i := range r.Timed {
			t := &r.Timed[i]
			took, columns, err := o.step(ctx, o.Size, t.Ranks, t.Cut)
			if err != nil {
				return nil, err
			}
			t.Measured, t.Columns, t.Rows = min(t.Measured, took), columns, t.Ranks/columns
		}
	}
	r.predict(network)
	return r, r.write(o.Folder)
}

// predict predicts steps from what cells and rows take where as many cores are at work, and
// from what messages take.
func (r *Cuts) predict(network balance.Network) {
	cpu := r.Device.Kind() == run.CPU
	if cpu {
		r.Cost.Inside = network
	}
	for i := range r.Timed {
		t := &r.Timed[i]
		b := r.measured[r.at(t.Ranks)]
		r.Cost.Fluid, r.Box.Row = b.cell, b.row
		columns, rows := float64(t.Columns), float64(t.Rows)
		if t.Predicted = r.Box.Step(r.Cost, columns, rows); cpu && t.Ranks >= r.cores {
			t.Predicted = r.Box.Turns(r.Cost, columns, rows, float64(r.cores))
		}
	}
}

// messageTime is what a message of so many bytes takes there and another one back at once
// between two ranks of this process.
func messageTime(bytes int) (seconds float64) {
	const times = 50
	// Ranks of a process fail only if one of them does.
	_ = transport.InProcess(2, func(t transport.Transport) error {
		messages := []transport.Message{{Peer: 1 - t.Rank(), Send: make([]byte, bytes), Receive: make([]byte, bytes)}}
		begin := time.Now()
		for range times {
			if err := t.Exchange(messages); err != nil {
				return err
			}
		}
		if t.Rank() == 0 {
			seconds = time.Since(begin).Seconds() / times
		}
		return nil
	})
	return seconds
}

// write writes thermal-cuts.csv and thermal-cuts.md.
func (r *Cuts) write(folder string) error {
	table := "ranks,cut,columns,rows,predicted_s,measured_s,off\n"
	for i := range r.Timed {
		t := &r.Timed[i]
		table += fmt.Sprintf("%d,%s,%d,%d,%.6g,%.6g,%.3g\n", t.Ranks, t.Cut, t.Columns, t.Rows, t.Predicted, t.Measured, t.Off())
	}
	page := fmt.Sprintf("# A thermal gas in stripes and tiles\n\nWritten by `carina bench cuts` on %s, %s.\n\n"+
		"Predicted from gases of one rank each, with half the box, as many at once as cores are at work: what a cell takes,\n"+
		"and a row besides, by boxes of different width. Ranks that are as many as cores or more take turns, and what their\n"+
		"messages take is hidden behind no cells. The least of several times in turn count.\n\n```\n%s```\n",
		r.Machine.Processor, quantity.Count(r.cores, "core"), r) + r.Box.cutsWords(r.Cost)
	for name, text := range map[string]string{"thermal-cuts.csv": table, "thermal-cuts.md": page} {
		err := atomicfile.Write(filepath.Join(folder, name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// String has a line for each number of cores at work, and for each cut.
func (r *Cuts) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%g x %g cells, double precision, each rank on %s; messages %.3g us and %.3g GB/s\n",
		r.Box.Width, r.Box.Height, r.Device, 1e6*r.Cost.Inside.Latency, 1e-9/r.Cost.Inside.SecondsPerByte)
	for _, cores := range slices.Sorted(maps.Keys(r.measured)) {
		b := r.measured[cores]
		fmt.Fprintf(&w, "%d at work: %.3g ns a cell, %.3g us a row\n", cores, 1e9*b.cell, 1e6*b.row)
	}
	for i := range r.Timed {
		t := &r.Timed[i]
		fmt.Fprintf(&w, "%d ranks, %-7s %d x %d: predicted %8.4g ms, measured %8.4g ms, %+.1f %%\n", t.Ranks, t.Cut, t.Columns, t.Rows, 1e3*t.Predicted, 1e3*t.Measured, 100*t.Off())
	}
	return w.String()
}
