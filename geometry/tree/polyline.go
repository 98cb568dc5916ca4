package tree

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// polyline is a line through nodes, which goes on straight beyond its ends. The
// station of a place is the length along it to the nearest point.
type polyline struct {
	nodes    []r3.Vec
	stations []float64
}

func newPolyline(nodes []r3.Vec) polyline {
	p := polyline{nodes: nodes, stations: make([]float64, len(nodes))}
	for k := 1; k < len(nodes); k++ {
		p.stations[k] = p.stations[k-1] + r3.Norm(r3.Sub(nodes[k], nodes[k-1]))
	}
	return p
}

// near is how many nodes before and behind a guess are looked at.
const near = 3

// station finds the nearest point around a node.
func (p *polyline) station(at r3.Vec, guess int) float64 {
	last := len(p.nodes) - 2
	from, to := max(min(guess-near, last), 0), min(max(guess+near, 0), last)
	best, station := math.Inf(1), 0.0
	for k := from; k <= to; k++ {
		along := r3.Sub(p.nodes[k+1], p.nodes[k])
		length := p.stations[k+1] - p.stations[k]
		v := r3.Sub(at, p.nodes[k])
		s := r3.Dot(v, along) / length
		if k > 0 {
			s = max(s, 0)
		}
		if k < last {
			s = min(s, length)
		}
		if d := r3.Norm2(v) - 2*s*r3.Dot(v, along)/length + s*s; d < best {
			best, station = d, p.stations[k]+s
		}
	}
	return station
}

// at is the place of a station.
func (p *polyline) at(s float64) r3.Vec {
	k := 0
	for k < len(p.nodes)-2 && p.stations[k+1] < s {
		k++
	}
	t := (s - p.stations[k]) / (p.stations[k+1] - p.stations[k])
	return r3.Add(p.nodes[k], r3.Scale(t, r3.Sub(p.nodes[k+1], p.nodes[k])))
}

// axis is a straight line: a place on it and its direction of length one.
type axis struct{ at, along r3.Vec }

// station is the length along the axis to the point nearest to a place.
func (a axis) station(at r3.Vec) float64 { return r3.Dot(r3.Sub(at, a.at), a.along) }

// place is that of a station.
func (a axis) place(s float64) r3.Vec { return r3.Add(a.at, r3.Scale(s, a.along)) }

// nearest is the station at which an axis comes nearest to another one, which is not
// parallel to it.
func (a axis) nearest(b axis) float64 {
	cos := r3.Dot(a.along, b.along)
	v := r3.Sub(b.at, a.at)
	return (r3.Dot(v, a.along) - cos*r3.Dot(v, b.along)) / (1 - cos*cos)
}

// between is the angle of two axes.
func (a axis) between(b axis) float64 {
	return math.Atan2(r3.Norm(r3.Cross(a.along, b.along)), r3.Dot(a.along, b.along))
}
