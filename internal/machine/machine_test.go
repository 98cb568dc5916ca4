package machine

import (
	"bytes"
	"math"
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

// Every byte is copied, and counts twice: once read and once written. What a copy
// takes is measured from outside, where it takes a little longer, or much longer
// where the machine is busy.
func TestCopierCountsReadsAndWrites(t *testing.T) {
	const workers, bytesPerWorker, attempts = 2, 1 << 24, 20
	c := NewCopier(workers, bytesPerWorker)
	least := math.Inf(1)
	for range attempts {
		begin := time.Now()
		got := c.Bandwidth(1)
		least = min(least, got*time.Since(begin).Seconds()/(workers*bytesPerWorker))
	}
	if !(least >= 1 && least < 1.5) {
		t.Errorf("%g times the bytes that are read and written are counted", least)
	}
	for w := range c.to {
		if !bytes.Equal(c.from[w], c.to[w]) {
			t.Errorf("worker %d has not copied all", w)
		}
	}
}
