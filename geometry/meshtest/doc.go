// Package meshtest makes meshes for tests, whose volume, sides and ends are known,
// and takes the time that a test's work needs. Whole airways are made by
// package generate.
//
// Begin with Tube in shapes.go.
package meshtest
