package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"wrote aïrway.stl → 3 µm\n\tyes\n": "wrote aïrway.stl → 3 µm\n\tyes\n",
		"\x1b[31mred\x1b[0m":               `\u001b[31mred\u001b[0m`,
		"\x1b]0;title\a":                   `\u001b]0;title\u0007`,
		"over\rwritten":                    `over\u000dwritten`,
		"c1 \u009b2J":                      `c1 \u009b2J`,
		"\x7f":                             `\u007f`,
		"caf\xe9.stl":                      `caf\xe9.stl`,
		"\u202egnp.exe":                    `\u202egnp.exe`,
		"a sign for none \ufffd\a":         "a sign for none \ufffd\\u0007",
		"":                                 "",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q becomes %q; want %q", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"inlet": "inlet", "a\nb\tc\r": `a\u000ab\u0009c\u000d`, "a\u2028b\u2029c\u0085": `a\u2028b\u2029c\u0085`, "\x1b[31m\n": `\u001b[31m\u000a`, "é\xe9": `é\xe9`, "": "",
	} {
		if got := Line(text); got != want || Line(got) != got {
			t.Errorf("%q becomes %q; want %q", text, got, want)
		}
	}
}

// Whatever is written, a terminal gets nothing to obey, and JSON stays what it
// was.
func TestNothingReachesTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		clean := Clean(raw)
		if !utf8.ValidString(clean) || Clean(clean) != clean {
			t.Fatalf("%q becomes %q", raw, clean)
		}
		for _, r := range clean {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q keeps %q", raw, r)
			}
		}
		encoded, err := json.Marshal(raw)
		if err != nil {
			t.Fatal(err)
		}
		var direct, cleaned string
		if err := errors.Join(json.Unmarshal(encoded, &direct), json.Unmarshal([]byte(Clean(string(encoded))), &cleaned)); err != nil || direct != cleaned {
			t.Fatalf("%q becomes %q in JSON, %v", direct, cleaned, err)
		}
	})
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriterRemembersFailures(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	if n, err := w.Write([]byte("a\x1bb")); n != 3 || err != nil || w.Err() != nil || b.String() != `a\u001bb` {
		t.Errorf("wrote %d bytes as %q, %v", n, b.String(), err)
	}
	w = NewWriter(full{})
	w.Write([]byte("a"))
	if !errors.Is(w.Err(), io.ErrShortWrite) {
		t.Errorf("the failure is forgotten: %v", w.Err())
	}
}
