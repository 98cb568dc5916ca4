package transport

import (
	"encoding/json"
	"fmt"
)

// AgreedError is an error that all ranks have got together, so that none needs
// to be woken by Abort.
type AgreedError struct{ Cause error }

// Error is the cause's text.
func (e AgreedError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e AgreedError) Unwrap() error { return e.Cause }

// Agree returns an error on all ranks if one of them has failed: that of the
// lowest which has, with its number on those that have not failed in the same way. All
// ranks call it together. Without a transport there is only one rank.
func Agree(t Transport, failed error) error {
	if t == nil {
		return failed
	}
	lowest, text, err := lowestFailure(t, failed)
	switch {
	case err != nil:
		return err
	case lowest == t.Size():
		return nil
	case lowest == t.Rank() || failed != nil && failed.Error() == text:
		return AgreedError{failed}
	}
	return AgreedError{fmt.Errorf("rank %d: %s", lowest, text)}
}

// Item is something that all ranks must have in common.
type Item struct{ Name, Value string }

// Same returns an error on all ranks unless all have the same items: it says
// what differs first, by name, and between which ranks. All ranks call it
// together.
func Same(t Transport, items []Item) error {
	if t == nil {
		return nil
	}
	encoded, err := json.Marshal(items)
	if err != nil {
		return err
	}
	told, err := Broadcast(t, 0, encoded)
	if err != nil {
		return err
	}
	var first []Item
	if err = json.Unmarshal(told, &first); err == nil {
		err = difference(t.Rank(), first, items)
	}
	lowest, text, failure := lowestFailure(t, err)
	if failure != nil {
		return failure
	}
	if lowest == t.Size() {
		return nil
	}
	return AgreedError{fmt.Errorf("%s", text)}
}

// difference is an error that names the first item of rank 0 or else of this
// rank that the other does not have, or has with another value.
func difference(rank int, first, own []Item) error {
	value := func(items []Item, name string) string {
		for _, item := range items {
			if item.Name == name {
				return item.Value
			}
		}
		return "none"
	}
	for _, items := range [][]Item{first, own} {
		for _, item := range items {
			if theirs, ours := value(first, item.Name), value(own, item.Name); theirs != ours {
				return fmt.Errorf("ranks 0 and %d differ in the %s (%s and %s): start all with the same program, options and files", rank, item.Name, theirs, ours)
			}
		}
	}
	return nil
}

// lowestFailure tells all ranks which is the lowest that has failed, and why;
// the number of ranks where none has.
func lowestFailure(t Transport, failed error) (lowest int, text string, err error) {
	first := []int64{int64(t.Size())}
	if failed != nil {
		first[0] = int64(t.Rank())
	}
	if err := t.Reduce(Min, first); err != nil {
		return 0, "", err
	}
	if lowest = int(first[0]); lowest == t.Size() {
		return lowest, "", nil
	}
	var own []byte
	if lowest == t.Rank() {
		own = []byte(failed.Error())
	}
	told, err := Broadcast(t, lowest, own)
	return lowest, string(told), err
}

// Broadcast gives all ranks what one of them has. All ranks call it together.
func Broadcast(t Transport, from int, data []byte) ([]byte, error) {
	length := []int64{0}
	if t.Rank() == from {
		length[0] = int64(len(data))
	}
	if err := t.Reduce(Max, length); err != nil || length[0] == 0 {
		return nil, err
	}
	size := t.Size()
	place := (t.Rank() - from + size) % size
	if place > 0 {
		data = make([]byte, length[0])
	}
	// A tree, whose ranks send to those that differ in a lower digit than their own.
	digit := 1
	for digit < size && place&digit == 0 {
		digit *= 2
	}
	if place > 0 {
		if err := t.Receive((place-digit+from)%size, data); err != nil {
			return nil, err
		}
	}
	for digit /= 2; digit > 0; digit /= 2 {
		if to := place + digit; to < size {
			if err := t.Send((to+from)%size, data); err != nil {
				return nil, err
			}
		}
	}
	return data, nil
}
