// Package kernel holds the generated collision kernels.
package kernel
