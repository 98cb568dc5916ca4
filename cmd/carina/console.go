package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"carina/internal/terminal"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// wantsJSON tells whether --json was given.
func wantsJSON(command *cobra.Command) bool {
	wants, err := command.Flags().GetBool("json")
	return err == nil && wants
}

// printResult prints a result as JSON or in words.
func printResult(command *cobra.Command, result any, words func() string) error {
	if !wantsJSON(command) {
		_, err := fmt.Fprint(command.OutOrStdout(), words())
		return err
	}
	encoder := json.NewEncoder(command.OutOrStdout())
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}

// wrote says which files were written, a line each.
func wrote(paths ...string) string {
	var words strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&words, "wrote %s\n", path)
	}
	return words.String()
}

// message writes a line for people; standard output stays clean for results.
func message(command *cobra.Command, format string, arguments ...any) {
	fmt.Fprintf(command.ErrOrStderr(), format+"\n", arguments...)
}

// progress returns a function that shows the share done of named stages: a bar
// on a terminal, otherwise a line when a stage begins that takes long.
func progress(command *cobra.Command) (report func(stage string, done float64), end func()) {
	// The bar moves the cursor, which the cleaning of other text would prevent.
	if w, ok := command.ErrOrStderr().(*terminal.Writer); ok {
		if file, ok := w.Unwrap().(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return barProgress(file)
		}
	}
	return lineProgress(command)
}

func barProgress(file *os.File) (func(string, float64), func()) {
	const steps = 1000
	bar := progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(file),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)
	var current string
	var before float64
	report := func(stage string, done float64) {
		if stage != current {
			current = stage
			bar.Describe(fmt.Sprintf("%-24s", strings.ToLower(stage)))
		}
		if done < before {
			// A stage that counts anew; others go on with one count.
			bar.Reset()
		}
		before = done
		// A bar that cannot be drawn is no reason to stop.
		_ = bar.Set(min(steps-1, int(done*steps)))
	}
	return report, func() { _ = bar.Clear() }
}

func lineProgress(command *cobra.Command) (func(string, float64), func()) {
	const quiet = 5 * time.Second
	last := time.Now()
	return func(stage string, done float64) {
		if time.Since(last) > quiet {
			last = time.Now()
			message(command, "%s: %.0f %%", stage, 100*done)
		}
	}, func() {}
}
