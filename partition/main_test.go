package partition

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	// Thousands of small graphs are partitioned: at the usual rate a fifth of the time
	// goes into collecting them.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(512 << 20)
	os.Exit(m.Run())
}
