package carina

import (
	"carina/internal/results"
	"carina/solver/checkpoint"
)

// Checkpoints say when a computation keeps its state.
type Checkpoints = results.Checkpoints

// ParseCheckpoints reads what users say: a time such as 10m, every=1000 (steps), end,
// or several of these with commas between.
func ParseCheckpoints(text string) (Checkpoints, error) { return results.ParseCheckpoints(text) }

// OpenCheckpoint finds the checkpoint in a folder of results, or in its own folder.
func OpenCheckpoint(folder string) (*checkpoint.Checkpoint, error) {
	return results.OpenCheckpoint(folder)
}

// CheckpointCase is the case that a checkpoint is of, and the partition file, if one was
// read.
func CheckpointCase(from *checkpoint.Checkpoint) (c Case, partition string, err error) {
	text, partition := results.CheckpointCase(from)
	return c, partition, c.UnmarshalBinary(text)
}
