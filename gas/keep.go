package gas

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"carina/internal/machine"
	"carina/internal/results"
	"carina/solver/checkpoint"
	"carina/solver/transport"
)

// CheckpointCase is the case that a checkpoint is of.
func CheckpointCase(from *checkpoint.Checkpoint) (c Case, err error) {
	text, _ := results.CheckpointCase(from)
	if err := json.Unmarshal(text, &c); err != nil {
		return c, err
	}
	if c.Scene == "" {
		return c, errors.New("it is not of a gas")
	}
	return c, nil
}

// encode returns all that a case says.
func (c Case) encode() ([]byte, error) {
	if c.Partition != "" {
		var err error
		if c.Partition, err = filepath.Abs(c.Partition); err != nil {
			return nil, err
		}
	}
	return json.Marshal(c)
}

// items are what all ranks have in common, and what a checkpoint is of.
func (f *Flow) items() []transport.Item {
	c := &f.c
	return []transport.Item{
		{Name: "scene", Value: c.Scene}, {Name: "size", Value: fmt.Sprint(c.Size)}, {Name: "relaxation time", Value: fmt.Sprint(c.Tau)}, {Name: "Rayleigh number", Value: fmt.Sprint(c.Rayleigh)},
		{Name: "collision", Value: c.Collision}, {Name: "precision", Value: c.Precision}, {Name: "number of steps", Value: strconv.Itoa(c.Steps)}, {Name: "steps between looks", Value: strconv.Itoa(c.Every)},
	}
}

// mayChange are the items that a state does not depend on.
var mayChange = []string{"relaxation time", "Rayleigh number", "collision", "number of steps", "steps between looks"}

// agreement is what processes have in common besides.
func (f *Flow) agreement() []transport.Item {
	c, restart := &f.c, ""
	if f.options.Restart != nil {
		restart = f.options.Restart.ID
	}
	return append(f.items(), []transport.Item{
		{Name: "program version", Value: machine.Build()}, {Name: "device", Value: fmt.Sprint(f.ranks.Devices)}, {Name: "partition", Value: fmt.Sprint(f.partition.Cuboids, f.partition.Owners)},
		{Name: "folder for results", Value: c.Output}, {Name: "number of pictures", Value: strconv.Itoa(c.Pictures)}, {Name: "steps between snapshots", Value: c.Snapshots}, {Name: "checkpoint to go on from", Value: restart}, {Name: "balance while it runs", Value: f.options.Rebalance.String()},
	}...)
}

// saveSamples returns what was noted so far, for loadSamples.
func (f *Flow) saveSamples() []byte {
	data, _ := json.Marshal(f.samples) // numbers that are finite are always encoded
	return data
}

func (f *Flow) loadSamples(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, &f.samples); err != nil {
		return fmt.Errorf("reading the history of a checkpoint: %w", err)
	}
	// What was noted where it ended is none of the steps that are to be noted.
	if n := len(f.samples) - 1; n >= 0 && f.samples[n].Step%f.c.Every != 0 {
		f.samples = f.samples[:n]
	}
	return nil
}

// inputs are files that results may not replace: the partition file, unless it is that of
// earlier results in their folder, which then says the same.
func (f *Flow) inputs() []string {
	if path := f.c.Partition; path != "" && filepath.Base(path) != partitionFile {
		return []string{path}
	}
	return nil
}

// keeps tells of an earlier result whether it stays: a picture from before the checkpoint.
func (f *Flow) keeps(name string) bool {
	from := f.options.Restart
	stem, is := strings.CutSuffix(name, ".png")
	quantity, step, _ := strings.Cut(stem, "-")
	n, err := strconv.ParseInt(step, 10, 64)
	known := false
	for _, d := range drawn {
		known = known || d.name == quantity
	}
	return from != nil && is && known && err == nil && n <= from.Steps
}
