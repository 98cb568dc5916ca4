package transport

import "errors"

// Transport connects the ranks of one run. A value belongs to one rank; its
// methods are called by one goroutine at a time, and every rank makes the
// same sequence of calls.
type Transport interface {
	// Rank is the number of this rank, from 0.
	Rank() int
	// Size is the number of ranks.
	Size() int
	// Exchange sends and receives all messages of one phase and returns when
	// every Receive is filled and every Send may be reused. Both sides must
	// agree on the lengths; what is empty is not sent. It does not allocate.
	Exchange(messages []Message) error
	// Reduce replaces values by their element-wise combination over all
	// ranks, the same on every rank. Integers, so that the result does not
	// depend on the order.
	Reduce(op Operation, values []int64) error
	// Send and Receive move one message of known length.
	Send(peer int, data []byte) error
	Receive(peer int, data []byte) error
	// Abort makes waiting calls of all ranks return an error that wraps
	// ErrAborted. Under MPI it ends all processes.
	Abort(cause error)
}

// Message is what one rank exchanges with another in one phase.
type Message struct {
	Peer          int
	Send, Receive []byte
}

// Operation is how Reduce combines values.
type Operation int

// The operations of Reduce.
const (
	Sum Operation = iota
	Min
	Max
)

// ErrAborted is wrapped by the errors of calls that another rank's failure
// has ended.
var ErrAborted = errors.New("another rank stopped")

// ErrNoMPI is returned by ConnectMPI in a binary built without MPI.
var ErrNoMPI = errors.New("this binary was built without MPI; build it with -tags mpi")
