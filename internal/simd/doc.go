// Package simd says with which instruction sets this process computes.
package simd
