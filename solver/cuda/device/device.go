package device

import (
	"unsafe"

	"carina/solver/cuda/driver"
)

// ErrNoCUDA says that this binary was built without the tag cuda.
var ErrNoCUDA = driver.ErrNoCUDA

// Address is a place in device memory.
type Address = driver.Address

// Kernel is a compiled kernel.
type Kernel any

// Queue is one of a device's two: work is done in the order in which it is
// given to a queue.
type Queue int

// The queues. What is given to the one for borders comes first where both have
// work, and calls that name no queue use the main one. Queues is how many there are.
const (
	MainQueue Queue = iota
	BorderQueue
	Queues
)

// Stamp is a point in the work of a queue.
type Stamp any

// Device is what the solver needs of a GPU. Calls other than those that wait return
// before the work is done.
type Device interface {
	// Name is that of the product.
	Name() string
	// Memory returns the free and total memory, in bytes.
	Memory() (free, total int64, err error)
	// Allocate returns memory of so many bytes, which may be none, until Free.
	Allocate(bytes int64) (Address, error)
	// AllocateSplit returns memory of which the first so many bytes, or some more, are the
	// device's and the others the host's, which kernels reach at the speed of the bus.
	AllocateSplit(bytes, onDevice int64) (Address, error)
	// Free gives memory back.
	Free(Address) error
	// Zero clears so many bytes, on the main queue as the two that follow.
	Zero(to Address, bytes int64) error
	// Upload copies from the host. From may be used again at once.
	Upload(to Address, from []byte) error
	// Download copies to the host, and waits for it.
	Download(to []byte, from Address) error
	// Compile returns the kernel of a program. It may wait for the device.
	Compile(s Source) (Kernel, error)
	// Prepare does what of Compile needs no device and takes longest, so that it may be
	// done beside the steps.
	Prepare(s Source) error
	// Launch starts a kernel; where it has no blocks, nothing.
	Launch(q Queue, k Kernel, l Launch) error
	// Follow makes what is given to a queue from now on wait for what has been
	// given to the other one.
	Follow(q, other Queue) error
	// Reach makes the memory of another device accessible to kernels here.
	Reach(other Device) error
	// Sees tells whether kernels here can read the memory of another device: because it is
	// the same GPU, or reached.
	Sees(other Device) bool
	// Export returns a handle by which other processes of this host open
	// memory with Open, until they close it with CloseOpened.
	Export(Address) ([]byte, error)
	// Open opens memory of another process.
	Open(handle []byte) (Address, error)
	// CloseOpened closes it.
	CloseOpened(Address) error
	// Pin returns memory of the host that Fetch and Deliver copy to and from,
	// until Unpin.
	Pin(bytes int64) ([]byte, error)
	// Unpin gives it back.
	Unpin([]byte) error
	// Fetch copies to pinned memory on the queue for borders, without waiting.
	Fetch(to []byte, from Address) error
	// Deliver copies from pinned memory on the queue for borders, without waiting.
	Deliver(to Address, from []byte) error
	// Settle waits for the queue for borders.
	Settle() error
	// Stamp marks the present point of a queue.
	Stamp(q Queue) (Stamp, error)
	// Unstamp gives stamps back that nobody needs any more.
	Unstamp(stamps ...Stamp)
	// Between is the time between two stamps that have passed, in seconds.
	Between(from, to Stamp) (float64, error)
	// Follower returns a follower of the work given so far.
	Follower() (Follower, error)
	// Synchronize waits for all work and reports what failed.
	Synchronize() error
	// Elapsed measures the time on the device that the work given by f takes,
	// in seconds.
	Elapsed(f func() error) (float64, error)
	// Close gives the device back.
	Close() error
}

// Follower copies from a device when the work that it follows is done, while
// the device does what was given later.
type Follower interface {
	// Begin begins a copy to pinned memory.
	Begin(to []byte, from Address) error
	// Wait waits for it.
	Wait() error
	// Close ends the follower.
	Close() error
}

// Launch is the size and the arguments of a kernel call.
type Launch struct {
	// Blocks of so many Threads, each block with so much shared memory.
	Blocks, Threads, SharedBytes int
	// Arguments are values or structures passed by value, in words of 8 bytes.
	Arguments [][]uint64
	// All is all words, where the launch has been prepared: changed, they are those
	// of the next launch.
	All   []uint64
	begin []int32
}

// Prepared is a launch for many times.
func (l Launch) Prepared() Launch {
	l.All, l.begin = l.Flat()
	return l
}

// Words makes an argument of each value.
func Words[T ~uint64 | ~int](values ...T) [][]uint64 {
	list := make([][]uint64, len(values))
	for i, v := range values {
		list[i] = []uint64{uint64(v)}
	}
	return list
}

// Flat returns all words of the arguments and where each argument begins.
func (l *Launch) Flat() (all []uint64, begin []int32) {
	if l.All != nil {
		return l.All, l.begin
	}
	for _, a := range l.Arguments {
		begin = append(begin, int32(len(all)))
		all = append(all, a...)
	}
	return all, begin
}

// Description says what a GPU is.
type Description struct {
	// Number is from 0 on, Name the product's.
	Number int    `json:"number"`
	Name   string `json:"name"`
	// MemoryBytes is its memory, FreeBytes what nobody uses of it.
	MemoryBytes int64 `json:"memory_bytes"`
	FreeBytes   int64 `json:"free_bytes"`
	// Bandwidth is that of a copy on the device, read and written, in bytes
	// per second.
	Bandwidth float64 `json:"bandwidth_bytes_per_s"`
	// Peers are the numbers of the GPUs whose memory it can reach directly,
	// PeerBandwidths those of a copy there, in bytes per second.
	Peers          []int     `json:"peers"`
	PeerBandwidths []float64 `json:"peer_bandwidths_bytes_per_s"`
}

// SizeOf is the size of a list in bytes.
func SizeOf[T any](list []T) int64 {
	var t T
	return int64(len(list)) * int64(unsafe.Sizeof(t))
}

// BytesOf is the memory of a list.
func BytesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), SizeOf(list))
}

// WordsOf copies a structure of whole words.
func WordsOf[T any](list []T) []uint64 {
	words := make([]uint64, SizeOf(list)/8)
	copy(BytesOf(words), BytesOf(list))
	return words
}
