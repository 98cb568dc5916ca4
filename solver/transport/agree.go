package transport

import "fmt"

// AgreedError is an error that all ranks have got together, so that none needs
// to be woken by Abort.
type AgreedError struct{ Cause error }

// Error is the cause's text.
func (e AgreedError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e AgreedError) Unwrap() error { return e.Cause }

// Agree returns an error on all ranks if one of them has failed: that of the
// lowest which has, with its number on the others. All ranks call it together.
// Without a transport there is only one rank.
func Agree(t Transport, failed error) error {
	if t == nil {
		return failed
	}
	first := []int64{int64(t.Size())}
	if failed != nil {
		first[0] = int64(t.Rank())
	}
	if err := t.Reduce(Min, first); err != nil {
		return err
	}
	lowest := int(first[0])
	if lowest == t.Size() {
		return nil
	}
	if lowest == t.Rank() {
		return AgreedError{tellAll(t, failed)}
	}
	text, err := hear(t, lowest)
	if err != nil {
		return err
	}
	return AgreedError{fmt.Errorf("rank %d: %s", lowest, text)}
}

// tellAll tells all other ranks why this one has failed.
func tellAll(t Transport, failed error) error {
	text := []byte(failed.Error())
	if err := t.Reduce(Max, []int64{int64(len(text))}); err != nil {
		return err
	}
	for rank := range t.Size() {
		if rank == t.Rank() {
			continue
		}
		if err := t.Send(rank, text); err != nil {
			return err
		}
	}
	return failed
}

// hear returns what a rank tells by tellAll.
func hear(t Transport, from int) ([]byte, error) {
	length := []int64{0}
	if err := t.Reduce(Max, length); err != nil {
		return nil, err
	}
	text := make([]byte, length[0])
	return text, t.Receive(from, text)
}
