package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"carina/cmd/carina/report"
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

// started is when the program began.
var started = time.Now()

// wantsLog tells whether --log-json was given.
func wantsLog(command *cobra.Command) bool {
	wants, err := command.Flags().GetBool("log-json")
	return err == nil && wants
}

// eventsOf are the events that a command with --log-json tells.
func eventsOf(command *cobra.Command) *report.EventLog {
	return report.NewEventLog(command.ErrOrStderr(), time.Now, started)
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
		fmt.Fprintf(&words, "wrote %s\n", terminal.Line(path))
	}
	return words.String()
}

// message writes a line for people; standard output stays clean for results.
func message(command *cobra.Command, format string, arguments ...any) {
	if words := fmt.Sprintf(format, arguments...); wantsLog(command) {
		eventsOf(command).Tell("message", words)
	} else {
		fmt.Fprintln(command.ErrOrStderr(), terminal.Line(words))
	}
}

// progress returns a function that shows the share done of named stages: a bar
// on a terminal, otherwise a line when a stage begins that takes long.
func progress(command *cobra.Command) (report func(stage string, done float64), end func()) {
	return progressLeft(command, "about")
}

// progressLeft is progress of work that may end earlier, where about is "at most".
func progressLeft(command *cobra.Command, about string) (report func(stage string, done float64), end func()) {
	// The bar moves the cursor, which the cleaning of other text would prevent.
	if w, ok := command.ErrOrStderr().(*terminal.Writer); ok {
		if file, ok := w.Unwrap().(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return barProgress(file)
		}
	}
	return lineProgress(command, about)
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

// quiet and calm are the times between lines of progress, at first and in long
// stages. Tests make them longer than a slow machine takes.
var quiet, calm = 5 * time.Second, time.Minute

// lineProgress writes a line now and then.
func lineProgress(command *cobra.Command, about string) (func(string, float64), func()) {
	rest := remaining{about: about}
	last := time.Now()
	return func(stage string, done float64) {
		now := time.Now()
		left := rest.left(now, done)
		if now.Sub(last) > min(calm, max(quiet, now.Sub(rest.began)/20)) {
			last = now
			message(command, "%s: %.0f %%%s", stage, 100*done, left)
		}
	}, func() {}
}

// remaining tells how long work will go on that has been counted so far.
type remaining struct {
	about        string
	began        time.Time
	from, before float64
}

// left says how much time is left when so much is done, as far as that can be
// known.
func (r *remaining) left(now time.Time, done float64) string {
	if r.began.IsZero() || done < r.before {
		// A stage that counts anew.
		r.began, r.from = now, done
	}
	r.before = done
	const least = 0.002 // from less, nothing can be told
	took := now.Sub(r.began)
	if done-r.from < least || took <= 0 || done >= 1 {
		return ""
	}
	seconds := took.Seconds() * (1 - done) / (done - r.from)
	switch {
	case seconds < 99.5:
		return fmt.Sprintf(", %s %.0f s left", r.about, seconds)
	case seconds < 99.5*60:
		return fmt.Sprintf(", %s %.0f min left", r.about, seconds/60)
	}
	return fmt.Sprintf(", %s %.0f h left", r.about, seconds/3600)
}
