package airflow

import "carina/solver"

// Domain, Share and StoppedError are the engine's.
type (
	Domain       = solver.Domain
	Share        = solver.Share
	StoppedError = solver.StoppedError
)

// WholeDomain gives all cells of a grid to one rank.
var WholeDomain = solver.WholeDomain
