package main

import (
	"errors"
	"fmt"

	"carina"
	"carina/balance"
	"carina/cmd/carina/report"
	"carina/internal/crash"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/solver/transport"

	"github.com/spf13/cobra"
)

// listener tells on the terminal how a computation goes.
type listener struct {
	carina.Listener
	command *cobra.Command
	c       *carina.Case
	warned  []string
	notes   report.Notes
	gridded bool // a grid was told of
	// report shows progress, which end ends; nil while none is shown.
	report func(stage string, done float64)
	end    func()
}

func newListener(command *cobra.Command, c *carina.Case) *listener {
	l := &listener{command: command, c: c}
	about := "about"
	if c.Tolerance > 0 || c.Steps == 0 && c.Time == "" {
		about = "at most" // it ends when it is steady
	}
	l.Listener = carina.Listener{
		Stage: func(stage string, done float64) { l.show("about", stage, done) },
		Spacings: func(metres []float64) {
			l.pause()
			message(command, "%s", report.SpacingsWords(c, metres))
		},
		Voxels:    l.tellVoxels,
		Partition: l.tellPartition,
		Warn: func(warning string) {
			l.warned = append(l.warned, warning)
			message(command, "warning: %s", warning)
		},
		Memory: func(uses []carina.MemoryUse) {
			for _, u := range uses {
				message(command, "%v", u)
			}
		},
		Announce: func(o carina.Outlook) {
			if o.Seconds == 0 {
				l.pause()
			}
			if words := report.OutlookWords(c, o); words != "" {
				message(command, "%s", words)
			}
		},
		Resumed: func(step int64, seconds float64) {
			message(command, "goes on from step %d (%s)", step, quantity.Format(seconds, "s"))
		},
		Look: func(k carina.Look) {
			l.pause()
			message(command, "balance at step %d: %v", k.Step, k.Decision)
		},
		Progress: func(p carina.Progress) {
			l.show(about, fmt.Sprintf("flow %.1f million updates/s, %s", p.MLUPS, quantity.Format(p.PeakVelocity, "m/s")), float64(p.Step)/float64(p.Steps))
		},
		Level: func(f *carina.Flow) {
			l.pause()
			message(command, "%s", report.LevelWords(f))
		},
	}
	if wantsLog(command) {
		l.log()
	}
	return l
}

// log tells what is heard as events instead; standard output stays for results.
func (l *listener) log() {
	words := l.Listener
	l.Listener = eventsOf(l.command).Listener()
	events := l.Listener
	l.Warn = func(warning string) {
		l.warned = append(l.warned, warning)
		events.Warn(warning)
	}
	l.Voxels = func(v *carina.Voxels) {
		events.Voxels(v)
		if !wantsJSON(l.command) {
			words.Voxels(v)
		}
	}
	l.Partition = func(p *balance.Partition) {
		events.Partition(p)
		words.Partition(p)
	}
}

// show shows progress until it is paused.
func (l *listener) show(about, stage string, done float64) {
	if l.report == nil {
		l.report, l.end = progressLeft(l.command, about)
	}
	l.report(stage, done)
}

func (l *listener) pause() {
	if l.report != nil {
		l.end()
		l.report = nil
	}
}

func (l *listener) tellVoxels(v *carina.Voxels) {
	l.pause()
	notes, first := l.notes.New(&v.Report), !l.gridded
	l.gridded = true
	if !wantsJSON(l.command) && first {
		fmt.Fprint(l.command.OutOrStdout(), report.GridWords(&v.Report))
		return
	}
	if !wantsJSON(l.command) {
		fmt.Fprint(l.command.OutOrStdout(), report.CellsWords(&v.Report))
	}
	for _, note := range notes {
		message(l.command, "note: %s", note)
	}
}

func (l *listener) tellPartition(p *balance.Partition) {
	l.pause()
	if !wantsJSON(l.command) {
		fmt.Fprint(l.command.OutOrStdout(), report.PartitionWords(p))
	}
}

// tellFlow prints what came out of a computation, in the process of rank 0.
func (l *listener) tellFlow(f *carina.Flow, t transport.Transport, failed error) error {
	l.pause()
	if f == nil || f.Summary() == nil || t != nil && t.Rank() != 0 {
		return failed
	}
	return errors.Join(failed, printResult(l.command, f.Summary(), func() string {
		return report.FlowWords(l.c, f.Summary(), f.Files(), l.warned)
	}))
}

// inProcesses lets all processes that a launcher has started read a case, whose ranks they
// are where no others are asked for, and compute it together; without a launcher this process
// does alone.
func inProcesses(command *cobra.Command, c *carina.PartitionCase, read func() error, compute func(t transport.Transport) error) error {
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
	err = read()
	if t != nil && !command.Flags().Changed("ranks") {
		c.Ranks = 0 // as many as there are processes
	}
	// A rank that fails alone must not leave the others waiting.
	if err = transport.Agree(t, err); err == nil {
		err = compute(t)
	}
	if err == nil || t == nil {
		return err
	}
	if t.Rank() == 0 {
		tell(command, err)
	}
	return errTold
}

// teller tells how the computation of any physics goes.
type teller struct {
	command *cobra.Command
	show    func(string, float64)
	end     func()
}

func newTeller(command *cobra.Command) *teller { return &teller{command: command, end: func() {}} }

// pause ends the line of progress, if there is one.
func (l *teller) pause() {
	l.end()
	l.show, l.end = nil, func() {}
}

func (l *teller) partitioned(p *balance.Partition) {
	if !wantsJSON(l.command) {
		fmt.Fprint(l.command.OutOrStdout(), report.PartitionWords(p))
	}
}

func (l *teller) warn(warning string) { message(l.command, "warning: %s", warning) }

func (l *teller) look(k carina.Look) {
	l.pause()
	message(l.command, "balance at step %d: %v", k.Step, k.Decision)
}

func (l *teller) progress(words string, done float64) {
	if l.show == nil {
		l.show, l.end = progressLeft(l.command, "about")
	}
	l.show(words, done)
}

// printWithFiles prints a summary and which files were written.
func printWithFiles(command *cobra.Command, summary fmt.Stringer, files []string) error {
	return printResult(command, summary, func() string {
		words := summary.String()
		for _, path := range files {
			words += "wrote " + terminal.Line(path) + "\n"
		}
		return words
	})
}
