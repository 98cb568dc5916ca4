package thermalbench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
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

// Timed is a cut with the step that the model predicts and the clock gives, in seconds: medians.
type Timed struct {
	Ranks               int
	Cut                 string
	Columns, Rows       int
	Predicted, Measured float64
	// Off is by how much of what is measured the prediction is off, the median of rounds: each
	// compares a step with what was measured right before.
	Off float64

	predicted, measured, off []float64
}

// add adds a round.
func (t *Timed) add(predicted, measured float64) {
	t.predicted, t.measured, t.off = append(t.predicted, predicted), append(t.measured, measured), append(t.off, predicted/measured-1)
	t.Predicted, t.Measured, t.Off = median(t.predicted), median(t.measured), median(t.off)
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[len(sorted)/2] + sorted[(len(sorted)-1)/2]) / 2
}

// Cuts are what was timed, and what it was predicted from.
type Cuts struct {
	Machine machine.Description
	Device  run.Device
	Box     Box
	Cost    *balance.Cost
	Timed   []Timed

	cores  int
	rounds int
	busy   map[int][]busy // by the number of cores at work
}

// busy is what a cell takes, and a row besides, while so many cores are at work on gases of
// their own: they share the memory.
type busy struct{ cell, row float64 }

// medians are those of a list.
func medians(list []busy) (b busy) {
	of := func(value func(b busy) float64) float64 {
		var values []float64
		for _, b := range list {
			values = append(values, value(b))
		}
		return median(values)
	}
	return busy{of(func(b busy) float64 { return b.cell }), of(func(b busy) float64 { return b.row })}
}

// stretch is how many steps are timed.
const stretch = 32

// step times steps of a gas that ranks share, of which the first begins once begin returns.
func (o *CutOptions) step(ctx context.Context, size [2]int, ranks int, cut string, begin func()) (seconds float64, err error) {
	c := gas.Case{Scene: "waves", Size: size, Steps: stretch, Every: stretch, Collision: "bgk", Cut: cut}
	c.Ranks, c.Device = ranks, o.Device
	f, err := gas.Open(ctx, c, gas.Options{Progress: func(int, int) { begin() }})
	if err != nil {
		return 0, err
	}
	if err := f.Run(ctx); err != nil {
		return 0, err
	}
	return f.Summary().Seconds / stretch, nil
}

