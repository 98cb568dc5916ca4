package thermalbench

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"carina/balance"
	"carina/gas"
	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/internal/run"
	"carina/solver/transport"
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

// Timed is a cut with the step that the model predicts and the clock gives, in seconds. On cores
// that are busy with other work the processor time of all ranks is what can be compared: what a
// step is predicted to use, and used.
type Timed struct {
	Ranks               int
	Cut                 string
	Columns, Rows       int
	Predicted, Measured float64
	PredictedUse, Used  float64 // 0 on GPUs
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
}

// stretch is how many steps are timed by the processor: those between two looks of a gas.
const stretch = 64

// step times steps of a gas that ranks share, by the clock and by the processor time of this
// process, and counts the columns of tiles.
func (o *CutOptions) step(ctx context.Context, size [2]int, ranks int, cut string, steps int) (clock, processor float64, columns int, err error) {
	c := gas.Case{Scene: "waves", Size: size, Steps: steps, Every: steps, Collision: "bgk", Cut: cut}
	c.Ranks, c.Device = ranks, o.Device
	var used []float64 // at looks
	f, err := gas.Open(ctx, c, gas.Options{Progress: func(int, int) { used = append(used, processorTime()) }})
	if err != nil {
		return 0, 0, 0, err
	}
	if err := f.Run(ctx); err != nil {
		return 0, 0, 0, err
	}
	left := map[int32]bool{}
	for _, cuboid := range f.Partition().Cuboids {
		left[cuboid.Min[0]] = true
	}
	return f.Summary().Seconds / float64(f.Summary().Steps), (used[2] - used[1]) / stretch, len(left), nil
}

// processorTime is what this process has used, in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// TimeCuts times stripes and tiles in turn, several times, of which the least count, and
// predicts them from one rank with half the box, and from what messages take between two ranks
// of this process; of messages between GPUs, from assumed ones.
func TimeCuts(ctx context.Context, o CutOptions) (*Cuts, error) {
	rounds, steps := 6, 2*stretch
	if o.Quick {
		rounds = 2
	}
	r := &Cuts{Machine: machine.Describe(), Device: o.Device, Box: Box{float64(o.Size[0]), float64(o.Size[1])}, Cost: gpuCost()}
	for _, ranks := range o.Ranks {
		for _, cut := range gas.Cuts {
			if cut == gas.Cuts[0] || ranks > 3 {
				r.Timed = append(r.Timed, Timed{Ranks: ranks, Cut: cut, Measured: math.Inf(1), Used: math.Inf(1)})
			}
		}
	}
	half := [2]int{o.Size[0], o.Size[1] / 2}
	cell, used, network := math.Inf(1), math.Inf(1), balance.Network{Latency: math.Inf(1), SecondsPerByte: math.Inf(1)}
	for round := range rounds {
		if o.Progress != nil {
			o.Progress("stripes and tiles", float64(round)/float64(rounds))
		}
		clock, processor, _, err := o.step(ctx, half, 1, gas.Cuts[0], steps)
		if err != nil {
			return nil, err
		}
		cells := float64(half[0] * half[1])
		cell, used = min(cell, clock/cells), min(used, processor/cells)
		small, large := messageTime(8), messageTime(1<<20)
		network.Latency, network.SecondsPerByte = min(network.Latency, small), min(network.SecondsPerByte, (large-small)/(1<<20))
		for i := range r.Timed {
			t := &r.Timed[i]
			clock, processor, columns, err := o.step(ctx, o.Size, t.Ranks, t.Cut, steps)
			if err != nil {
				return nil, err
			}
			t.Measured, t.Used, t.Columns, t.Rows = min(t.Measured, clock), min(t.Used, processor), columns, t.Ranks/columns
		}
	}
	r.predict(cell, used, network)
	return r, r.write(o.Folder)
}

// predict predicts steps from what a cell and messages take, and a cell uses. Ranks that are more
// than the cores take turns.
func (r *Cuts) predict(cell, used float64, network balance.Network) {
	r.Cost.Fluid = cell
	cpu := r.Device.Kind() == run.CPU
	if cpu {
		r.Cost.Inside = network
	}
	for i := range r.Timed {
		t := &r.Timed[i]
		turns := 1.0
		if cpu {
			turns = max(1, float64(t.Ranks)/float64(runtime.NumCPU()))
		}
		if cpu {
			t.PredictedUse = used*r.Box.Width*r.Box.Height + r.Box.bytes(r.Cost, float64(t.Columns), float64(t.Rows))*float64(t.Ranks)*r.Cost.Inside.SecondsPerByte
		} else {
			t.Used = 0
		}
		t.Predicted = turns * r.Box.Step(r.Cost, float64(t.Columns), float64(t.Rows))
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
	table := "ranks,cut,columns,rows,predicted_s,measured_s,off,predicted_processor_s,processor_s\n"
	for i := range r.Timed {
		t := &r.Timed[i]
		table += fmt.Sprintf("%d,%s,%d,%d,%.6g,%.6g,%.3g,%.6g,%.6g\n", t.Ranks, t.Cut, t.Columns, t.Rows, t.Predicted, t.Measured, t.Off(), t.PredictedUse, t.Used)
	}
	page := fmt.Sprintf("# A thermal gas in stripes and tiles\n\nWritten by `carina bench cuts` on %s.\n\n```\n%s```\n", r.Machine.Processor, r) + r.Box.cutsWords(r.Cost)
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

// String has a line for each cut.
func (r *Cuts) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%g x %g cells, double precision, each rank on %s: %.3g ns a cell, messages %.3g us and %.3g GB/s\n",
		r.Box.Width, r.Box.Height, r.Device, 1e9*r.Cost.Fluid, 1e6*r.Cost.Inside.Latency, 1e-9/r.Cost.Inside.SecondsPerByte)
	for i := range r.Timed {
		t := &r.Timed[i]
		fmt.Fprintf(&b, "%d ranks, %-7s %d x %d: predicted %8.4g ms, measured %8.4g ms, %+.1f %%", t.Ranks, t.Cut, t.Columns, t.Rows, 1e3*t.Predicted, 1e3*t.Measured, 100*t.Off())
		if t.Used > 0 {
			fmt.Fprintf(&b, "; processor time of all %8.4g ms and %8.4g ms, %+.1f %%", 1e3*t.PredictedUse, 1e3*t.Used, 100*(t.PredictedUse/t.Used-1))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
