package machine

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

func TestDescribe(t *testing.T) {
	d := Describe()
	if d.Cores < 1 || d.GoVersion == "" || d.Architecture == "" || d.System == "" {
		t.Errorf("incomplete description: %+v", d)
	}
	if runtime.GOOS == "linux" && (d.MemoryBytes < 1<<28 || AvailableMemory() > d.MemoryBytes) {
		t.Errorf("memory of %d bytes, available %d", d.MemoryBytes, AvailableMemory())
	}
}

// Every byte is copied between two looks at the clock, and counts twice: once read and once
// written. The fastest of the times counts: by the test's clock copies take 4, 2 and 8
// seconds.
func TestCopierCountsReadsAndWrites(t *testing.T) {
	const workers, bytesPerWorker = 2, 1 << 20
	c := NewCopier(workers, bytesPerWorker)
	looks, at := []int64{0, 4, 100, 102, 200, 208}, 0
	c.now = func() time.Time {
		for w := range c.to {
			if at%2 == 0 {
				clear(c.to[w])
			} else if !bytes.Equal(c.from[w], c.to[w]) {
				t.Errorf("worker %d has not copied all", w)
			}
		}
		at++
		return time.Unix(looks[at-1], 0)
	}
	if got := c.Bandwidth(len(looks) / 2); got != workers*bytesPerWorker/2 {
		t.Errorf("%g bytes a second, want %d", got, workers*bytesPerWorker/2)
	}
}
