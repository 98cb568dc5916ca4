package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"

	"carina/internal/atomicfile"
	"carina/internal/palette"
	"carina/internal/run"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Looks are what was decided while cells could change owner, on rank 0.
type Looks struct {
	mu   sync.Mutex
	list []run.Look
}

// Add adds a look.
func (l *Looks) Add(look run.Look) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, look)
}

// Speeds are those of the ranks by the last look, relative to their mean; nil where there
// was none.
func (l *Looks) Speeds() []float64 {
	if l == nil {
		return nil
	}
	looks := l.all()
	if len(looks) == 0 {
		return nil
	}
	list, mean := append([]float64(nil), looks[len(looks)-1].Speeds...), 0.0
	for _, v := range list {
		mean += v / float64(len(list))
	}
	for i := range list {
		list[i] = math.Round(1e4*list[i]/mean) / 1e4
	}
	return list
}

// all returns a copy.
func (l *Looks) all() []run.Look {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]run.Look(nil), l.list...)
}

var balanceColumns = []string{"step", "step_s", "before_s", "after_s", "ideal_s", "gain_s", "cost_s", "cells_moved", "move_s", "decision"}

// WriteTable writes a row for each look, with the busy time, the speed and the share of
// the cells of every rank.
func (l *Looks) WriteTable(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		looks := l.all()
		head := append([]string(nil), balanceColumns...)
		if len(looks) > 0 {
			for _, name := range []string{"busy_s_", "speed_", "share_"} {
				for r := range looks[0].Busy {
					head = append(head, name+strconv.Itoa(r))
				}
			}
		}
		rows := [][]string{head}
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		for i := range looks {
			k := &looks[i]
			row := []string{strconv.FormatInt(k.Step, 10)}
			for _, v := range []float64{k.Seconds, k.Before, k.After, k.Ideal, k.Gain, k.Cost, float64(k.Moved), k.Took} {
				row = append(row, number(v))
			}
			row = append(row, k.Why)
			for _, list := range [][]float64{k.Busy, k.Speeds, k.Shares} {
				for _, v := range list {
					row = append(row, number(v))
				}
			}
			rows = append(rows, row)
		}
		return c.WriteAll(rows)
	})
}

// mostShares is how many ranks have a line of their own in the picture.
const mostShares = 8

// WritePicture draws the step times, the shares of the ranks, and where cells moved.
func (l *Looks) WritePicture(path string) error {
	looks := l.all()
	if len(looks) < 2 {
		return nil
	}
	p := plot.New()
	p.Title.Text = "Balance while the flow was computed"
	p.X.Label.Text, p.Y.Label.Text, p.Y.Min = "step", "step time over the longest (black), shares of cells by rank; dashes: cells moved", 0
	p.Legend.Top = true
	longest := 0.0
	for i := range looks {
		longest = max(longest, looks[i].Seconds)
	}
	line := func(name string, number int, value func(k *run.Look) float64) error {
		xys := make(plotter.XYs, len(looks))
		for i := range looks {
			xys[i] = plotter.XY{X: float64(looks[i].Step), Y: value(&looks[i])}
		}
		drawn, err := plotter.NewLine(xys)
		if err != nil {
			return err
		}
		drawn.Color, drawn.Width = palette.Lines[number%len(palette.Lines)], vg.Points(1.5)
		p.Add(drawn)
		p.Legend.Add(name, drawn)
		return nil
	}
	failed := line("step", 0, func(k *run.Look) float64 { return k.Seconds / max(longest, 1e-30) })
	for r := range min(mostShares, len(looks[0].Shares)) {
		failed = errors.Join(failed, line(fmt.Sprintf("rank %d", r), r+1, func(k *run.Look) float64 { return k.Shares[r] }))
	}
	for i := range looks {
		if !looks[i].Moves() {
			continue
		}
		x := float64(looks[i].Step)
		moved, err := plotter.NewLine(plotter.XYs{{X: x, Y: 0}, {X: x, Y: 1}})
		if err != nil {
			return err
		}
		moved.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
		p.Add(moved)
	}
	if failed != nil {
		return fmt.Errorf("drawing the balance: %w", failed)
	}
	to, err := p.WriterTo(20*vg.Centimeter, 11*vg.Centimeter, "png")
	if err != nil {
		return fmt.Errorf("drawing the balance: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := to.WriteTo(w)
		return err
	})
}
