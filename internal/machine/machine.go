package machine

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// Description is what a reader of a benchmark needs to know of the machine.
type Description struct {
	Processor    string   `json:"processor"`
	Cores        int      `json:"cores"`
	MemoryBytes  int64    `json:"memory_bytes"`
	Architecture string   `json:"architecture"`
	SIMD         []string `json:"simd"`
	GoVersion    string   `json:"go_version"`
	System       string   `json:"system"`
}

// Describe reads the description of this machine. What the system does not
// tell stays empty or zero.
func Describe() Description {
	memory, _ := memoryFiles{proc: "/proc"}.kibibytes("meminfo", "MemTotal")
	return Description{
		Processor:    procField("/proc/cpuinfo", "model name"),
		Cores:        runtime.NumCPU(),
		MemoryBytes:  memory,
		Architecture: runtime.GOARCH,
		SIMD:         simd(),
		GoVersion:    runtime.Version(),
		System:       osRelease(),
	}
}

func simd() []string {
	var names []string
	for _, feature := range []struct {
		name string
		has  bool
	}{
		{"AVX2", cpu.X86.HasAVX2},
		{"FMA", cpu.X86.HasFMA},
		{"AVX-512F", cpu.X86.HasAVX512F},
		{"AVX-512BW", cpu.X86.HasAVX512BW},
		{"AVX-512VL", cpu.X86.HasAVX512VL},
		{"ASIMD", cpu.ARM64.HasASIMD},
		{"SVE", cpu.ARM64.HasSVE},
	} {
		if feature.has {
			names = append(names, feature.name)
		}
	}
	return names
}

// procField returns the value of the first line "key : value" of a file.
func procField(path, key string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func osRelease() string {
	data, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return runtime.GOOS
	}
	for _, line := range strings.Split(string(data), "\n") {
		if value, found := strings.CutPrefix(line, "PRETTY_NAME="); found {
			return strings.Trim(value, `"`)
		}
	}
	return runtime.GOOS
}
