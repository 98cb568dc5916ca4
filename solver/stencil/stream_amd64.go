package stencil

import "unsafe"

// stream copies lists of so many bytes, whole lines of the cache, from memory in which they
// lie a stride apart past the cache: what was there is not read first. What it wrote is
// there for others after a fence.
//
//go:noescape
func stream(to *unsafe.Pointer, lists int, from unsafe.Pointer, stride, bytes uintptr)

func fence()
