package transport

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

// onAll runs f on every rank of a process and returns their errors.
func onAll(size int, f func(t *Local) error) []error {
	failures := make([]error, size)
	var all sync.WaitGroup
	for i, t := range NewLocal(size) {
		all.Go(func() { failures[i] = f(t) })
	}
	all.Wait()
	return failures
}

func TestExchange(t *testing.T) {
	const size, rounds = 5, 50
	for rank, err := range onAll(size, func(l *Local) error {
		var messages []Message
		for peer := range size {
			if peer != l.Rank() {
				messages = append(messages, Message{peer, make([]byte, 3), make([]byte, 3)})
			}
		}
		for round := range rounds {
			for _, m := range messages {
				m.Send[0], m.Send[1], m.Send[2] = byte(l.Rank()), byte(m.Peer), byte(round)
			}
			if err := l.Exchange(messages); err != nil {
				return err
			}
			for _, m := range messages {
				if m.Receive[0] != byte(m.Peer) || m.Receive[1] != byte(l.Rank()) || m.Receive[2] != byte(round) {
					t.Errorf("round %d: rank %d received %v from %d", round, l.Rank(), m.Receive, m.Peer)
				}
			}
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func TestReduce(t *testing.T) {
	const size = 4
	for rank, err := range onAll(size, func(l *Local) error {
		for round := range int64(100) {
			for _, c := range []struct {
				op   Operation
				want [2]int64
			}{{Sum, [2]int64{6 + size*round, -6}}, {Min, [2]int64{round, -3}}, {Max, [2]int64{3 + round, 0}}} {
				values := []int64{int64(l.Rank()) + round, -int64(l.Rank())}
				if err := l.Reduce(c.op, values); err != nil {
					return err
				}
				if [2]int64(values) != c.want {
					t.Errorf("operation %d gave %v, want %v", c.op, values, c.want)
				}
			}
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// When one rank fails, the others return instead of waiting for ever.
func TestAbort(t *testing.T) {
	cause := errors.New("out of air")
	waits := []func(l *Local) error{
		func(l *Local) error { return l.Reduce(Sum, []int64{1}) },
		func(l *Local) error { return l.Send(0, []byte{1}) },
		func(l *Local) error { return l.Receive(0, []byte{1}) },
		func(l *Local) error { return l.Exchange([]Message{{0, []byte{1}, []byte{1}}}) },
	}
	for rank, err := range onAll(len(waits)+1, func(l *Local) error {
		if l.Rank() == 0 {
			l.Abort(cause)
			return nil
		}
		return waits[l.Rank()-1](l)
	}) {
		if rank > 0 && (!errors.Is(err, ErrAborted) || !errors.Is(err, cause)) {
			t.Errorf("rank %d returned %v, want both %v and %v", rank, err, ErrAborted, cause)
		}
	}
}

func TestLengthsMustAgree(t *testing.T) {
	failures := onAll(2, func(l *Local) error {
		if l.Rank() == 0 {
			return l.Send(1, make([]byte, 4))
		}
		err := l.Receive(0, make([]byte, 1))
		l.Abort(err)
		return err
	})
	if err := failures[1]; err == nil || !strings.Contains(err.Error(), "rank 1 expected 1 byte from rank 0 and got 4") {
		t.Errorf("a message of 4 bytes was received as 1: %v", err)
	}
}
