//go:build !linux || !cgo

package main

// limitsAddressSpace tells that a limit is looked at before Go begins.
const limitsAddressSpace = false
