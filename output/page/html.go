package page

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image/color"
	"io"
	"slices"
	"strings"
	"sync"

	"carina/output/picture"

	"github.com/klauspost/compress/gzip"
)

//go:embed page.html page.css page.js three/three.core.min.js three/three.module.min.js three/OrbitControls.js three/LICENSE
var files embed.FS

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// write fills the template: the header as JSON, the streams and the scripts
// as compressed base64.
func (s *scene) write(w io.Writer, p *Page) error {
	header, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("view page: %w", err)
	}
	same, err := fixedParts()
	if err != nil {
		return fmt.Errorf("view page: %w", err)
	}
	fill := append(slices.Clip(same), "{{TITLE}}", html.EscapeString(p.Title), "{{SUBTITLE}}", html.EscapeString(p.Subtitle))
	packed, err := compressed(header)
	if err != nil {
		return fmt.Errorf("view page: %w", err)
	}
	var frames strings.Builder
	for i, frame := range s.frames {
		fmt.Fprintf(&frames, "<script type=\"text/plain\" id=\"instant-%d\">%s</script>\n", i, frame)
	}
	fill = append(fill, "{{HEADER}}", packed, "{{STREAMS}}", s.packed, "{{INSTANTS}}", frames.String())
	_, err = strings.NewReplacer(fill...).WriteString(w, string(script("page.html")))
	return err
}

// fixedParts are what the template is filled with on all pages, compressed once.
var fixedParts = sync.OnceValues(func() ([]string, error) {
	fill := []string{"{{STYLE}}", string(script("page.css")), "{{LICENSE}}", html.EscapeString(string(script("three/LICENSE")))}
	for key, name := range map[string]string{
		"PAGE": "page.js", "THREE": "three/three.module.min.js", "CORE": "three/three.core.min.js", "CONTROLS": "three/OrbitControls.js",
	} {
		packed, err := compressed(script(name))
		if err != nil {
			return nil, err
		}
		fill = append(fill, "{{"+key+"}}", packed)
	}
	return fill, nil
})

// script returns an embedded file. Scripts have no addresses on the page, so
// that three's own relative import becomes a name.
func script(name string) []byte {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	return bytes.ReplaceAll(data, []byte(`"./three.core.min.js"`), []byte(`"three-core"`))
}

func compressed(data []byte) (string, error) {
	var b strings.Builder
	encoder := base64.NewEncoder(base64.StdEncoding, &b)
	level := gzip.BestCompression
	if picture.Draft {
		level = gzip.BestSpeed
	}
	z, err := gzip.NewWriterLevel(encoder, level)
	if err != nil {
		return "", err
	}
	if _, err := z.Write(data); err != nil {
		return "", err
	}
	if err := errors.Join(z.Close(), encoder.Close()); err != nil {
		return "", err
	}
	return b.String(), nil
}
