package processor

import (
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseProcessors(t *testing.T) {
	for text, want := range map[string][]int{
		"0\n": {0}, "0-1\n": {0, 1}, "0,2-4,7": {0, 2, 3, 4, 7},
		"": nil, "3-1": nil, "0-x": nil, "0-99999999": nil,
	} {
		if got := parseProcessors(text); !slices.Equal(got, want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// A pinned pool has one worker on each processor given and does all the work.
func TestPinnedPool(t *testing.T) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Skip("the system does not tell where threads may run:", err)
	}
	var processors []int
	for i := range 1024 {
		if allowed.IsSet(i) && len(processors) < 2 {
			processors = append(processors, i)
		}
	}
	p := newPool(len(processors), processors)
	defer p.close()
	var mutex sync.Mutex
	done := map[int]bool{}
	p.run(100, func(part, worker int) {
		var mask unix.CPUSet
		if err := unix.SchedGetaffinity(0, &mask); err != nil {
			t.Error(err)
		}
		mutex.Lock()
		defer mutex.Unlock()
		done[part] = true
		if len(processors) > 1 && (mask.Count() != 1 || !mask.IsSet(processors[worker])) {
			t.Errorf("worker %d may run on %d processors, not on %d alone", worker, mask.Count(), processors[worker])
		}
	})
	if len(done) != 100 {
		t.Errorf("%d of 100 blocks are done", len(done))
	}
}
