package atomicfile

import (
	"encoding/json"
	"io"

	"carina/internal/terminal"
)

// WriteJSON writes a value as a JSON file that can be shown on a terminal.
func WriteJSON(path string, value any) error {
	return Write(path, func(w io.Writer) error {
		encoder := json.NewEncoder(terminal.NewWriter(w))
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	})
}
