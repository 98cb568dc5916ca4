// Package mesh is a triangle mesh and what it is asked for: which triangles
// share an edge, what a ray hits, how a plane cuts it, where its boundary runs,
// how far it is along its edges, and whether a point lies inside.
//
// A Mesh knows no units, files, openings or fluids. What makes a mesh whole
// lives in package mend, what finds the ends of tubes in package opening.
//
// Begin with Mesh in mesh.go and Topology, which says what a side of a triangle
// is; then Hierarchy in bvh.go for rays, and Section in section.go.
package mesh
