package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"carina/solver/cuda/device"
	"carina/solver/transport"
)

// Exchange is how ranks on GPUs give each other what crosses their border.
type Exchange string

// The ways to exchange. IPC is directly from GPU to GPU, by writing to the
// other's memory; Host is through messages of the host. Without a choice each
// pair of ranks takes the first that works.
const (
	IPC  Exchange = "ipc"
	Host Exchange = "host"
)

// Offer is what a rank tells another one of memory that it may write to.
type Offer struct {
	// Host is where it runs, Process in which process there, where its device has
	// the number Device.
	Host    string
	Process int
	Device  int64
	// Memory is where the memory begins in that process; Handle opens it in other
	// processes of the host, and is empty where that does not work.
	Memory uint64
	Handle []byte
}

// opened are the devices of this process's ranks by number.
var opened struct {
	next    atomic.Int64
	devices sync.Map
}

// Register returns the number by which other ranks of this process find a device, until
// Forget.
func Register(d device.Device) (number int64) {
	number = opened.next.Add(1)
	opened.devices.Store(number, d)
	return number
}

// Forget ends Register.
func Forget(number int64) { opened.devices.Delete(number) }

// NewOffer offers memory of a registered device, which begins an allocation.
func NewOffer(d device.Device, number int64, memory device.Address) Offer {
	handle, err := d.Export(memory)
	if err != nil {
		handle = nil // others find another way, or none
	}
	return Offer{Host: hostName(), Process: os.Getpid(), Device: number, Memory: uint64(memory), Handle: handle}
}

// hostName tells hosts apart.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return name
	}
	return name + " " + string(boot)
}

// Reach returns where the offered memory lies for kernels of a device. One that was
// opened, as that of another process, is to be closed with the device's CloseOpened.
func (o *Offer) Reach(d device.Device) (memory device.Address, isOpened bool, err error) {
	if o.Host != hostName() {
		return 0, false, errors.New("it is on another host")
	}
	if o.Process == os.Getpid() {
		other, ok := opened.devices.Load(o.Device)
		if !ok {
			return 0, false, errors.New("it has been closed")
		}
		return device.Address(o.Memory), false, d.Reach(other.(device.Device))
	}
	if len(o.Handle) == 0 {
		return 0, false, errors.New("its GPU shares no memory with other processes")
	}
	memory, err = d.Open(o.Handle)
	return memory, err == nil, err
}

// Swap gives each of some ranks a message and returns theirs, in the order of the ranks,
// which do the same.
func Swap(t transport.Transport, ranks []int, mine [][]byte) ([][]byte, error) {
	const lengthBytes = 8
	lengths, messages := make([]transport.Message, len(ranks)), make([]transport.Message, len(ranks))
	for i, rank := range ranks {
		lengths[i] = transport.Message{Peer: rank, Send: binary.NativeEndian.AppendUint64(nil, uint64(len(mine[i]))), Receive: make([]byte, lengthBytes)}
	}
	if err := t.Exchange(lengths); err != nil {
		return nil, err
	}
	theirs := make([][]byte, len(ranks))
	for i, rank := range ranks {
		theirs[i] = make([]byte, binary.NativeEndian.Uint64(lengths[i].Receive))
		messages[i] = transport.Message{Peer: rank, Send: mine[i], Receive: theirs[i]}
	}
	return theirs, t.Exchange(messages)
}

// TellReached tells some ranks which of them this one reaches, and leaves in the list
// those that reach it, too.
func TellReached(t transport.Transport, ranks []int, reached []bool) error {
	mine := make([][]byte, len(ranks))
	for i := range ranks {
		mine[i] = []byte{0}
		if reached[i] {
			mine[i][0] = 1
		}
	}
	theirs, err := Swap(t, ranks, mine)
	if err != nil {
		return fmt.Errorf("telling the other ranks which are reached: %w", err)
	}
	for i := range ranks {
		reached[i] = reached[i] && theirs[i][0] == 1
	}
	return nil
}

// HandshakeFlagBytes is the size of a flag of the handshake.
const HandshakeFlagBytes = 4

//go:embed kernels/handshake.cu
var handshakeText string

// HandshakeSource is the kernel by which ranks that reach each other wait for each
// other.
func HandshakeSource() device.Source { return device.Source{Name: "handshake", Body: handshakeText} }
