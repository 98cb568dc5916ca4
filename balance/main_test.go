package balance_test

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	// Thousands of small partitions are made: at the usual rate a tenth of the time goes
	// into collecting them.
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
