package rebalancebench

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"carina/balance"
	balancebench "carina/benchmarks/balance"
	"carina/internal/atomicfile"
	"carina/internal/palette"
	"carina/internal/run"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/processor"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// What two ranks compute, one of which is slowed: their devices sleep so long in a phase of a
// step for all cells, and a step is told to take what the slower one is asked to sleep, so that other
// programs on the machine do not matter for that.
const (
	slowedSteps, slowedEvery, slowedTimed, slowedBy = 1200, 100, 25, 3
)

// slowedTimes are the times of steps up to each that is told, in seconds, and the ideal
// ones.
type slowedTimes struct {
	phase           time.Duration
	steps           []int64
	off, on, ideals []float64
}

// slowed measures two ranks, the first of which is slowed halfway, without balance and with.
func slowed(ctx context.Context, o *Options) (s slowedTimes, err error) {
	s.phase = o.phase
	_, g, err := balancebench.Grid(ctx, o.Geometry, o.slowedCells)
	if err != nil {
		return s, err
	}
	p, err := balance.Make(ctx, g, balance.Options{Ranks: 2})
	if err != nil {
		return s, err
	}
	domain, err := solver.NewDomain(g, p)
	if err != nil {
		return s, err
	}
	times := func(b *run.Rebalancing) (list []float64, err error) {
		s.steps, s.ideals = nil, nil
		settings := airflow.DefaultSettings()
		settings.Workers = 1
		var asked [2]atomic.Int64 // ns that each sleeps
		var work atomic.Int64     // that both would sleep if none were slowed
		job := run.Job{Domain: domain, Settings: settings, Plan: airflow.Plan{Steps: slowedSteps, Prepared: func(r *airflow.Rank) {
			rank := r.Number()
			r.Engine().Device().(*processor.Device).Disturb(func(cells int) time.Duration {
				takes := float64(o.phase) * float64(cells) / float64(g.Cells())
				work.Add(int64(takes))
				if rank == 0 && r.Engine().Steps() >= slowedSteps/2 {
					takes *= slowedBy
				}
				asked[rank].Add(int64(takes))
				return time.Duration(takes)
			})
		}}}
		var last [2]int64
		_, err = job.Run(ctx, run.Hooks{Rebalance: b, Between: []run.Between{{Every: slowedTimed, Do: func(v *run.View) error {
			if v.Rank() > 0 {
				return nil
			}
			speeds := 2.
			if v.Step() > slowedSteps/2 {
				speeds = 1 + 1./slowedBy
			}
			s.ideals = append(s.ideals, 1e-9*float64(work.Swap(0))/slowedTimed/speeds)
			slower := int64(0)
			for rank := range asked {
				now := asked[rank].Load()
				slower, last[rank] = max(slower, now-last[rank]), now
			}
			list, s.steps = append(list, 1e-9*float64(slower)/slowedTimed), append(s.steps, v.Step())
			return nil
		}}}})
		return list, err
	}
	if s.off, err = times(nil); err != nil {
		return s, err
	}
	s.on, err = times(&run.Rebalancing{Every: slowedEvery, Partition: p})
	return s, err
}

// write writes slowed.csv and slowed.png into the folder.
func (s *slowedTimes) write(folder string) error {
	for name, fill := range map[string]func(w io.Writer) error{"slowed.csv": s.table, "slowed.png": s.draw} {
		if err := atomicfile.Write(filepath.Join(folder, name), fill); err != nil {
			return err
		}
	}
	return nil
}

func (s *slowedTimes) table(w io.Writer) error {
	t := csv.NewWriter(w)
	rows := [][]string{{"step", "off_s", "on_s", "ideal_s"}}
	for i, step := range s.steps {
		row := []string{strconv.FormatInt(step, 10)}
		for _, v := range []float64{s.off[i], s.on[i], s.ideals[i]} {
			row = append(row, strconv.FormatFloat(v, 'g', 4, 64))
		}
		rows = append(rows, row)
	}
	return t.WriteAll(rows)
}

func (s *slowedTimes) draw(w io.Writer) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Two ranks, one slowed %d times from step %d on", slowedBy, slowedSteps/2)
	p.X.Label.Text, p.Y.Label.Text, p.Y.Min = "step", "time of a step in ms", 0
	p.Legend.Top, p.Legend.Left = true, true
	for k, line := range []struct {
		name  string
		times []float64
	}{{"--rebalance off", s.off}, {fmt.Sprintf("--rebalance every=%d", slowedEvery), s.on}, {"ideal for the speeds", s.ideals}} {
		points := plotter.XYs{}
		for i, t := range line.times {
			points = append(points, plotter.XY{X: float64(s.steps[i]), Y: 1e3 * t})
		}
		l, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("plotting a slowed rank: %w", err)
		}
		l.Color, l.Width = palette.Lines[k%len(palette.Lines)], vg.Points(1.5)
		p.Add(l)
		p.Legend.Add(line.name, l)
	}
	to, err := p.WriterTo(18*vg.Centimeter, 10*vg.Centimeter, "png")
	if err != nil {
		return fmt.Errorf("plotting a slowed rank: %w", err)
	}
	_, err = to.WriteTo(w)
	return err
}

// words say what is to be seen.
func (s *slowedTimes) words() string {
	settled := func(list []float64) (above float64) {
		n := 0
		for i, step := range s.steps {
			if step > slowedSteps/2+2*slowedEvery+slowedTimed {
				above, n = above+list[i]/s.ideals[i]-1, n+1
			}
		}
		return 100 * above / float64(max(n, 1))
	}
	return fmt.Sprintf("\nTwo ranks of one machine, whose devices sleep %v for all cells in each phase of a step; from step %d on the first sleeps %d times as long. From two looks later on what the slower one sleeps is %.0f %% more than the ideal one for these speeds, %.0f %% more where nothing moves.\n\n![steps of two ranks, one of which is slowed](slowed.png)\n", s.phase, slowedSteps/2, slowedBy, settled(s.on), settled(s.off))
}
