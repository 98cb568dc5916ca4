//go:build !linux

package solver

// adviseHugePages does nothing on this system.
func adviseHugePages[T any]([]T) {}
