// Package page writes a self-contained HTML page on which a surface, a
// grid, a partition or the flow through it can be looked at and turned around.
//
// The page needs no network: the geometry is compressed into it together with
// three.js (folder three, see its README.md), which draws it. What would be
// too much for a page is shown in coarser voxels.
package page
