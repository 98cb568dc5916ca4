package transport

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// hugeVariable tells processes of a test to exchange messages that MPI cannot count.
const hugeVariable = "CARINA_TEST_HUGE"

// wordsFor are those that a rank tells another in a round, often none: both know.
func wordsFor(from, to int, round uint64) []int64 {
	random := rand.New(rand.NewPCG(round, uint64(from)<<32|uint64(to)))
	if random.IntN(3) > 0 {
		return nil
	}
	words := make([]int64, random.IntN(20))
	for i := range words {
		words[i] = random.Int64()
	}
	return words
}

// tellAtRandom tells other ranks words and checks what comes.
func tellAtRandom(t Transport, rounds uint64) error {
	for round := range rounds {
		outgoing := map[int][]int64{}
		want := map[int][]int64{}
		for peer := range t.Size() {
			outgoing[peer] = wordsFor(t.Rank(), peer, round)
			if words := wordsFor(peer, t.Rank(), round); len(words) > 0 {
				want[peer] = words
			}
		}
		got, err := Tell(t, outgoing)
		if err != nil {
			return err
		}
		if len(got) != len(want) {
			return fmt.Errorf("rank %d of %d is told by %d, want %d", t.Rank(), t.Size(), len(got), len(want))
		}
		for peer, words := range want {
			if !slices.Equal(got[peer], words) {
				return fmt.Errorf("rank %d of %d is told %v by %d, want %v", t.Rank(), t.Size(), got[peer], peer, words)
			}
		}
	}
	return nil
}

// broadcastAll lets every rank tell all others something, and nothing.
func broadcastAll(t Transport) error {
	for from := range t.Size() {
		for _, text := range []string{"", fmt.Sprint("said by ", from)} {
			var own []byte
			if t.Rank() == from {
				own = []byte(text)
			}
			got, err := Broadcast(t, from, own)
			if err != nil || string(got) != text {
				return fmt.Errorf("rank %d of %d hears %q of %d, want %q: %v", t.Rank(), t.Size(), got, from, text, err)
			}
		}
	}
	return nil
}

// exchangeLengths exchanges messages of all lengths up to some, none among them.
func exchangeLengths(t Transport) error {
	content := func(from, to, length int) []byte {
		return bytes.Repeat([]byte{byte(1 + from), byte(3 * to)}, length)[:length]
	}
	for length := range 40 {
		var messages []Message
		for peer := range t.Size() {
			if peer != t.Rank() {
				messages = append(messages, Message{peer, content(t.Rank(), peer, length+t.Rank()), make([]byte, length+peer)})
			}
		}
		if err := t.Exchange(messages); err != nil {
			return err
		}
		for _, m := range messages {
			if !bytes.Equal(m.Receive, content(m.Peer, t.Rank(), length+m.Peer)) {
				return fmt.Errorf("rank %d got %v from %d", t.Rank(), m.Receive, m.Peer)
			}
		}
	}
	return nil
}

// reduceLengths sums up all numbers of values up to some.
func reduceLengths(t Transport) error {
	for length := range 30 {
		values, want := make([]int64, length), make([]int64, length)
		for i := range values {
			values[i] = int64(i + t.Rank())
			want[i] = int64(t.Size()*i + t.Size()*(t.Size()-1)/2)
		}
		if err := t.Reduce(Sum, values); err != nil {
			return err
		}
		if !slices.Equal(values, want) {
			return fmt.Errorf("the sums are %v, want %v", values, want)
		}
	}
	return nil
}

// What ranks tell each other arrives whatever their number, also from one to itself.
func TestTell(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 23, 100} {
		if err := errors.Join(onAll(size, func(l *Local) error {
			return errors.Join(tellAtRandom(l, 5), broadcastAll(l), exchangeLengths(l), reduceLengths(l))
		})...); err != nil {
			t.Error(err)
		}
	}
}

// Ranks find those that say the same, whatever the others say.
func TestAlike(t *testing.T) {
	for size := 2; size < 200; size = 2*size - 1 {
		for kinds := 1; kinds < 5; kinds++ {
			of := func(rank int) string { return strings.Repeat("GPU", rank*rank/3%kinds) }
			if err := errors.Join(onAll(size, func(l *Local) error {
				alike, all, err := Alike(l, of(l.Rank()))
				if err != nil {
					return err
				}
				several := false
				for rank := range size {
					same := of(rank) == of(l.Rank())
					if several = several || of(rank) != of(0); alike != nil && alike(rank) != same || alike == nil && !same {
						return fmt.Errorf("rank %d of %d is not told that %d is of its kind: %t", l.Rank(), size, rank, same)
					}
				}
				if all == several || all != (alike == nil) {
					return fmt.Errorf("rank %d of %d is told that all are alike: %t", l.Rank(), size, all)
				}
				return nil
			})...); err != nil {
				t.Fatal(err)
			}
		}
	}
}
