package update

import "carina/solver/processor"

// Sizes are how many words the tables of a layout have, how many cells at openings there
// are, and of how many cells, at walls and openings and altogether.
type Sizes struct {
	cells, boundary                       int
	inner, walled, near, far, reflections int
	openings                              int
}

// Sizes are those of the layout.
func (l *Layout) Sizes() Sizes {
	return Sizes{l.Cells, l.boundary(), len(l.windows.inner), len(l.windows.walled), len(l.near), len(l.far), len(l.reflections), len(l.Openings.List)}
}

// boundary counts the cells that have links.
func (l *Layout) boundary() (count int) {
	links := &l.Domain.Grid.Links
	for i := range l.Pieces {
		first := l.Domain.InGrid(l.Pieces[i].Global)
		begin, _ := links.Search(first)
		end, _ := links.Search(first + int64(l.Pieces[i].Cells()))
		count += end - begin
	}
	return count
}

// spare is how much larger tables are made than others let expect, so that most need no
// copy; mostSpare is how much larger they may stay.
const spare, mostSpare = 1. / 64, 1. / 24

// reserve makes room for tables like others.
func (l *Layout) reserve(like Sizes) {
	if like.cells == 0 || like.boundary == 0 {
		return
	}
	room := func(words float64) []uint32 { return processor.InHugePages[uint32](nil, int((1+spare)*words)) }
	all, atWalls := float64(l.Cells)/float64(like.cells), float64(l.boundary())/float64(like.boundary)
	l.openingsExpected = int(atWalls * float64(like.openings))
	// As many windows a cell, and as many of those at walls a cell there.
	inner, walled := float64(innerWidth(l.set.Q)), float64(walledWidth(l.set.Q))
	windowsAtWalls := atWalls * float64(like.walled) / walled
	others := all*(float64(like.inner)/inner+float64(like.walled)/walled) - windowsAtWalls
	l.windows = windows{room(max(0, others) * inner), room(windowsAtWalls * walled)}
	l.near, l.far, l.reflections = room(atWalls*float64(like.near)), room(atWalls*float64(like.far)), room(atWalls*float64(like.reflections))
}

// settled is a table that is complete, with so many words ahead, in memory that is not
// much larger.
func settled[T ~[]uint32](table T, ahead int) T {
	if free := cap(table) - len(table) - ahead; free >= 0 && float64(free) <= mostSpare*float64(len(table)) {
		return table
	}
	return processor.InHugePages(table, ahead)
}
