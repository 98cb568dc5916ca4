package checkpoint

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"carina/solver/transport"
)

// Checkpoints that are due while one is being written are left out, and all ranks learn
// of what one of them wants.
func TestTurns(t *testing.T) {
	const count, ranks = 50_000, 3
	lists := divided(rand.New(rand.NewPCG(9, 10)), count, ranks, 500)
	folder := t.TempDir()
	var written, left [ranks]int
	onRanks(t, ranks, func(tr transport.Transport) error {
		w, err := NewWriter(folder, tr)
		if err != nil {
			return err
		}
		seed := int64(0)
		var outcome error // of what is written, which is held back until a turn is left out
		held := -1
		for turn := 0; written[tr.Rank()] < 4; turn++ {
			if turn == held {
				w.done <- outcome
			}
			news, err := w.Turn(turn%ranks == tr.Rank() && turn%2 == 0)
			if err != nil {
				return err
			}
			if news.Written {
				written[tr.Rank()]++
			}
			if news.LeftOut {
				left[tr.Rank()]++
			}
			if news.Due != (!w.Busy() && turn%2 == 0) {
				return fmt.Errorf("turn %d: due %t", turn, news.Due)
			}
			if news.Due {
				seed++
				w.Begin(stateOf(lists[tr.Rank()], count, seed), nil)
				outcome, held = <-w.done, turn+3
			}
			time.Sleep(time.Millisecond / 10)
		}
		if w.Busy() { // with one that began in the last turn
			w.done <- outcome
		}
		_, err = w.Finish()
		return err
	})
	if written[0] != written[1] || written[0] != written[2] || left[0] != left[1] || left[0] != left[2] || left[0] < 4 {
		t.Errorf("written %v, left out %v", written, left)
	}
}

// A clock counts steps by their multiples, and time from the last checkpoint on.
func TestClock(t *testing.T) {
	c := Clock{Steps: 120}
	c.Start(0)
	var at []int64
	for steps := int64(50); steps <= 500; steps += 50 {
		if c.Due(steps) {
			at = append(at, steps)
		}
	}
	if fmt.Sprint(at) != "[150 250 400 500]" {
		t.Errorf("due at %v", at)
	}
	c = Clock{Interval: time.Hour}
	c.Start(0)
	if c.Due(100) {
		t.Error("due at once")
	}
	if c.begun = c.begun.Add(-time.Hour); !c.Due(150) || c.Due(200) {
		t.Error("not due once after an hour")
	}
}
