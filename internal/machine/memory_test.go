package machine

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"carina/internal/race"
)

const mib = 1 << 20

// system writes the files in which a system tells about memory.
func system(t *testing.T, files map[string]string) memoryFiles {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return memoryFiles{filepath.Join(root, "proc"), filepath.Join(root, "cgroup")}
}

func TestAvailableMemoryHeedsLimits(t *testing.T) {
	const (
		meminfo   = "MemTotal:  8388608 kB\nMemAvailable:  4194304 kB\n" // 4 GiB
		status    = "Name:\tx\nVmSize:\t 1048576 kB\nVmData:\t 524288 kB\n"
		unlimited = "Limit Soft Hard Units\nMax data size             unlimited            unlimited            bytes\nMax address space         unlimited            unlimited            bytes\n"
	)
	for _, test := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, math.MaxInt64},
		{"the machine", map[string]string{"proc/meminfo": meminfo, "proc/self/limits": unlimited, "proc/self/status": status}, 4096 * mib},
		{"address space", map[string]string{"proc/meminfo": meminfo, "proc/self/status": status,
			"proc/self/limits": strings.Replace(unlimited, "space         unlimited", "space         2147483648", 1)}, 1024 * mib},
		{"data", map[string]string{"proc/meminfo": meminfo, "proc/self/status": status,
			"proc/self/limits": strings.Replace(unlimited, "size             unlimited", "size             1073741824", 1)}, 512 * mib},
		{"less than is used", map[string]string{"proc/self/status": status,
			"proc/self/limits": strings.Replace(unlimited, "size             unlimited", "size             1024", 1)}, 0},
		{"group of version 2", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"cgroup/a/b/memory.max": "max\n", "cgroup/a/b/memory.current": "1000\n",
			"cgroup/a/memory.max": fmt.Sprintln(300 * mib), "cgroup/a/memory.current": fmt.Sprintln(200 * mib),
			"cgroup/a/memory.stat": fmt.Sprintf("anon 7\ninactive_file %d\n", 50*mib)}, 150 * mib},
		{"group of version 1", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:cpu,memory:/a\n0::/\n",
			"cgroup/memory/a/memory.limit_in_bytes": fmt.Sprintln(300 * mib), "cgroup/memory/a/memory.usage_in_bytes": fmt.Sprintln(100 * mib)}, 200 * mib},
		{"group seen from a container", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/docker/17\n",
			"cgroup/memory/memory.limit_in_bytes": fmt.Sprintln(300 * mib), "cgroup/memory/memory.usage_in_bytes": fmt.Sprintln(100 * mib),
			"cgroup/memory/memory.stat": fmt.Sprintf("total_inactive_file %d\n", 25*mib)}, 225 * mib},
		{"hybrid", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/s\n",
			"cgroup/unified/s/memory.max": fmt.Sprintln(64 * mib), "cgroup/unified/s/memory.current": "0\n"}, 64 * mib},
	} {
		if got := system(t, test.files).available(); got != test.want {
			t.Errorf("%s: %d bytes, want %d", test.name, got, test.want)
		}
	}
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestMain lets the test run itself as a program that reads without end.
func TestMain(m *testing.M) {
	if os.Getenv("CARINA_TEST_ENDLESS") != "" {
		LimitHeap()
		_, err := ReadAll(zeros{}, 0)
		var memory *MemoryError
		if !errors.As(err, &memory) {
			os.Exit(5)
		}
		fmt.Println(err)
		os.Exit(4)
	}
	os.Exit(m.Run())
}

// Under a limit of the address space or of data, reading ends with an error
// and not with the runtime's dump, after it has used a good part of what it may.
func TestReadAllEndsBeforeMemoryDoes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("limits of memory are read on Linux")
	}
	if race.Enabled {
		t.Skip("the race detector takes more memory than the limits leave")
	}
	for _, limit := range []string{"-v 1600000", "-d 250000"} {
		command := exec.Command("bash", "-c", "ulimit "+limit+" && exec "+os.Args[0])
		command.Env = append(os.Environ(), "CARINA_TEST_ENDLESS=1")
		said, _ := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != 4 {
			t.Errorf("ulimit %s: status %d, says %.500s", limit, code, said)
		}
	}
}

func TestReadAll(t *testing.T) {
	for _, n := range []int64{0, 1, 1 << 16, 1<<16 + 1, 3 << 20} {
		data, err := ReadAll(io.LimitReader(zeros{}, n), 1)
		if err != nil || int64(len(data)) != n {
			t.Errorf("%d bytes: got %d, %v", n, len(data), err)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadAll(io.MultiReader(strings.NewReader("a"), failing{broken}), 1); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if err := Admit(math.MaxInt64 / 2); err == nil {
		t.Error("more memory than there is was admitted")
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// What is needed for the bytes once they are read counts before that.
func TestReadAllForesees(t *testing.T) {
	free := AvailableMemory()
	if free == 0 {
		t.Skip("this system does not tell how much memory is free")
	}
	read := 0
	_, err := ReadAll(counting{&read}, free/(4*mib))
	var memory *MemoryError
	if !errors.As(err, &memory) || read > 64*mib {
		t.Errorf("error %v after %d bytes", err, read)
	}
}

type counting struct{ read *int }

func (c counting) Read(p []byte) (int, error) {
	*c.read += len(p)
	return len(p), nil
}

// What the process holds without using it counts as well as what the system has
// free. Garbage is collected only where both are too little.
func TestIdleMemoryIsAdmitted(t *testing.T) {
	free := AvailableMemory()
	if free == 0 {
		t.Skip("this system does not tell how much memory is free")
	}
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	for _, test := range []struct {
		name          string
		before, after int64 // idle, before and after garbage is collected
		admitted      bool
		collected     uint32
	}{
		{"held", 4 * free, 0, true, 0},
		{"garbage", 0, 4 * free, true, 1},
		{"neither", 0, 0, false, 1},
	} {
		begun := collections()
		err := admit(2*free, func() int64 {
			if collections() == begun {
				return test.before
			}
			return test.after
		})
		if admitted, collected := err == nil, collections()-begun; admitted != test.admitted || collected != test.collected {
			t.Errorf("%s: %v after %d collections", test.name, err, collected)
		}
	}
}
