package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"carina"
	"carina/cmd/carina/report"
	"carina/internal/crash"
	"carina/solver/checkpoint"
	"carina/solver/transport"

	"github.com/spf13/cobra"
)

func newSolve() *cobra.Command {
	var output, casePath string
	var flags runFlags
	command := &cobra.Command{
		Use:   "solve FILE.part.json | --restart FOLDER",
		Short: "Compute the flow on a partition",
		Long: "Compute the flow on the grid and ranks of a partition file. Started alone it runs all ranks in one\n" +
			"process; started by mpirun -np N (in a binary built with make mpi) every process takes one rank. With\n" +
			"--device gpu (in a binary built with make gpu) every rank takes one GPU; the tiles of 4×4×4 cells that it\n" +
			"computes belong to the rank that owns most of their cells. With make gpu TAGS='mpi cuda' both go together.",
		Example: "  carina solve airway.part.json --flow 1L/min --steps 2000 --out results --checkpoint 10m\n" +
			"  carina solve --restart results\n" +
			"  mpirun -np 4 carina-mpi solve airway.part.json --case airway.yaml\n" +
			"  mpirun -np 4 carina-gpu solve airway.part.json --device gpu --storage half --time 1s",
		Args: flags.orRestart("a partition file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			path := ""
			if len(arguments) > 0 {
				path = arguments[0]
			}
			return runSolve(command, path, casePath, output, &flags)
		},
	}
	flowFlags(command, new(carina.Case))
	resultsFlags(command, new(carina.Case))
	layoutFlag(command, new(carina.Case))
	axesFlag(command, new(carina.Case))
	command.Flags().StringVar(&casePath, "case", "", "a case file with flow, time and the like")
	command.Flags().StringVar(&output, "out", "", "folder for results (default the case's, or that of --restart; none are written without one)")
	flags.add(command)
	flags.addCalibrated(command)
	return command
}

func runSolve(command *cobra.Command, path, casePath, output string, flags *runFlags) error {
	t, finish, err := connect()
	if err != nil {
		return err
	}
	// Processes leave together, after one of them has told what all have seen.
	defer finish()
	if t != nil {
		// One that panics cannot wait for the others, which mpirun ends.
		defer crash.Guard()
	}
	c, path, err := solvedCase(command, path, casePath, output, flags)
	// A rank that fails alone must not leave the others waiting.
	if err = transport.Agree(t, err); err == nil {
		l := newListener(command, &c)
		var flow *carina.Flow
		if flow, err = carina.OpenFile(path, c, append(flags.options(), carina.Over(t), carina.Discard(), carina.Listen(l.Listener))...); err == nil {
			err = l.tellFlow(flow, t, flow.Run(command.Context()))
		}
	}
	if err == nil || t == nil {
		return err
	}
	if t.Rank() == 0 {
		tell(command, err)
	}
	return errTold
}

// solvedCase is what the checkpoint to go on from, the case file and the flags say, and
// the partition file.
func solvedCase(command *cobra.Command, path, casePath, output string, flags *runFlags) (c carina.Case, partition string, err error) {
	if partition, err = flags.open(&c); err != nil {
		return c, "", err
	}
	if partition = cmp.Or(path, partition); partition == "" {
		return c, "", usageError{fmt.Errorf("the checkpoint in %s is of a run that partitioned by itself: go on with carina run --restart, or name a partition file", flags.restart)}
	}
	if err := report.Expect(partition, report.Partition); err != nil {
		return c, "", err
	}
	if casePath != "" {
		if err := report.Expect(casePath, report.Case); err != nil {
			return c, "", err
		}
		if c, err = carina.ReadCase(casePath); err != nil {
			return c, "", err
		}
	}
	if err := applyFlags(command, &c, flowFlags, resultsFlags, layoutFlag, axesFlag); err != nil {
		return c, "", err
	}
	c.Output = cmp.Or(output, c.Output, flags.restart)
	if err := c.CheckFlow(); err != nil {
		return c, "", err
	}
	return c, partition, flags.check(c.Output)
}

// errTold stands for a failure that has been told.
var errTold = errors.New("")

