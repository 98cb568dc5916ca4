// Package enginetest tests a physics on the engine: that it gives the same bits
// however cells are shared among ranks, saved, loaded and moved; and measures one.
package enginetest
