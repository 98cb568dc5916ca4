package geometry

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// Fingerprint identifies a grid: it changes with spacing, size, cells and
// openings, and with nothing else. Lengths are rounded to a part in 10^9, so
// that the same grid read back, moved between machines or made by another
// number of workers keeps its fingerprint.
func (g *Grid) Fingerprint() string {
	h := sha256.New()
	put(h, quantise(g.Spacing, 1e-15), int64(g.Size[0]), int64(g.Size[1]), int64(g.Size[2]), int64(len(g.Runs)))
	buffer := make([]byte, 0, 1<<14)
	for _, r := range g.Runs {
		for _, x := range [4]int32{r.X0, r.X1, r.Y, r.Z} {
			buffer = binary.LittleEndian.AppendUint32(buffer, uint32(x))
		}
		if len(buffer) >= 1<<14-16 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	h.Write(buffer)
	put(h, int64(len(g.Openings)))
	for _, o := range g.Openings {
		h.Write([]byte(o.Name + "\x00" + string(o.Role) + "\x00"))
		c := o.Center
		put(h, int64(o.Number), quantise(c.X-g.Origin.X, 1e-9), quantise(c.Y-g.Origin.Y, 1e-9), quantise(c.Z-g.Origin.Z, 1e-9), quantise(o.Area, 1e-12))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func quantise(x, step float64) int64 { return int64(math.Round(x / step)) }

func put(h hash.Hash, values ...int64) {
	for _, v := range values {
		binary.Write(h, binary.LittleEndian, v)
	}
}
