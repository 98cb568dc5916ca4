package picture

import (
	"errors"
	"fmt"
	"math"

	"carina/internal/quantity"
)

// Load is what one rank has to do.
type Load struct {
	// Cells is the number of its fluid cells.
	Cells int64
	// Work is its share of the work, in any unit common to all ranks: a cost
	// model's or measured seconds.
	Work float64
	// Device names what computes it; may be empty.
	Device string
}

// RanksPicture is what WriteRanks writes beside the surface.
type RanksPicture struct {
	Title, Subtitle string
	// Loads has one entry a rank.
	Loads []Load
}

// WriteRanks draws the composites of a run, one for each of the frame's Views
// in their order, as a PNG picture of 1200×900 pixels: the surface of the
// lumen coloured by owner, with the load of every rank.
func WriteRanks(path string, layers []*Layer, c RanksPicture) error {
	if len(layers) == 0 {
		return errors.New("output: no layer to draw; composite those of all ranks first")
	}
	f := newFigure(c.Title, c.Subtitle)
	const legend = 290
	panels := arrange(rectangle{20, 50, figureWidth - legend, figureHeight - 90}, viewsOf(layers))
	for i := range panels {
		p, l := &panels[i], layers[i]
		p.relief = reliefOf(l)
		colours := l.ownerColours()
		p.paint(f, lighting{ambient: 0.38, shine: 0.12, fade: 0.12}, func(a, b int) bool { return l.ownerOf(a) != l.ownerOf(b) }, func(s *sample) colour {
			return colours[s.majority(l.ownerOf)]
		})
	}
	f.scaleBar(40, 46, float64(layers[0].View.Bin)*layers[0].View.Spacing/panels[0].scale)
	f.loads(figureWidth-legend+30, figureHeight-130, c.Loads)
	return f.write(path)
}

// ownerOf returns the owner of what is seen in a column.
func (l *Layer) ownerOf(column int) int32 { return l.stretches[l.head[column]].owner }

// ownerColours returns the colours of all that own something in the layer.
func (l *Layer) ownerColours() map[int32]colour {
	colours := make(map[int32]colour)
	for i := range l.stretches {
		owner := l.stretches[i].owner
		if _, known := colours[owner]; !known {
			colours[owner] = ownerColour(int(owner))
		}
	}
	return colours
}

// loads draws the legend below y: a bar a rank, with the mean of all.
func (f *figure) loads(x, y float64, loads []Load) {
	if len(loads) == 0 {
		return
	}
	const width, height = 220.0, 680.0 // of the bars, in pixels
	total, heaviest := 0.0, 0.0
	for _, l := range loads {
		total += l.Work
		heaviest = max(heaviest, l.Work)
	}
	mean := total / float64(len(loads))
	if !(mean > 0) || math.IsInf(mean, 1) {
		return
	}
	f.text("Work of "+quantity.Count(len(loads), "rank"), x, y, style(15, true, ink))
	f.text(fmt.Sprintf("heaviest is %.3f of the mean", heaviest/mean), x, y-20, style(14, false, faint))
	y -= 36
	row := min(46, height/float64(len(loads)))
	thick := max(1, math.Floor(row*0.4))
	named := row >= 30
	if !named {
		thick = max(row*0.8, 0.8)
	}
	for rank, l := range loads {
		top := y - float64(rank)*row
		if named {
			note := quantity.GroupedCount(l.Cells, "cell")
			if l.Device != "" {
				note += ", " + l.Device
			}
			f.text(fmt.Sprintf("%d", rank), x, top-12, style(13, true, ink))
			f.textRight(note, x+width, top-12, style(12, false, faint))
			top -= 17
		}
		f.box(x, top-thick, max(1, width*l.Work/heaviest), thick, ownerColour(rank).rgba())
		f.line(x+width*mean/heaviest, top+2, x+width*mean/heaviest, top-thick-2, 1, ink)
	}
	f.textCenter("mean", x+width*mean/heaviest, y-row*float64(len(loads))-6, style(12, false, faint))
}
