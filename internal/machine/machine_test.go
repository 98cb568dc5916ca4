package machine

import (
	"runtime"
	"testing"
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

func TestCopierCountsReadsAndWrites(t *testing.T) {
	// No memory is slower than 50 MB/s or, from caches, faster than 10 TB/s.
	if b := NewCopier(2, 1<<22).Bandwidth(3); b < 50e6 || b > 1e13 {
		t.Errorf("copy bandwidth of %g bytes per second", b)
	}
}
