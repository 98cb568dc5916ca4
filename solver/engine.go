package solver

import "carina/solver/engine"

// Domain, Share and StoppedError are the engine's.
type (
	Domain       = engine.Domain
	Share        = engine.Share
	StoppedError = engine.StoppedError
)

// WholeDomain gives all cells of a grid to one rank.
var WholeDomain = engine.WholeDomain
