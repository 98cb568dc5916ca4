// Package kernel holds the generated kernels of package scheme, which stencil.NewStencil
// takes.
package kernel

//go:generate go run ./generate
