package carina

import (
	"errors"
	"fmt"

	"carina/balance"
	"carina/output"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/checkpoint"
	"carina/solver/transport"
)

// What the front door passes on of the solver.
type (
	// Progress is what a running computation reports.
	Progress = airflow.Progress
	// Outlook is what is going to be computed.
	Outlook = airflow.Outlook
	// MemoryUse is what a rank takes of its GPU's memory.
	MemoryUse = gpu.MemoryUse
	// Opening is the flow through an opening.
	Opening = airflow.OpeningSummary
	// Fields are the pressure and the velocity in all cells, in the order of the
	// grid's runs.
	Fields = output.Fields
)

// Moment is the flow at one moment of a computation.
type Moment struct {
	Step     int64
	Time     float64 // in seconds
	Openings []Opening
	Fields   *Fields
}

// Listener hears how a computation goes, most of it in the process of rank 0. Any of its
// functions may be nil.
type Listener struct {
	// Stage hears the share done, 0 to 1, of a named stage before the flow: of reading,
	// voxelizing and partitioning.
	Stage func(name string, done float64)
	// Spacings hears before the first flow of a refinement on which spacings it is computed,
	// in metres, the coarsest first; of an accuracy on which at most.
	Spacings func(metres []float64)
	// Voxels and Partition hear what was made of a case: of a refinement the finest grid
	// before all else, and then the grid and the partition of each spacing in turn.
	Voxels    func(*Voxels)
	Partition func(*balance.Partition)
	// Warn hears what is likely to be wrong, before the first step.
	Warn func(warning string)
	// Memory hears what the ranks of a process take of their GPUs, in each process.
	Memory func([]MemoryUse)
	// Announce hears what is going to be computed, before the first step, and after the
	// first ones how long it will take.
	Announce func(Outlook)
	// Resumed hears from which step, after how many seconds of the flow, it goes on.
	Resumed func(step int64, seconds float64)
	// Look hears what was found and decided at each look at the balance.
	Look func(Look)
	// Progress hears how far the computation is.
	Progress func(Progress)
	// Level hears each flow of a refinement when it is computed. Warnings of all but the
	// finest one name the spacing.
	Level func(*Flow)
}

type options struct {
	transport transport.Transport
	listener  Listener
	every     int64
	observe   func(*Moment) error
	discard   bool
	// checkpoints say when the state is kept, restart from which one to go on; nil begins
	// anew.
	checkpoints Checkpoints
	restart     *checkpoint.Checkpoint
	rebalance   Rebalancing
	calibrated  string
}

// Option is something that a flow is computed with besides its case.
type Option func(*options)

// Over computes the one rank that this process is, with the ranks of the other
// processes: see transport.ConnectMPI. All of them open and run the same flow.
func Over(t transport.Transport) Option { return func(o *options) { o.transport = t } }

// Listen hears how the computation goes.
func Listen(l Listener) Option { return func(o *options) { o.listener = l } }

// Every shows the flow every so many steps, rounded up to a multiple of
// airflow.CheckInterval, in the process of rank 0. All cells are brought together
// for it. An error ends the computation.
func Every(steps int64, see func(*Moment) error) Option {
	return func(o *options) { o.every, o.observe = steps, see }
}

// Discard keeps no fields at the end: no process then holds those of all cells.
func Discard() Option { return func(o *options) { o.discard = true } }

// Keep keeps the state in the case's folder for results, for Restart.
func Keep(when Checkpoints) Option { return func(o *options) { o.checkpoints = when } }

// Restart goes on from a checkpoint, see OpenCheckpoint, on any ranks. The results go on
// in the case's folder.
func Restart(from *checkpoint.Checkpoint) Option { return func(o *options) { o.restart = from } }

func optionsOf(with []Option) options {
	var o options
	for _, option := range with {
		option(&o)
	}
	return o
}

// check refuses what cannot be meant beside a folder for results.
func (o *options) check(folder string) error {
	switch {
	case o.observe != nil && o.every < 1:
		return fmt.Errorf("the flow cannot be shown every %d steps: give a number of at least 1", o.every)
	case folder == "" && (o.checkpoints.On() || o.restart != nil):
		return errors.New("checkpoints lie in the folder for results: let the case name one")
	}
	return nil
}

// stage hears of stages; it may be nil.
func (o *options) stage() func(string, float64) { return o.listener.Stage }
