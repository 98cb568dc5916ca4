//go:build !cuda

package main

// withCUDA tells whether this binary was built with the tag cuda.
const withCUDA = false
