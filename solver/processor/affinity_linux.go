package processor

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// wholeMachine lists the processors of this machine if the process may use all
// of them and there are as many as workers: then nobody else has divided them
// up, and pinning takes nothing from anyone. Otherwise the list is empty.
func wholeMachine(workers int) []int {
	var mask unix.CPUSet
	if unix.SchedGetaffinity(0, &mask) != nil || mask.Count() != workers {
		return nil
	}
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil
	}
	list := parseProcessors(string(online))
	if len(list) != workers {
		return nil
	}
	return list
}

// parseProcessors reads a list such as 0-3,8; what it does not understand
// makes the list empty.
func parseProcessors(text string) (list []int) {
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err := strconv.Atoi(low)
		if err != nil {
			return nil
		}
		last, err := strconv.Atoi(high)
		if err != nil || last < first || last > 1<<16 {
			return nil
		}
		for i := first; i <= last; i++ {
			list = append(list, i)
		}
	}
	return list
}

// pin keeps the calling goroutine on a processor until it ends; its thread
// ends with it. Where the system refuses, the goroutine runs anywhere.
func pin(processor int) {
	runtime.LockOSThread()
	var mask unix.CPUSet
	mask.Set(processor)
	_ = unix.SchedSetaffinity(0, &mask)
}
