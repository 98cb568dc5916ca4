// Package terminal is the boundary where text goes to people: names that come
// from files may hold control characters and escape sequences, which a terminal
// would obey.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Clean writes control characters but line ends and tabs, characters that turn
// the direction of writing, and bytes that are no UTF-8 as escapes that JSON and
// Go understand.
func Clean(text string) string {
	if !strings.ContainsFunc(text, unsafe) && utf8.ValidString(text) {
		return text
	}
	var w strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&w, `\x%02x`, text[i])
		case unsafe(r):
			fmt.Fprintf(&w, `\u%04x`, r)
		default:
			w.WriteString(text[i : i+size])
		}
		i += size
	}
	return w.String()
}

// Line is Clean for text that stands in one line, such as a name: line ends and
// tabs become escapes, too.
func Line(text string) string {
	return lineEnds.Replace(Clean(text))
}

// lineEnds are what readers of text take for ends of lines or jump at.
var lineEnds = strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`, "\u2028", `\u2028`, "\u2029", `\u2029`)

func unsafe(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// Writer cleans what is written through it and remembers the first failure, so
// that callers need not look at each line's.
type Writer struct {
	to io.Writer

	mu  sync.Mutex
	err error
}

// NewWriter returns a Writer to a terminal or whatever stands in its place.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes cleaned text. Texts must not be cut within a character.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := io.WriteString(w.to, Clean(string(text))); err != nil {
		if w.err == nil {
			w.err = err
		}
		return 0, err
	}
	return len(text), nil
}

// Err is the first failure to write.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Unwrap is what the Writer writes to.
func (w *Writer) Unwrap() io.Writer { return w.to }
