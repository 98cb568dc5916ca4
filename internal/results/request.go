package results

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"carina/internal/crash"
)

// Requests counts how often somebody has asked this process for a checkpoint, by the
// signal that launchers pass on.
func Requests() (count func() int64, end func()) {
	var asked atomic.Int64
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		defer crash.Guard()
		for {
			select {
			case <-signals:
				asked.Add(1)
			case <-done:
				return
			}
		}
	}()
	return asked.Load, func() {
		signal.Stop(signals)
		close(done)
	}
}
