package stencil

// fence lets others see what went past the cache.
func fence()
