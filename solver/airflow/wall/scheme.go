package wall

// Kind is how what comes back along a wall link is made.
type Kind uint8

// The kinds of links.
const (
	// HalfWay is plain bounce-back.
	HalfWay Kind = iota
	// Near and Far are those of linear interpolation, see Links.
	Near
	Far
	// Reflected is that of Reflect.
	Reflected
)

// Correction is what a wall link needs to know.
type Correction struct {
	Kind   Kind
	Factor float32
}

// Scheme is how walls are computed.
type Scheme struct {
	// Interpolated places the wall where the surface cuts each link, else it is
	// half-way; Reflects does so as Reflect says, for the relaxation time.
	Interpolated, Reflects bool
	RelaxationTime         float64
}

// Correction is that of a link that the wall cuts at the fraction q of its length.
func (s *Scheme) Correction(q float64) Correction {
	switch {
	case !s.Interpolated:
		return Correction{}
	case s.Reflects:
		return Correction{Reflected, reflectedFactor(q, s.RelaxationTime)}
	case q < 0.5:
		return Correction{Near, float32(1 - 2*q)}
	case q > 0.5:
		return Correction{Far, float32(1 - 1/(2*q))}
	}
	return Correction{}
}

// reflectedFactor is the part of the even part out of equilibrium that comes
// back along a link, see Reflect.
func reflectedFactor(q, time float64) float32 { return float32((q - time) / (1 - time)) }
