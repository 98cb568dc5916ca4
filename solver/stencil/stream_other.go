//go:build !amd64

package stencil

import "unsafe"

// stream is there where there are machines with vectors alone.
func stream(to *unsafe.Pointer, lists int, from unsafe.Pointer, stride, bytes uintptr) {}

func fence() {}
