package mesh

import "bytes"

// CutLine takes the first line from a text: a line feed ends it, a carriage return,
// or both.
func CutLine(data []byte) (line, rest []byte) {
	at := bytes.IndexAny(data, "\r\n")
	if at < 0 {
		return data, nil
	}
	line, rest = data[:at], data[at+1:]
	if data[at] == '\r' {
		rest = bytes.TrimPrefix(rest, []byte{'\n'})
	}
	return line, rest
}
