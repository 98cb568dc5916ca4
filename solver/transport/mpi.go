//go:build mpi

package transport

import (
	"fmt"
	"os"
	"slices"

	"carina/internal/crash"
	"carina/internal/terminal"

	"github.com/emer/empi/mpi"
)

// MPI reports whether this binary was built with MPI.
const MPI = true

// tag marks the messages of this package. One tag suffices: MPI keeps the
// order of messages between two ranks, and both sides exchange in the same
// order of phases.
const tag = 19

// longest is how many bytes or reduced numbers are given to MPI at once, whose counts
// have 31 bits: both sides know the length of a message, and cut it alike.
var longest = 1 << 30

// pieces calls f for parts of a message of at most so many bytes, in order.
func pieces(message []byte, longest int, f func(piece []byte) error) error {
	for piece := range slices.Chunk(message, longest) {
		if err := f(piece); err != nil {
			return err
		}
	}
	return nil
}

// world connects MPI processes. Sends run on one goroutine per peer, so that
// they overlap with receives; empi has blocking calls only.
type world struct {
	comm       *mpi.Comm
	rank, size int
	senders    map[int]*sender
	scratch    []int64
}

type sender struct {
	data chan []byte
	done chan error
}

var _ Transport = (*world)(nil)

// ConnectMPI connects the processes that mpirun started, and refuses to where
// MPI finds another number of them than were started. Call finish at the end of
// the program.
func ConnectMPI() (t Transport, finish func(), err error) {
	mpi.LogErrors = false
	if err := mpi.InitThreadSafe(); err != nil {
		return nil, nil, fmt.Errorf("starting MPI: %w; the MPI library must support MPI_THREAD_MULTIPLE", err)
	}
	comm, err := mpi.NewComm(nil)
	if err != nil {
		return nil, nil, fmt.Errorf("starting MPI: %w", err)
	}
	if l, launched := Launched(); launched {
		if err := l.fits(comm.Size()); err != nil {
			mpi.Finalize()
			return nil, nil, err
		}
	}
	w := &world{comm: comm, rank: comm.Rank(), size: comm.Size(), senders: map[int]*sender{}}
	return w, func() {
		for _, s := range w.senders {
			close(s.data)
		}
		mpi.Finalize()
	}, nil
}

// Rank is the number of this process.
func (w *world) Rank() int { return w.rank }

// Size is the number of processes.
func (w *world) Size() int { return w.size }

// Abort reports the cause and ends all processes: mpirun ends the others when
// one leaves without finalizing. empi's own Abort would let the job end with
// status 0.
func (w *world) Abort(cause error) {
	fmt.Fprintln(os.Stderr, terminal.Clean(fmt.Sprintf("carina: rank %d: %v", w.rank, cause)))
	crash.Exit(1)
}

// sender returns the goroutine that sends to peer, started on first use.
func (w *world) sender(peer int) *sender {
	s := w.senders[peer]
	if s == nil {
		s = &sender{make(chan []byte, 1), make(chan error, 1)}
		w.senders[peer] = s
		go func() {
			defer crash.Guard()
			for data := range s.data {
				s.done <- w.Send(peer, data)
			}
		}()
	}
	return s
}

// Exchange sends and receives all messages.
func (w *world) Exchange(messages []Message) error {
	for i := range messages {
		if len(messages[i].Send) > 0 {
			w.sender(messages[i].Peer).data <- messages[i].Send
		}
	}
	var first error
	for i := range messages {
		if len(messages[i].Receive) == 0 {
			continue
		}
		if err := w.Receive(messages[i].Peer, messages[i].Receive); err != nil && first == nil {
			first = fmt.Errorf("rank %d receiving from rank %d: %w", w.rank, messages[i].Peer, err)
		}
	}
	for i := range messages {
		if len(messages[i].Send) == 0 {
			continue
		}
		if err := <-w.sender(messages[i].Peer).done; err != nil && first == nil {
			first = fmt.Errorf("rank %d sending to rank %d: %w", w.rank, messages[i].Peer, err)
		}
	}
	return first
}

// Send sends one message.
func (w *world) Send(peer int, data []byte) error {
	return pieces(data, longest, func(piece []byte) error { return w.comm.SendU8(peer, tag, piece) })
}

// Receive receives one message.
func (w *world) Receive(peer int, data []byte) error {
	return pieces(data, longest, func(piece []byte) error { return w.comm.RecvU8(peer, tag, piece) })
}

// operations are those of MPI, numberBytes the size of what is reduced.
var operations = map[Operation]mpi.Op{Sum: mpi.OpSum, Min: mpi.OpMin, Max: mpi.OpMax}

const numberBytes = 8

// Reduce combines values over all processes.
func (w *world) Reduce(op Operation, values []int64) error {
	operation := operations[op]
	for len(values) > 0 {
		piece := values[:min(len(values), max(1, longest/numberBytes))]
		w.scratch = append(w.scratch[:0], piece...)
		if err := w.comm.AllReduceI64(operation, piece, w.scratch); err != nil {
			return fmt.Errorf("rank %d reducing: %w", w.rank, err)
		}
		values = values[len(piece):]
	}
	return nil
}
