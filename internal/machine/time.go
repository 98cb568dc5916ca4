package machine

import (
	"syscall"
	"time"
)

// ProcessorTime is how long processors have worked for this process so far, which other
// processes of the machine do not lengthen; 0 where that is not told.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
