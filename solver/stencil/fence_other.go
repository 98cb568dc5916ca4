//go:build !amd64

package stencil

// fence is for what goes past the cache, which nothing does here.
func fence() {}
