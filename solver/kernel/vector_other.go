//go:build !amd64

package kernel

// There is no assembly for this architecture.
func supported() []string { return nil }

var vectors map[vectorKey]Vector
