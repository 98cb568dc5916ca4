// Package crash turns a panic, which is a mistake of the program, into one
// sentence that says what to report, and an exit status of its own.
package crash

import (
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
)

// Status is the exit status of a program that panicked.
const Status = 3

// Guard ends the program with a sentence and Status if the goroutine panics.
// It must be deferred first in every goroutine, since a panic cannot be
// recovered from elsewhere. Others may wait for the goroutine, so that nothing
// but the program's end helps them; files appear only when they are complete.
func Guard() {
	if cause := recover(); cause != nil {
		Tell(os.Stderr, cause)
		Exit(Status)
	}
}

var farewell atomic.Pointer[func()]

// Farewell is called before the program ends by itself, having said why, so that others
// that compute with it do not take it for lost.
func Farewell(f func()) { farewell.Store(&f) }

// Exit ends the program, after its farewell.
func Exit(status int) {
	if f := farewell.Swap(nil); f != nil {
		(*f)()
	}
	os.Exit(status)
}

// Tell writes the sentence. It is called while the panic unwinds, so that it
// can say where it happened. With GOTRACEBACK set it writes all of the stack
// too.
func Tell(w io.Writer, cause any) {
	fmt.Fprintln(w, "carina: "+strings.Join(strings.Fields(fmt.Sprintf(
		"the program made a mistake (%v, at %s): please report this line with the command and the files that it read", cause, places())), " "))
	if os.Getenv("GOTRACEBACK") != "" {
		fmt.Fprintf(w, "%s\n", debug.Stack())
	}
}

// places names where the panic began and the callers of that place.
func places() string {
	const most, shown = 64, 5
	counters := make([]uintptr, most)
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters)])
	var list []string
	panicked := false
	for frame, more := frames.Next(); ; frame, more = frames.Next() {
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicked && !inRuntime && len(list) < shown {
			list = append(list, fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(frame.File)), path.Base(frame.File)), frame.Line))
		}
		panicked = panicked || inRuntime && strings.Contains(frame.Function, "panic")
		if !more {
			break
		}
	}
	if len(list) == 0 {
		return "an unknown place"
	}
	return strings.Join(list, " < ")
}
