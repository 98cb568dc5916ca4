//go:build !cuda || !cgo

package driver

// Start finds and starts the driver.
func Start() error { return ErrNoCUDA }

// Count is how many GPUs this machine has.
func Count() int { return 0 }

// Open opens a GPU of this machine.
func Open(int) (Device, error) { return nil, ErrNoCUDA }

// CompilerVersion is that of CUDA's run-time compiler.
func CompilerVersion() (major, minor int, err error) { return 0, 0, ErrNoCUDA }

// Compile compiles CUDA C for an architecture.
func Compile(source, name, architecture string) ([]byte, error) { return nil, ErrNoCUDA }
