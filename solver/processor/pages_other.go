//go:build !linux

package processor

// adviseHugePages does nothing on this system.
func adviseHugePages[T any]([]T) {}
