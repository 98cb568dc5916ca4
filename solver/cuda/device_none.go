//go:build !cuda

package cuda

func openDevice(int) (device, error) { return nil, ErrNoCUDA }

func deviceCount() int { return 0 }

// Devices lists the GPUs of this machine.
func Devices() ([]Description, error) { return nil, ErrNoCUDA }
