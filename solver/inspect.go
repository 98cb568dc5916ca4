package solver

import "encoding/binary"

// inspect returns the lowest global number of an own cell with values that are no finite
// numbers, where a device finds that there are any.
func (r *Rank) inspect(device Inspector) (bad int64, err error) {
	var arrays []int32
	for i, kind := range r.kinds {
		if kind != Uint8 {
			arrays = append(arrays, int32(i))
		}
	}
	finite, err := device.AllFinite(arrays)
	if err != nil || finite {
		return NoCell, err
	}
	bad = NoCell
	m := r.newRecords(nil)
	for _, array := range arrays {
		size := r.kinds[array].Bytes()
		err := m.each(r.layout.Pieces, func(list []stretch, cells int) error {
			m.split(list, &Slot{})
			if err := r.device.Read(&Segment{Array: array, Bytes: size, Cells: m.parts[0].cells}, m.values); err != nil {
				return err
			}
			values := m.values
			for k := range list {
				for i := range int64(list[k].count) {
					if !isFinite(values, size) {
						bad = min(bad, list[k].global()+i)
					}
					values = values[size:]
				}
			}
			return nil
		})
		if err != nil {
			return NoCell, err
		}
	}
	return bad, nil
}

// isFinite tells whether the bits of a float of so many bytes are those of a finite number.
func isFinite(value []byte, size int) bool {
	switch size {
	case 2:
		return binary.NativeEndian.Uint16(value)>>10&0x1f != 0x1f
	case 4:
		return binary.NativeEndian.Uint32(value)>>23&0xff != 0xff
	}
	return binary.NativeEndian.Uint64(value)>>52&0x7ff != 0x7ff
}