// alone times a step of as many gases as cores are to be at work, each on one rank: the longest.
// Steps begin when all gases are filled, which takes several cores.
func (o *CutOptions) alone(ctx context.Context, size [2]int, cores int) (longest float64, err error) {
	var all errgroup.Group
	var filled sync.WaitGroup
	filled.Add(cores)
	took := make([]float64, cores)
	for i := range took {
		all.Go(func() (err error) {
			defer crash.Guard()
			tell := sync.OnceFunc(filled.Done)
			defer tell()
			took[i], err = o.step(ctx, size, 1, gas.Cuts[0], func() {
				tell()
				filled.Wait()
			})
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return 0, err
	}
	return slices.Max(took), nil
}

const (
	// narrowing is by how much narrower one of the boxes is that tell what rows take.
	narrowing = 8
	// narrowest is how few cells gases have along a side.
	narrowest = 8
)

// check finds boxes whose parts cannot be timed by themselves.
func (o *CutOptions) check() error {
	if w, h := narrowing*narrowest, 2*narrowest; o.Size[0] < w || o.Size[1] < h {
		return fmt.Errorf("a box of %d × %d cells is too small for this: steps are predicted from boxes of an eighth of the width, and of half the height; give at least %d cells along x and %d along y", o.Size[0], o.Size[1], w, h)
	}
	return nil
}

// look times gases of half the box, wide and narrow.
func (o *CutOptions) look(ctx context.Context, cores int) (b busy, err error) {
	w, h := o.Size[0], o.Size[1]/2
	wide, err := o.alone(ctx, [2]int{w, h}, cores)
	if err != nil {
		return b, err
	}
	narrow, err := o.alone(ctx, [2]int{w / narrowing, h * narrowing}, cores)
	if err != nil {
		return b, err
	}
	b.row = max(0, (narrow-wide)/float64((narrowing-1)*h))
	b.cell = (wide - float64(h)*b.row) / float64(w*h)
	return b, nil
}

// at is how many cores are at work where so many ranks compute.
func (r *Cuts) at(ranks int) int {
	if r.Device.Kind() != run.CPU {
		return 1
	}
	return min(ranks, r.cores)
}

// TimeCuts times stripes and tiles in turn, several times, and predicts each right before from
// gases of one rank each with half the box, as many at once as cores are at work, and from what
// messages take between two ranks of this process; of messages between GPUs, from assumed ones.
func TimeCuts(ctx context.Context, o CutOptions) (*Cuts, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &Cuts{
		Machine: machine.Describe(), Device: o.Device, Box: Box{Width: float64(o.Size[0]), Height: float64(o.Size[1])}, Cost: gpuCost(),
		cores: runtime.GOMAXPROCS(0), rounds: 7, busy: map[int][]busy{},
	}
	if o.Quick {
		r.rounds = 3
	}
	for _, ranks := range o.Ranks {
		for _, cut := range gas.Cuts {
			c := gas.Case{Size: o.Size, Cut: cut}
			c.Ranks = ranks
			if columns, rows := c.Parts(); cut == gas.Cuts[0] || columns > 1 {
				r.Timed = append(r.Timed, Timed{Ranks: ranks, Cut: cut, Columns: columns, Rows: rows})
			}
		}
	}
	for round := range r.rounds {
		if o.Progress != nil {
			o.Progress("stripes and tiles", float64(round)/float64(r.rounds))
		}
		for i := range r.Timed {
			if err := r.time(ctx, &o, &r.Timed[i]); err != nil {
				return nil, err
			}
		}
	}
	all := medians(r.busy[r.at(slices.Max(o.Ranks))])
	r.Cost.Fluid, r.Box.Row = all.cell, all.row
	return r, r.write(o.Folder)
}

// time predicts a cut and times it.
func (r *Cuts) time(ctx context.Context, o *CutOptions, t *Timed) error {
	cores := r.at(t.Ranks)
	b, err := o.look(ctx, cores)
	if err != nil {
		return err
	}
	r.busy[cores] = append(r.busy[cores], b)
	if r.Device.Kind() == run.CPU {
		small, large := messageTime(8), messageTime(1<<20)
		r.Cost.Inside = balance.Network{Latency: small, SecondsPerByte: (large - small) / (1 << 20)}
	}
	took, err := o.step(ctx, o.Size, t.Ranks, t.Cut, func() {})
	if err != nil {
		return err
	}
	t.add(r.predict(t, b), took)
	return nil
}

// predict is a step predicted from what cells and rows take.
func (r *Cuts) predict(t *Timed, b busy) float64 {
	r.Cost.Fluid, r.Box.Row = b.cell, b.row
	columns, rows := float64(t.Columns), float64(t.Rows)
	if r.Device.Kind() == run.CPU && t.Ranks >= r.cores {
		return r.Box.Turns(r.Cost, columns, rows, float64(r.cores))
	}
	return r.Box.Step(r.Cost, columns, rows)
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
		table += fmt.Sprintf("%d,%s,%d,%d,%.6g,%.6g,%.3g\n", t.Ranks, t.Cut, t.Columns, t.Rows, t.Predicted, t.Measured, t.Off)
	}
	page := fmt.Sprintf("# A thermal gas in stripes and tiles\n\nWritten by `carina bench cuts` on %s, %s.\n\n"+
		"Predicted from gases of one rank each, with half the box, as many at once as cores are at work: what a cell takes,\n"+
		"and a row besides, by boxes of different width. Ranks that are as many as cores or more take turns, and what their\n"+
		"messages take is hidden behind no cells. Each cut is timed %d times, right behind what it is predicted from; these\n"+
		"are medians, and how far a prediction is off is the median of single times.\n\n```\n%s```\n",
		r.Machine.Processor, quantity.Count(r.cores, "core"), r.rounds, r) + r.Box.cutsWords(r.Cost)
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
	for _, cores := range slices.Sorted(maps.Keys(r.busy)) {
		b := medians(r.busy[cores])
		fmt.Fprintf(&w, "%d at work: %.3g ns a cell, %.3g us a row\n", cores, 1e9*b.cell, 1e6*b.row)
	}
	for i := range r.Timed {
		t := &r.Timed[i]
		fmt.Fprintf(&w, "%d ranks, %-7s %d x %d: predicted %8.4g ms, measured %8.4g ms, %+.1f %%\n", t.Ranks, t.Cut, t.Columns, t.Rows, 1e3*t.Predicted, 1e3*t.Measured, 100*t.Off)
	}
	return w.String()
}
