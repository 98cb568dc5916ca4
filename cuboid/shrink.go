package cuboid

// Extents returns, for each of n cuboids, the smallest cuboid that holds its
// fluid cells: what is left when empty layers are peeled from its six faces
// until none is empty (Fietz 2011, section 4.4). The extent of a cuboid
// without fluid has no cells.
func Extents(segments []Segment, n int) []Cuboid {
	boxes := make([]Cuboid, n)
	for i := range segments {
		s := &segments[i]
		box := Cuboid{[3]int32{s.X0, s.Y, s.Z}, [3]int32{s.X1, s.Y + 1, s.Z + 1}}
		if b := &boxes[s.Cuboid]; b.Max[0] == b.Min[0] {
			*b = box
		} else {
			*b = b.Union(box)
		}
	}
	return boxes
}

// Remove drops the cuboids for which keep is false, numbers the others anew in
// the same order, and rewrites the segments accordingly. No segment may lie in
// a dropped cuboid.
func Remove(cuboids []Cuboid, segments []Segment, keep func(i int) bool) []Cuboid {
	number := make([]int32, len(cuboids))
	kept := make([]Cuboid, 0, len(cuboids))
	for i, c := range cuboids {
		number[i] = int32(len(kept))
		if keep(i) {
			kept = append(kept, c)
		}
	}
	for i := range segments {
		segments[i].Cuboid = number[segments[i].Cuboid]
	}
	return kept
}

// Occupied drops the cuboids without fluid cells and, if shrink is set,
// shrinks the others to their fluid cells. The segments must be those that
// Label made of the cuboids and are numbered anew.
func Occupied(cuboids []Cuboid, segments []Segment, shrink bool) []Cuboid {
	boxes := Extents(segments, len(cuboids))
	all := cuboids
	if shrink {
		all = boxes
	}
	return Remove(all, segments, func(i int) bool { return boxes[i].Cells() > 0 })
}