// connect joins the processes that a launcher started; the transport is nil when
// this process was started alone.
func connect() (transport.Transport, func(), error) {
	launch, launched := transport.Launched()
	if !launched {
		return nil, func() {}, nil
	}
	t, finish, err := transport.ConnectMPI()
	if errors.Is(err, transport.ErrNoMPI) {
		if launch.Alone() {
			return nil, func() {}, nil
		}
		return nil, nil, fmt.Errorf("%v of a binary without MPI, each of which would compute the whole: build it with make mpi, or start it without the launcher", launch)
	}
	if err != nil {
		return nil, nil, err
	}
	return t, finish, nil
}

// runFlags are those that run and solve share: when the state is kept, from where to go
// on, and whether cells change owner on the way.
type runFlags struct {
	text, restart string
	balance       string
	calibrated    string
	rebalance     carina.Rebalancing
	checkpoints   carina.Checkpoints
	from          *checkpoint.Checkpoint
}

// add defines them.
func (f *runFlags) add(command *cobra.Command) {
	command.Flags().Bool("log-json", false, "tell progress, warnings and errors on standard error as JSON, one object a line, for programs that watch a run")
	command.Flags().StringVar(&f.text, "checkpoint", "", "keep the state in the folder for results, for --restart: every 10m, or every=1000 (steps), and with end at the end, too, as in 10m,end; a signal USR1 keeps it at once (default only then; none of several spacings)")
	command.Flags().StringVar(&f.balance, "rebalance", "off", "let cells change owner while the flow is computed, where ranks turn out faster or slower than the partition takes them to be: off, auto, or every=1000 (steps); see balance.csv among the results")
	command.Flags().StringVar(&f.restart, "restart", "", "folder of results to go on in from its checkpoint, on any ranks, with the settings of before where no others are given")
}

// addCalibrated defines what belongs to --rebalance where cells cost what a model says.
func (f *runFlags) addCalibrated(command *cobra.Command) {
	command.Flags().StringVar(&f.calibrated, "calibrated", "", "partition file to write at the end, with its grid beside it: who owns the cells then, and the speeds of ranks and costs of cells that --rebalance has measured, for the next carina solve")
}

// orRestart is exactly, but that nothing need be named where a run goes on.
func (f *runFlags) orRestart(name string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) == 0 && command.Flags().Changed("restart") {
			return nil
		}
		return exactly(name)(command, arguments)
	}
}

// open reads the flags, and the case of the checkpoint to go on from, if there is one,
// with the partition file that it was computed on.
func (f *runFlags) open(c *carina.Case) (partition string, err error) {
	if err := f.parse(); err != nil || f.from == nil {
		return "", err
	}
	if *c, partition, err = carina.CheckpointCase(f.from); err != nil {
		return "", f.unknown(err)
	}
	c.Output = f.restart
	return partition, nil
}

// unknown is the error of a checkpoint whose case cannot be read.
func (f *runFlags) unknown(err error) error {
	return fmt.Errorf("the checkpoint in %s does not say what it is of (%w): go on with the program and the command that wrote it", f.restart, err)
}

// parse reads the flags and finds the checkpoint, if there is one to go on from.
func (f *runFlags) parse() (err error) {
	if f.text != "" {
		if f.checkpoints, err = carina.ParseCheckpoints(f.text); err != nil {
			return err
		}
	}
	if f.rebalance, err = carina.ParseRebalancing(f.balance); err != nil {
		return err
	}
	if f.restart == "" {
		return nil
	}
	if f.from, err = carina.OpenCheckpoint(f.restart); err != nil {
		return err
	}
	// Results go on where the checkpoint is.
	f.restart = filepath.Clean(f.restart)
	if filepath.Dir(f.from.Path()) == f.restart {
		f.restart = filepath.Dir(f.restart)
	}
	return nil
}

// options are those of a computation.
func (f *runFlags) options() []carina.Option {
	return []carina.Option{carina.Keep(f.checkpoints), carina.Restart(f.from), carina.Rebalance(f.rebalance), carina.Calibrated(f.calibrated)}
}

// check refuses checkpoints without a folder.
func (f *runFlags) check(output string) error {
	if f.text != "" && output == "" {
		return errors.New("checkpoints lie in the folder for results: name one with --out")
	}
	return nil
}
