// Package gas computes flows of a thermal gas in a box, from a scene to tables and pictures:
// gas heated from below, dense gas above thin gas, a shock tube, and a wave that fades. Ranks
// share the box in stripes or tiles; the result is the same, bit for bit.
//
// Begin reading with case.go, what can be asked for; scene.go has the scenes, flow.go the
// steps, and output.go what is written.
package gas
