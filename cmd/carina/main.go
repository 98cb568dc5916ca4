package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"carina"
	"carina/internal/atomicfile"
	"carina/internal/crash"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/resultsfolder"
	"carina/internal/simd"
	"carina/internal/terminal"
	"carina/solver/transport"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
)

// Exit statuses of the command line's contract, besides crash.Status.
const (
	exitFailure = 1
	exitUsage   = 2
)

// usageError is a mistake in how the command was written, not in its data.
type usageError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A file that becomes too large is an error of its writer.
	signal.Ignore(syscall.SIGXFSZ)
	// Where the limit of open files is too low, execute says so: even to look at the
	// machine's memory could be one file too many.
	if checkOpenFiles() == nil {
		machine.LimitHeap()
	}
	// The first signal asks to stop, a second one ends the program.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the command line and returns the exit status.
func execute(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	return executeRoot(ctx, newRoot(), arguments, stdout, stderr)
}

func executeRoot(ctx context.Context, root *cobra.Command, arguments []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if cause := recover(); cause != nil {
			crash.Tell(stderr, cause)
			status = crash.Status
		}
	}()
	out := terminal.NewWriter(stdout)
	stderr = terminal.NewWriter(stderr)
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetArgs(arguments)
	command, err := root.ExecuteContextC(ctx)
	if word, is := unknownWord(err); is {
		err = unknownCommand(root, word)
	}
	if failed := out.Err(); failed != nil && (err == nil || errors.Is(err, failed)) {
		err = fmt.Errorf("the output cannot be written: %w", failed)
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, errTold) {
		return exitFailure
	}
	tell(command, err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// tell writes a failure as one line.
func tell(command *cobra.Command, err error) {
	var stopped *carina.StoppedError
	if is := errors.As(err, &stopped); is && stopped.Folder == "" && stopped.Spacing == 0 || !is && errors.Is(err, context.Canceled) {
		err = errors.New("stopped by the user; nothing half-written was left behind")
	}
	words := strings.Join(strings.Fields(advised(err)), " ")
	if wantsLog(command) {
		eventsOf(command).Tell("error", words)
		return
	}
	fmt.Fprintln(command.ErrOrStderr(), "carina: "+words)
}

// interruptible runs work that does not look at its context, and returns when
// it is done or the user stops the program, whichever comes first.
func interruptible[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer crash.Guard()
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "carina",
		Short: "Air flow in human airways, on as many processors as there are",
		Long: "Carina takes the surface of an airway and runs air through it on as many processors and GPUs as there are, all of them equally busy.\n\n" +
			"Exit status: 0 on success, 1 on failure with one sentence that says what to do, 2 on wrong usage,\n" +
			"3 on a mistake of the program itself, with a line to report.",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(command *cobra.Command, arguments []string) error {
			if command.Name() == cobra.ShellCompRequestCmd {
				return nil // a word that is being completed changes nothing
			}
			if err := checkOpenFiles(); err != nil {
				return err
			}
			if err := refuseEmpty(command, arguments); err != nil {
				return err
			}
			if err := refuseNames(command); err != nil {
				return err
			}
			if err := refuseCopies(command); err != nil {
				return err
			}
			if err := refuseInputs(command, arguments); err != nil {
				return err
			}
			if err := refuseEndings(command); err != nil {
				return err
			}
			if err := refuseUnwritable(command); err != nil {
				return err
			}
			if err := simd.CheckMachines(); err != nil {
				return err
			}
			mendFolders(command, arguments)
			return nil
		},
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usageError{mistakenFlag(command, err)}
	})
	root.PersistentFlags().Bool("json", false, "print one JSON object with the result's figures on standard output")
	root.Version = carina.ProgramOf().Words()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommand(newHelp())
	root.AddCommand(newRun(), newInit(), newVoxelize(), newPartition(), newSolve(), newWater(), newThermal(), newInspect(), newView(), newExport(), newGraph(), newGenerate(), newBench(), newDoctor(), newVersion())
	refuseShells(root)
	readPlainly(root)
	complete(root)
	return root
}

