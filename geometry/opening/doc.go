// Package opening finds the ends of tubes in a closed mesh: open ends that were
// capped, solids that the file names, and flat ends found by their shape.
//
// A flat end is grown from its core, a piece in one plane (cores.go, planes.go),
// to the rim around it, and must look like the end of a tube: a wall all around
// that goes back, and lumen behind (tube.go). Ends that touch are parted
// (seams.go), worn ones are searched for at the tips of branches (ragged.go), ends
// under noise and waves in a denoised copy of the surface and those with steps of
// voxels in a smoothed one (denoised.go), the line around each is drawn anew
// (outline.go), and flat sides of bodies are dropped (bodies.go). Beside these signs
// the sections behind each flat piece (clusters.go, profile.go) tell ends cut aslant
// and drop domes and flat spots (pieces.go). Evidence says how sure each end is.
//
// Numbers, names and roles of openings are package geometry's, as are openings
// placed by hand; this package only takes their caps for given.
//
// Begin with Finder.Ends in ends.go and find in finder.go.
package opening
