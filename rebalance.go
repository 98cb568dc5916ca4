package carina

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"carina/internal/results"
	"carina/internal/run"
	"carina/solver/airflow"
)

// Rebalancing says whether cells change owner while a flow is computed. The zero value
// leaves them where the partition says.
type Rebalancing struct {
	On bool
	// Every is how many steps lie between looks; 0 chooses.
	Every int64
}

// String is what ParseRebalancing reads.
func (r Rebalancing) String() string {
	switch {
	case !r.On:
		return "off"
	case r.Every == 0:
		return "auto"
	}
	return fmt.Sprintf("every=%d", r.Every)
}

// Look is what a look at the balance of a running computation has found.
type Look = run.Look

// ParseRebalancing reads what users say: off, auto or every=1000 (steps).
func ParseRebalancing(text string) (Rebalancing, error) {
	switch text {
	case "", "off":
		return Rebalancing{}, nil
	case "auto":
		return Rebalancing{On: true}, nil
	}
	number, ok := strings.CutPrefix(text, "every=")
	steps, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || steps < airflow.CheckInterval {
		return Rebalancing{}, fmt.Errorf("cannot balance %q: say off, auto, or every=1000 for every thousand steps, at least %d", text, airflow.CheckInterval)
	}
	return Rebalancing{On: true, Every: steps}, nil
}

// Rebalance lets cells change owner while the flow is computed, where ranks turn out to
// be faster or slower than the partition takes them to be: between steps rank 0 looks at
// the time that all have computed, and cells move where that gains more than it costs.
// Where all compute on processors, or all on GPUs, the flow is the same, bit for bit.
func Rebalance(r Rebalancing) Option { return func(o *options) { o.rebalance = r } }

// Calibrated writes, when the flow has been computed, a partition file of who owns the cells
// then, with the speeds of the ranks and the costs of cells that looks at the balance have
// found, and the grid beside it: the next flow begins with it. It goes with Rebalance.
func Calibrated(path string) Option { return func(o *options) { o.calibrated = path } }

// writeCalibrated writes that file, on rank 0, and returns its name.
func (f *Flow) writeCalibrated() (written []string, err error) {
	path := f.options.calibrated
	if path == "" {
		return nil, nil
	}
	p, err := f.balance.Calibrated()
	if errors.Is(err, run.ErrNoLook) {
		f.summary.Warnings = append(f.summary.Warnings, err.Error())
		return nil, nil
	}
	if err == nil {
		err = WritePartition(path, p, f.from.grid)
	}
	if err != nil {
		return nil, fmt.Errorf("writing what was measured of the ranks: %w", err)
	}
	return []string{path}, nil
}

// rebalancing is what lets cells change owner, nil where nothing does.
func (f *Flow) rebalancing() *run.Rebalancing {
	if !f.options.rebalance.On || len(f.from.partition.Ranks) < 2 {
		return nil
	}
	f.looks = &results.Looks{}
	return &run.Rebalancing{Every: f.options.rebalance.Every, Partition: f.from.partition, Hear: func(l Look) {
		f.looks.Add(l)
		if f.options.listener.Look != nil {
			f.options.listener.Look(l)
		}
	}}
}

// checkRebalancing refuses a calibrated partition of which nothing could be known.
func (f *Flow) checkRebalancing() error {
	if path := f.options.calibrated; path != "" {
		if !f.options.rebalance.On {
			return errors.New("a calibrated partition is of what looks at the balance find: say --rebalance auto, too")
		}
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("the folder of the calibrated partition must be there: %w", err)
		}
	}
	return nil
}
