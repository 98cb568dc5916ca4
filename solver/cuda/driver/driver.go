package driver

import (
	"errors"
	"fmt"
)

// ErrNoCUDA says that this binary was built without the tag cuda.
var ErrNoCUDA = errors.New("this binary has no GPU code; build it with make gpu, or compute on the processor")

// Address is a place in device memory.
type Address uint64

// Kernel is a function that a device can run.
type Kernel uintptr

// Device is a GPU, opened.
type Device interface {
	// Name is that of the product, Architecture what programs are compiled
	// for, such as sm_90.
	Name() string
	Architecture() string
	// Memory returns the free and total memory, in bytes.
	Memory() (free, total int64, err error)
	Allocate(bytes int64) (Address, error)
	// AllocateSplit returns memory of which the first so many bytes, or some more, are the
	// device's and the others the host's, which the device reaches.
	AllocateSplit(bytes, onDevice int64) (Address, error)
	// Free gives memory back.
	Free(Address) error
	// Pin returns memory of the host that streams copy to and from while the
	// caller goes on.
	Pin(bytes int64) ([]byte, error)
	Unpin([]byte) error
	// Reach makes the memory of another device accessible to kernels here,
	// CanReach tells whether that is possible.
	Reach(other Device) error
	CanReach(other Device) bool
	// Export returns a handle by which other processes of this host open
	// memory, until they close it with CloseOpened.
	Export(Address) ([]byte, error)
	OpenExported(handle []byte) (Address, error)
	CloseOpened(Address) error
	// Load returns a kernel of a compiled program.
	Load(image []byte, name string) (Kernel, error)
	// NewStream returns a stream; the work of urgent ones comes first.
	NewStream(urgent bool) (Stream, error)
	// NewEvent returns an event, timed if time is measured with it.
	NewEvent(timed bool) (Event, error)
	// Close gives the device back. Streams and events are closed before.
	Close() error
}

// Stream is work for a device, done in the order in which it is given. Methods
// other than Wait and Close only give work, and allocate nothing.
type Stream interface {
	Zero(to Address, bytes int64) error
	Upload(to Address, from []byte) error
	Download(to []byte, from Address) error
	Copy(to, from Address, bytes int64) error
	Launch(Kernel, Launch) error
	// Record gives an event the present point of the stream, Follow makes what
	// is given from now on wait for the point that an event was given.
	Record(Event) error
	Follow(Event) error
	// Wait waits for all work and reports what failed.
	Wait() error
	Close() error
}

// Event is a point in the work of a stream.
type Event interface {
	// Since is the time from an earlier event to this one, in seconds. It
	// waits for this one.
	Since(earlier Event) (float64, error)
	Close() error
}

// Launch is the size and the arguments of a kernel call: Blocks of Threads with
// SharedBytes of memory each. Words are all arguments, values or structures,
// each padded to words of 8 bytes; Begin tells where each begins, 32 at most.
type Launch struct {
	Blocks, Threads, SharedBytes int
	Words                        []uint64
	Begin                        []int32
}

// Error is a failure that the driver reports.
type Error struct {
	// Doing is what was tried.
	Doing string
	// Code, Name and Text are the driver's: 2, CUDA_ERROR_OUT_OF_MEMORY, out
	// of memory.
	Code       int
	Name, Text string
}

func (e *Error) Error() string {
	const outOfMemory = 2
	if e.Code == outOfMemory {
		return fmt.Sprintf("%s: the GPU's memory is full (%s); use 16-bit storage, more GPUs or a coarser spacing", e.Doing, e.Name)
	}
	return fmt.Sprintf("%s: %s (%s, CUDA error %d)", e.Doing, e.Text, e.Name, e.Code)
}