// refuseCopies refuses what computes in one process where a launcher started
// several, each of which would do the whole and write the same files.
func refuseCopies(command *cobra.Command) error {
	launch, launched := transport.Launched()
	if !launched || launch.Alone() || slices.Contains([]string{"solve", "water", "thermal", "doctor", "version", "help"}, command.Name()) {
		return nil
	}
	return fmt.Errorf("%v, but %s computes in one: start it without the launcher; carina solve, carina water and carina thermal take a process for each rank", launch, command.Name())
}

// refuseUnwritable refuses files to write that could not be, before anything is
// computed for them.
func refuseUnwritable(command *cobra.Command) error {
	if command.Name() == "export" {
		return nil // it completes the names that it is given
	}
	for _, name := range []string{"output", "picture"} {
		if f := command.Flags().Lookup(name); f != nil && f.Changed {
			if err := atomicfile.Writable(f.Value.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// mendFolders completes what a run that was killed has begun in the folders that
// the command writes into. Of others that it is given files of, it only tells.
func mendFolders(command *cobra.Command, arguments []string) {
	written := foldersWritten(command, arguments)
	for _, folder := range written {
		if err := resultsfolder.Mend(folder); err != nil {
			message(command, "note: %v", err)
		}
	}
	for _, path := range arguments {
		for _, folder := range []string{path, filepath.Dir(path)} {
			if !slices.Contains(written, folder) && resultsfolder.Unfinished(folder) {
				message(command, "note: a run was killed while it moved its results into %s, which are those of two runs now: the next run into it or any command that writes there, such as carina view, completes them", folder)
			}
		}
	}
}

// foldersWritten are the folders that the command line says or implies will be
// written into.
func foldersWritten(command *cobra.Command, arguments []string) []string {
	var folders []string
	given := func(name string) string {
		if f := command.Flags().Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	if out := given("out"); out != "" {
		folders = append(folders, filepath.Clean(out))
	}
	for _, name := range []string{"output", "picture"} {
		if path := given(name); path != "" {
			folders = append(folders, filepath.Dir(path))
		}
	}
	if beside := command.Name() == "view" || command.Name() == "export"; beside && given("output") == "" && len(arguments) > 0 {
		folders = append(folders, filepath.Dir(arguments[0]))
	}
	return folders
}

// newHelp is cobra's help, which an unknown topic fails.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(command *cobra.Command, arguments []string) error {
			about, rest, err := command.Root().Find(arguments)
			if err != nil || about == nil || len(rest) > 0 {
				return unknownCommand(command.Root(), strings.Join(arguments, " "))
			}
			return about.Help()
		},
	}
}

// exactly is cobra.ExactArgs with an error that names what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) == len(names) {
			return nil
		}
		takes := "nothing"
		if len(names) > 0 {
			takes = strings.Join(names, " and ")
		}
		return usageError{fmt.Errorf("%s takes %s, got %s%s (see %s --help)",
			command.CommandPath(), takes, quantity.Count(len(arguments), "argument"), valuesApart(command, arguments), command.CommandPath())}
	}
}

// valuesApart names the arguments that were meant as values of flags which need none, and
// so take theirs behind an equals sign alone. Switches hardly ever get one.
func valuesApart(command *cobra.Command, arguments []string) (words string) {
	command.Flags().Visit(func(f *pflag.Flag) {
		for _, argument := range arguments {
			if f.NoOptDefVal != "" && f.Value.Type() != "bool" && f.Value.Set(argument) == nil {
				words += fmt.Sprintf(", write --%s=%s with an equals sign", f.Name, argument)
			}
		}
	})
	return words
}

// checkOpenFiles refuses a limit of open files that the program would exceed by itself.
func checkOpenFiles() error {
	const least = 64
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < least {
		return fmt.Errorf("only %d files may be open at once, and the program needs %d: raise the limit, for instance with ulimit -n 1024", limit.Cur, least)
	}
	return nil
}
