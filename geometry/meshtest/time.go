package meshtest

import (
	"syscall"
	"time"
)

// ProcessTime is the time that the processors have worked for this process,
// which other processes of the machine do not lengthen.
func ProcessTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
