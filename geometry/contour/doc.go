// Package contour makes the smooth surface of what a segmented image says is inside.
//
// Where two neighbouring voxels differ, the surface crosses the line between their
// centres: marching cubes finds it slice by slice, so that the image is never held as a
// whole. Its steps are then smoothed within what the image leaves open, half a voxel to
// either side, without shrinking what is thin.
//
// Begin with Of in marching.go.
package contour
