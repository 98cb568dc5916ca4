// Package waterbench measures floods: how fast cells are computed, wet and dry, beside what
// the memory could do, and how well a flood down a valley is shared by ranks whose cells
// become wet one after the other, by counted work.
package waterbench
