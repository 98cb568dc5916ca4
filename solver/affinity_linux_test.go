package solver

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
	done, at := map[int]bool{}, map[*workspace]int{}
	p.run(0, 100, func(i int, w *workspace) {
		var mask unix.CPUSet
		if err := unix.SchedGetaffinity(0, &mask); err != nil {
			t.Error(err)
		}
		mutex.Lock()
		defer mutex.Unlock()
		done[i] = true
		for k, processor := range processors {
			if w == p.workspaces[k] && len(processors) > 1 && (mask.Count() != 1 || !mask.IsSet(processor)) {
				t.Errorf("worker %d may run on %d processors, not on %d alone", k, mask.Count(), processor)
			}
			at[w] = processor
		}
	})
	if len(done) != 100 {
		t.Errorf("%d of 100 chunks are done", len(done))
	}
}
