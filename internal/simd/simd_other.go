//go:build !amd64

package simd

// supported is empty: there is no assembly for this processor.
func supported() []string { return nil }
