package arithmetic

import (
	"carina/solver/expression"
	"carina/solver/stencil"
)

// Terms are what Totals writes of a cell, in this order.
const (
	Mass = iota
	MomentumX
	MomentumY
	Energy
	Kinetic
	VelocityX
	VelocityY
	Temperature
	Pressure
	Terms
)

// Totals writes what a cell adds to the totals of the gas before a step, with velocity and
// temperature in the middle of it, from what the collision reads.
func Totals(walls bool) *stencil.Update {
	b := builder{Program: expression.New()}
	u := &stencil.Update{Program: b.Program, Name: "totals", Access: Pull(0)}
	now, _ := b.arriving()
	gx, gy := b.Parameter(GravityX), b.Parameter(GravityY)
	now.u, now.v = b.Add(now.u, b.scaled(0.5, gx)), b.Add(now.v, b.scaled(0.5, gy))
	now.temperature = b.Add(now.temperature, b.scaled(1./8, b.Add(b.Multiply(gx, gx), b.Multiply(gy, gy))))
	if walls {
		u.Name = "totalsWalls"
		var missing [2]expression.Value
		for _, read := range Through(0).Reads[Populations:] {
			switch far := read.Offset.Y * read.Offset.Y; {
			case read.Present && far > 1:
				continue
			case read.Present:
				i := int(1+read.Offset.Y) / 2
				missing[i] = b.Subtract(b.Constant(1), b.Input(Populations+i))
			}
			u.Reads = append(u.Reads, read)
		}
		now.rho = b.Add(now.rho, b.owed(missing, Populations+2))
	}
	u.Writes = nil
	kinetic := b.Multiply(now.rho, b.scaled(0.5, b.Add(b.Multiply(now.u, now.u), b.Multiply(now.v, now.v))))
	pressure := b.Multiply(now.rho, now.temperature)
	terms := [Terms]expression.Value{
		Mass: now.rho, MomentumX: b.Multiply(now.rho, now.u), MomentumY: b.Multiply(now.rho, now.v), Energy: b.Add(kinetic, pressure), Kinetic: kinetic,
		VelocityX: now.u, VelocityY: now.v, Temperature: now.temperature, Pressure: pressure,
	}
	for _, term := range terms {
		u.Sum(term, 1)
	}
	return u
}
