// Command carina computes the flow of air in human airways on as many
// processors as there are, all of them equally busy.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses of the command line's contract.
const (
	exitFailure = 1
	exitUsage   = 2
)

// usageError is a mistake in how the command was written, not in its data.
type usageError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the command line and returns the exit status.
func execute(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(arguments)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, errTold) {
		return exitFailure
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("stopped by the user; nothing half-written was left behind")
	}
	fmt.Fprintln(stderr, "carina: "+err.Error())
	var usage usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		return exitUsage
	}
	return exitFailure
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "carina",
		Short:         "Air flow in human airways, on as many processors as there are",
		Long:          "Carina takes the surface of an airway and runs air through it on as many processors and GPUs as there are, all of them equally busy.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w (see carina %s --help)", err, command.Name())}
	})
	root.PersistentFlags().Bool("json", false, "print one JSON object with the result's figures on standard output")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRun(), newVoxelize(), newPartition(), newSolve(), newInspect(), newView(), newExport(), newGraph(), newGenerate(), newBench(), newDoctor())
	return root
}

// exactly is cobra.ExactArgs with an error that names what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) == len(names) {
			return nil
		}
		return usageError{fmt.Errorf("carina %s takes %s, got %d arguments (see carina %s --help)",
			command.Name(), strings.Join(names, " and "), len(arguments), command.Name())}
	}
}
