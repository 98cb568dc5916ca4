// Package scalar computes what air carries and what spreads in it, such as warmth
// or a gas: a passive scalar on seven velocities beside the air, in the same phases.
// Nothing passes walls, which the openings of the air are, too. It is a physics of
// the engine, on processors and GPUs.
package scalar
