package gpu

import (
	"errors"
	"fmt"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiles"
	"carina/solver/transport"
)

// Storage names how populations are stored.
type Storage string

// The storages.
const (
	Single Storage = "single" // 32 bits, or 64 in double precision
	Half   Storage = "half"   // 16 bits, scaled by 2¹⁵
)

// Options choose devices and storage.
type Options struct {
	// Devices are the numbers of the GPUs of this process's ranks. If empty, ranks of
	// one process take as many from the first on, and processes those of their host
	// in turn.
	Devices []int
	// Storage is single if empty.
	Storage Storage
	// Exchange is how ranks exchange their borders; chosen for each pair if
	// empty.
	Exchange cuda.Exchange
	// Memory is how much a rank may take of its device, in bytes; 0 is all that is free.
	Memory int64
	// HostMemory lets the populations that the device's memory does not hold lie in the
	// host's, which the device reaches at the speed of the bus. Such a rank exchanges by
	// messages.
	HostMemory bool
}

// Backend computes on GPUs, one a rank.
func Backend(o Options) airflow.Backend { return BackendOn(o.openFor, o) }

// BackendOn computes on devices that the caller opens, one for each rank.
func BackendOn(open func(t transport.Transport) (device.Device, error), o Options) airflow.Backend {
	return &backend{o, open}
}

// backend opens a device for every rank.
type backend struct {
	options Options
	open    func(t transport.Transport) (device.Device, error)
}

// Settle checks what is asked for. 16-bit storage is a precision.
func (b *backend) Settle(s *airflow.Settings) error {
	switch o := b.options; {
	case o.Storage != "" && o.Storage != Single && o.Storage != Half:
		return fmt.Errorf("there is no storage %q; choose %s or %s, or leave it out", o.Storage, Single, Half)
	case s.Precision == airflow.Double && o.Storage == Half:
		return errors.New("16-bit storage is computed with in single precision; choose one of double precision and 16-bit storage")
	case o.Exchange != "" && o.Exchange != cuda.IPC && o.Exchange != cuda.Host:
		return fmt.Errorf("there is no exchange %q; choose %s or %s, or leave it out", o.Exchange, cuda.IPC, cuda.Host)
	case o.HostMemory && o.Exchange == cuda.IPC:
		return errors.New("ranks with cells in the host's memory exchange by messages; leave the exchange out, or choose host")
	case s.Layout == airflow.Dense:
		return fmt.Errorf("the %s layout is not computed on a GPU; leave it out, or compute on the processor", airflow.Dense)
	case o.Storage == Half:
		s.Precision = airflow.Half
	}
	return nil
}

// Open opens the device of a rank.
func (b *backend) Open(t transport.Transport) (solver.Device, error) {
	d, err := b.open(t)
	if err != nil {
		return nil, err
	}
	exchange := b.options.Exchange
	if b.options.HostMemory {
		exchange = cuda.Host
	}
	own := tiles.NewDevice(d, t, exchange)
	own.Limit(b.options.Memory)
	return own, nil
}

// Physics is the flow on tiles.
func (b *backend) Physics(f *airflow.Flow) solver.Physics {
	return physics{f.Physics(), f, b.options}
}

// openFor opens the GPU of a rank.
func (o Options) openFor(t transport.Transport) (device.Device, error) {
	return cuda.Choose(t, o.Devices)
}
