package machine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

	"carina/internal/quantity"
)

// AvailableMemory is what this process can still take without swapping and
// within the limits set for it and for its control groups, in bytes, or 0
// where the system does not tell.
func AvailableMemory() int64 {
	free := memoryFiles{"/proc", "/sys/fs/cgroup"}.available()
	if free == math.MaxInt64 {
		return 0
	}
	return max(free, 1)
}

// idleMemory is what the process holds without using it, in pieces of any size.
func idleMemory() int64 {
	idle := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(idle)
	return int64(idle[0].Value.Uint64())
}

// LimitHeap makes the collector of garbage work harder when memory gets
// scarce, instead of letting the heap grow to twice of what is needed. The
// environment's GOMEMLIMIT has the last word.
func LimitHeap() {
	free := AvailableMemory()
	if free == 0 || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(held)
	used := int64(held[0].Value.Uint64() - held[1].Value.Uint64())
	debug.SetMemoryLimit(used + free/20*19)
}

// MemoryError says that there is too little memory for what was wanted.
type MemoryError struct{ Need, Free int64 }

// Error names both numbers.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("it needs %.1f GiB of memory and %.1f GiB are free", gib(e.Need), gib(e.Free))
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }

// small needs are admitted without asking.
const small = 16 << 20

// Admit returns a MemoryError if there is too little memory for so many bytes
// more. The runtime ends the program without a word when memory runs out, so
// that everything large asks first.
func Admit(bytes int64) error { return admit(bytes, func() int64 { return idleMemory() / 2 }) }

// AdmitFor is Admit with a sentence that says what needs the memory and what to do.
func AdmitFor(what string, bytes int64, advice string) error {
	var memory *MemoryError
	if err := Admit(bytes); errors.As(err, &memory) {
		return fmt.Errorf("%s needs some %s of memory, %s are free: %s", what, quantity.FormatBytes(memory.Need), quantity.FormatBytes(memory.Free), advice)
	}
	return nil
}

func admit(bytes int64, idle func() int64) error {
	if bytes < small {
		return nil
	}
	// The runtime takes memory in large pieces and some for itself.
	const besides = 64 << 20
	need := min(bytes, math.MaxInt64/2) + bytes/16 + besides
	free := AvailableMemory()
	if free == 0 || need <= free+idle() {
		return nil
	}
	debug.FreeOSMemory() // garbage may be in the way
	if free = AvailableMemory() + idle(); need <= free {
		return nil
	}
	return &MemoryError{Need: need, Free: free}
}

// Growth asks for memory while something of unknown size grows.
type Growth struct{ asked int64 }

// Admit returns a MemoryError if what has grown to so many bytes cannot grow on:
// a list that is full is copied to a larger one.
func (g *Growth) Admit(bytes int64) error {
	if bytes < g.asked || bytes < small {
		return nil
	}
	g.asked = bytes + bytes/4
	// No piece that was given back is large enough for it.
	return admit(bytes+bytes/2, func() int64 { return 0 })
}

// ReadAll is io.ReadAll that returns a MemoryError instead of running out of
// memory, also of what will be needed later for every byte that is read.
func ReadAll(r io.Reader, later int64) ([]byte, error) {
	data := make([]byte, 0, 1<<16)
	var growth Growth
	for {
		if len(data) == cap(data) {
			if err := growth.Admit(int64(len(data))); err != nil {
				return nil, err
			}
			if err := Admit(int64(len(data)) * later); err != nil {
				return nil, err
			}
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return data, err
		}
	}
}

// memoryFiles is where the system tells about memory.
type memoryFiles struct{ proc, cgroup string }

// available is the least that one of the limits leaves, or the largest number
// where there is none.
func (m memoryFiles) available() int64 {
	free := int64(math.MaxInt64)
	if n, ok := m.kibibytes("meminfo", "MemAvailable"); ok {
		free = n
	}
	for _, limit := range []struct{ name, used string }{{"Max address space", "VmSize"}, {"Max data size", "VmData"}} {
		most, limited := m.limit(limit.name)
		used, known := m.kibibytes("self/status", limit.used)
		if limited && known {
			free = min(free, most-used)
		}
	}
	return max(0, min(free, m.controlGroups()))
}

// kibibytes is the value of a line "key: value kB", in bytes.
func (m memoryFiles) kibibytes(name, key string) (int64, bool) {
	text, found := strings.CutSuffix(procField(filepath.Join(m.proc, name), key), " kB")
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n * 1024, found && err == nil
}

// limit is the soft limit of a resource of this process, if it has one.
func (m memoryFiles) limit(name string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(m.proc, "self/limits"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name); found && len(strings.Fields(rest)) > 0 {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n, err == nil // or it is unlimited
		}
	}
	return 0, false
}

// controlGroups is the least that the limits of this process's control groups
// leave, of either version.
func (m memoryFiles) controlGroups() int64 {
	free := int64(math.MaxInt64)
	groups, err := os.Open(filepath.Join(m.proc, "self/cgroup"))
	if err != nil {
		return free
	}
	defer groups.Close()
	for lines := bufio.NewScanner(groups); lines.Scan(); {
		fields := strings.SplitN(lines.Text(), ":", 3)
		if len(fields) < 3 {
			continue
		}
		switch controllers, group := fields[1], fields[2]; {
		case controllers == "":
			for _, mount := range []string{"", "unified"} {
				free = min(free, leastInGroups(filepath.Join(m.cgroup, mount), group, "memory.max", "memory.current", "inactive_file"))
			}
		case strings.Contains(","+controllers+",", ",memory,"):
			free = min(free, leastInGroups(filepath.Join(m.cgroup, "memory"), group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	return free
}

// leastInGroups is the least that a group and those around it leave. In a
// container the group's path may not be there, but the root is its group.
func leastInGroups(mount, group, limit, used, cache string) int64 {
	free := int64(math.MaxInt64)
	for at := filepath.Join("/", group); ; at = filepath.Dir(at) {
		folder := filepath.Join(mount, at)
		most, err1 := wholeNumberIn(filepath.Join(folder, limit))
		usage, err2 := wholeNumberIn(filepath.Join(folder, used))
		if err1 == nil && err2 == nil {
			// Pages of files that the system gives up when memory is wanted.
			given := fieldIn(filepath.Join(folder, "memory.stat"), cache)
			free = min(free, max(0, most-max(0, usage-given)))
		}
		if at == "/" {
			return free
		}
	}
}

func wholeNumberIn(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// fieldIn is the number of the line "key number" of a file, or 0.
func fieldIn(path, key string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == key {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n
		}
	}
	return 0
}
