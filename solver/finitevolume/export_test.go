package finitevolume

import (
	"bytes"
	"encoding/binary"

	"carina/solver"
)

// Pitched counts the own cells that lie in columns with a pitch.
func Pitched(b *solver.Binding) (cells int64, err error) {
	data, blocks := cutColumns(b.Windows(Offsets), []solver.Block{{End: int32(b.Cells)}}, int32(b.Cells))
	list := make([]column, blocks*warps)
	err = binary.Read(bytes.NewReader(data), binary.LittleEndian, list)
	for _, c := range list {
		if c.Pitch != 0 {
			cells += int64(c.Count * c.Rows)
		}
	}
	return cells, err
}
