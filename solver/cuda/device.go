package cuda

import "carina/solver/cuda/driver"

// ErrNoCUDA says that this binary was built without the tag cuda.
var ErrNoCUDA = driver.ErrNoCUDA

// address is a place in device memory.
type address = driver.Address

// kernel is a compiled kernel.
type kernel any

// queue is one of a device's two: work is done in the order in which it is
// given to a queue.
type queue int

// The queues. What is given to the one for borders comes first where both have
// work, and calls that name no queue use the main one.
const (
	mainQueue queue = iota
	borderQueue
	queues
)

// stamp is a point in the work of a queue.
type stamp any

// device is what the solver needs of a GPU.
type device interface {
	// name is that of the product.
	name() string
	// memory returns the free and total memory, in bytes.
	memory() (free, total int64, err error)
	allocate(bytes int64) (address, error)
	free(address) error
	zero(to address, bytes int64) error
	upload(to address, from []byte) error
	download(to []byte, from address) error
	// compile returns the kernel of the given name in a program.
	compile(p program) (kernel, error)
	launch(q queue, k kernel, l launch) error
	// follow makes what is given to a queue from now on wait for what has been
	// given to the other one.
	follow(q, other queue) error
	// reach makes the memory of another device accessible to kernels here.
	reach(other device) error
	// export returns a handle by which other processes of this host open
	// memory with open, until they close it with closeOpened.
	export(address) ([]byte, error)
	open(handle []byte) (address, error)
	closeOpened(address) error
	// pin returns memory of the host that fetch and deliver copy to and from,
	// on the queue for borders, without waiting.
	pin(bytes int64) ([]byte, error)
	unpin([]byte) error
	fetch(to []byte, from address) error
	deliver(to address, from []byte) error
	// settle waits for the queue for borders.
	settle() error
	// stamp marks the present point of a queue, between is the time between
	// two such points that have passed, in seconds.
	stamp(q queue) (stamp, error)
	between(from, to stamp) (float64, error)
	// follower returns a follower of the work given so far.
	follower() (follower, error)
	// synchronize waits for all work and reports what failed.
	synchronize() error
	// elapsed measures the time on the device that the work given by f takes,
	// in seconds.
	elapsed(f func() error) (float64, error)
	close() error
}

// follower copies from a device when the work that it follows is done, while
// the device does what was given later.
type follower interface {
	// begin begins a copy to pinned memory, wait waits for it.
	begin(to []byte, from address) error
	wait() error
	close() error
}

// launch is the size and the arguments of a kernel call. Each argument is a
// value or a structure passed by value, in words of 8 bytes.
type launch struct {
	blocks, threads, sharedBytes int
	arguments                    [][]uint64
	// all and begin are what flat returns, where it has been prepared.
	all   []uint64
	begin []int32
}

// prepared is a launch for many times.
func (l launch) prepared() launch {
	l.all, l.begin = l.flat()
	return l
}

// words makes an argument of each value.
func words[T ~uint64 | ~int](values ...T) [][]uint64 {
	list := make([][]uint64, len(values))
	for i, v := range values {
		list[i] = []uint64{uint64(v)}
	}
	return list
}

// flat returns all words of the arguments and where each argument begins.
func (l *launch) flat() (all []uint64, begin []int32) {
	if l.all != nil {
		return l.all, l.begin
	}
	for _, a := range l.arguments {
		begin = append(begin, int32(len(all)))
		all = append(all, a...)
	}
	return all, begin
}

// Description says what a GPU is.
type Description struct {
	Number      int    `json:"number"`
	Name        string `json:"name"`
	MemoryBytes int64  `json:"memory_bytes"`
	FreeBytes   int64  `json:"free_bytes"`
	// Bandwidth is that of a copy on the device, read and written, in bytes
	// per second.
	Bandwidth float64 `json:"bandwidth_bytes_per_s"`
	// Peers are the numbers of the GPUs whose memory it can reach directly,
	// PeerBandwidths those of a copy there, in bytes per second.
	Peers          []int     `json:"peers"`
	PeerBandwidths []float64 `json:"peer_bandwidths_bytes_per_s"`
}
