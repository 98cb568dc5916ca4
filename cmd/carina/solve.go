package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"carina"
	"carina/balance"
	"carina/internal/crash"
	"carina/internal/quantity"
	"carina/internal/workflow"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/share"
	"carina/solver/transport"

	"github.com/spf13/cobra"
)

func newSolve() *cobra.Command {
	var output, casePath string
	command := &cobra.Command{
		Use:   "solve FILE.part.json",
		Short: "Compute the flow on a partition",
		Long: "Compute the flow on the grid and ranks of a partition file. Started alone it runs all ranks in one\n" +
			"process; started by mpirun -np N (in a binary built with make mpi) every process takes one rank. With\n" +
			"--device gpu (in a binary built with make gpu) every rank takes one GPU; the tiles of 4×4×4 cells that it\n" +
			"computes belong to the rank that owns most of their cells. With make gpu TAGS='mpi cuda' both go together.",
		Example: "  carina solve airway.part.json --flow 1L/min --steps 2000 --out results\n" +
			"  mpirun -np 4 carina-mpi solve airway.part.json --case airway.yaml\n" +
			"  mpirun -np 4 carina-gpu solve airway.part.json --device gpu --storage half --time 1s",
		Args: exactly("a partition file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			return runSolve(command, arguments[0], casePath, output)
		},
	}
	flowFlags(command, new(carina.Case))
	layoutFlag(command, new(carina.Case))
	axesFlag(command, new(carina.Case))
	command.Flags().StringVar(&casePath, "case", "", "a case file with flow, time and the like")
	command.Flags().StringVar(&output, "out", "", "folder for results (default the case's; none are written without one)")
	return command
}

func runSolve(command *cobra.Command, path, casePath, output string) error {
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
	s, err := setUp(command, path, casePath, output, t)
	// A rank that fails alone must not leave the others waiting.
	if err = transport.Agree(t, err); err == nil {
		err = solve(command, s, t)
	}
	if err == nil || t == nil {
		return err
	}
	if t.Rank() == 0 {
		tell(command.ErrOrStderr(), err)
	}
	return errTold
}

// setUp reads the case and what this process needs of the partition.
func setUp(command *cobra.Command, path, casePath, output string, t transport.Transport) (*workflow.Solver, error) {
	var c carina.Case
	if casePath != "" {
		var err error
		if c, err = carina.ReadCase(casePath); err != nil {
			return nil, err
		}
	}
	if err := applyFlags(command, &c, flowFlags, layoutFlag, axesFlag); err != nil {
		return nil, err
	}
	if err := c.CheckFlow(); err != nil {
		return nil, err
	}
	if output == "" {
		output = c.Output
	}
	if t == nil {
		if err := workflow.CheckFolder(output); err != nil {
			return nil, err
		}
	}
	s := &workflow.Solver{Case: c, Folder: output, PartitionFile: path}
	return s, readForSolve(path, s, t)
}

// readForSolve reads what this process needs: on GPUs the share of its rank,
// where carina partition has written it.
func readForSolve(path string, s *workflow.Solver, t transport.Transport) (err error) {
	if t != nil && s.Case.Device == carina.GPU {
		if s.Partition, err = balance.ReadFile(path); err != nil {
			return err
		}
		if s.Share, err = share.Read(path, s.Partition, t.Rank()); err != nil {
			return err
		}
		if s.Share != nil {
			s.Grid = s.Share.Grid
			return nil
		}
	}
	s.Partition, s.Grid, err = carina.ReadPartition(path)
	return err
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

// solve runs the solver in this process or on a transport and prints what
// came out.
func solve(command *cobra.Command, s *workflow.Solver, t transport.Transport) error {
	solution, err := compute(command, s, t)
	if solution == nil {
		return err
	}
	return errors.Join(err, printResult(command, solution.Record(), solution.Words))
}

// compute runs the solver with progress and warnings on the terminal.
func compute(command *cobra.Command, s *workflow.Solver, t transport.Transport) (*workflow.Solution, error) {
	about := "about"
	if s.Case.Tolerance > 0 || s.Case.Steps == 0 && s.Case.Time == "" {
		about = "at most" // it ends when it is steady
	}
	report, end := progressLeft(command, about)
	s.Report = func(p airflow.Progress) {
		report(fmt.Sprintf("flow %.1f million updates/s, %s", p.MLUPS, quantity.Format(p.PeakVelocity, "m/s")), float64(p.Step)/float64(p.Steps))
	}
	s.Warn = func(warnings []string) {
		for _, w := range warnings {
			message(command, "warning: %s", w)
		}
	}
	s.Announce = func(words string) { message(command, "%s", words) }
	s.Memory = func(uses []gpu.MemoryUse) {
		for _, u := range uses {
			message(command, "%v", u)
		}
	}
	solution, err := s.Solve(command.Context(), t)
	end()
	return solution, err
}

// gridName is the name of a surface's grid and partition among results.
func gridName(surface string) string { return strings.TrimSuffix(resultsFolder(surface), "-flow") }

// resultsFolder is where results go unless the user says otherwise.
func resultsFolder(surface string) string {
	name := filepath.Base(surface)
	for _, suffix := range []string{".gz", filepath.Ext(strings.TrimSuffix(name, ".gz"))} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name + "-flow"
}
