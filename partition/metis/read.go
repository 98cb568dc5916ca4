package metis

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/partition/graph"
)

// Read reads a graph in the METIS format: a header "vertices edges
// [format [constraints]]" and one line per vertex; lines that begin with %
// are comments; vertices are numbered from 1. The format's three binary
// digits announce vertex sizes (which [ReadSized] returns, too), vertex weights and
// edge weights. Exactly one weight per vertex is supported. Self loops and edge
// weights of zero are refused. The file is read as a stream and memory grows
// with what has been read, not with what the header claims. Errors name the
// line.
func Read(r io.Reader) (*graph.Graph, error) {
	g, _, err := ReadSized(r)
	return g, err
}

// ReadSized is Read that returns the sizes of the vertices, too, nil where the file
// has none: what each sends to every other part that it touches, for
// partition.Options.
func ReadSized(r io.Reader) (*graph.Graph, []int64, error) {
	p := newMETISReader(r)
	g, err := p.read()
	if err != nil {
		return nil, nil, fmt.Errorf("METIS graph, line %d: %w", p.line, err)
	}
	if err := g.Validate(); err != nil {
		return nil, nil, fmt.Errorf("METIS graph (its vertex 1 is called 0 here): %w", err)
	}
	return g, p.vertexSizes, nil
}

// metisReader scans numbers line by line.
type metisReader struct {
	in   *bufio.Reader
	line int
	// header
	vertices, edges              int64
	sizes, vertexWeights, edgeWs bool
	// vertexSizes are those read so far.
	vertexSizes []int64

	growth machine.Growth
}

// admissions is how many numbers are read before memory is asked for again.
const admissions = 1 << 16

// admit fails where what has been read, and grows on, will not fit.
func (p *metisReader) admit(g *graph.Graph) error {
	bytes := 8*len(g.Offsets) + 8*len(p.vertexSizes) + 8*len(g.VertexWeights) + 4*len(g.Neighbours) + 8*len(g.EdgeWeights)
	if err := p.growth.Admit(int64(bytes)); err != nil {
		return fmt.Errorf("the graph is too large for this machine: %w", err)
	}
	return nil
}

// newMETISReader begins behind a byte-order mark, if there is one.
func newMETISReader(r io.Reader) *metisReader {
	const mark = "\ufeff"
	in := bufio.NewReaderSize(r, 1<<16)
	if head, _ := in.Peek(len(mark)); string(head) == mark {
		// What has been peeked at is there.
		_, _ = in.Discard(len(mark))
	}
	return &metisReader{in: in, line: 1}
}

var errEndOfLine = errors.New("end of line")

// number returns the next number of the line, or errEndOfLine (leaving the
// newline unread), or io.EOF. Most numbers lie in the buffer as a whole.
func (p *metisReader) number() (int64, error) {
	text, err := p.in.Peek(p.in.Buffered())
	if err != nil {
		return 0, err
	}
	begin := 0
	for begin < len(text) && text[begin] == ' ' {
		begin++
	}
	var x int64
	end := begin
	for end < len(text) && end-begin < safeDigits && text[end] >= '0' && text[end] <= '9' {
		x = 10*x + int64(text[end]-'0')
		end++
	}
	if end == len(text) || text[end] != ' ' && text[end] != '\n' {
		return p.numberByBytes()
	}
	if _, err := p.in.Discard(end); err != nil {
		return 0, err
	}
	if end == begin {
		return 0, errEndOfLine
	}
	return x, nil
}

// safeDigits is up to how many digits a number fits 64 bits whatever they are.
const safeDigits = 18

// numberByBytes is number for whatever input.
func (p *metisReader) numberByBytes() (int64, error) {
	for {
		c, err := p.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch {
		case c == ' ' || c == '\t' || c == '\r':
		case c == '\n':
			return 0, errors.Join(p.in.UnreadByte(), errEndOfLine)
		case c >= '0' && c <= '9':
			return p.digits(int64(c - '0'))
		default:
			return 0, fmt.Errorf("found %q where a number ≥ 0 is expected", c)
		}
	}
}

func (p *metisReader) digits(x int64) (int64, error) {
	for {
		c, err := p.in.ReadByte()
		if err == io.EOF {
			return x, nil
		}
		if err != nil {
			return 0, err
		}
		if c < '0' || c > '9' {
			switch c {
			case ' ', '\t', '\r', '\n':
				return x, p.in.UnreadByte()
			}
			return 0, fmt.Errorf("found %q inside a number", c)
		}
		d := int64(c - '0')
		if x > (math.MaxInt64-d)/10 {
			return 0, errors.New("a number does not fit 64 bits")
		}
		x = 10*x + d
	}
}

// endLine consumes the rest of the line, which must be blank.
func (p *metisReader) endLine() error {
	_, err := p.number()
	switch {
	case err == nil:
		return errors.New("more numbers than expected")
	case err == io.EOF:
		return nil
	case errors.Is(err, errEndOfLine):
		p.line++
		_, err := p.in.ReadByte()
		return err
	}
	return err
}

// skipComments skips lines that begin with %.
func (p *metisReader) skipComments() error {
	for {
		c, err := p.in.ReadByte()
		if err != nil {
			return err
		}
		if c != '%' {
			return p.in.UnreadByte()
		}
		for c != '\n' {
			if c, err = p.in.ReadByte(); err != nil {
				return err
			}
		}
		p.line++
	}
}

func (p *metisReader) read() (*graph.Graph, error) {
	if err := p.header(); err != nil {
		return nil, err
	}
	g := &graph.Graph{Offsets: []int64{0}}
	for v := int64(0); v < p.vertices; v++ {
		if v%admissions == 0 {
			if err := p.admit(g); err != nil {
				return nil, err
			}
		}
		if err := p.skipComments(); err != nil {
			if err == io.EOF {
				return nil, fmt.Errorf("the file ends after %d of %s", v, quantity.Count(p.vertices, "vertex"))
			}
			return nil, err
		}
		if err := p.vertex(g); err != nil {
			return nil, err
		}
	}
	for {
		if err := p.skipComments(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if err := p.endLine(); err != nil {
			return nil, fmt.Errorf("after the last vertex: %w", err)
		}
	}
	if int64(len(g.Neighbours)) != 2*p.edges {
		return nil, fmt.Errorf("the header announces %s, the lines hold %s; there must be twice as many neighbours as edges",
			quantity.Count(p.edges, "edge"), quantity.Count(len(g.Neighbours), "neighbour"))
	}
	return g, nil
}

func (p *metisReader) header() error {
	const gzipped = "\x1f\x8b"
	if head, _ := p.in.Peek(len(gzipped)); string(head) == gzipped {
		return errors.New("the file is packed with gzip: unpack it first")
	}
	for {
		if err := p.skipComments(); err == io.EOF {
			return errors.New("the file is empty; the first line must give the numbers of vertices and edges")
		} else if err != nil {
			return err
		}
		c, err := p.in.Peek(1)
		if err != nil || c[0] != '\n' {
			break
		}
		if err := p.endLine(); err != nil {
			return err
		}
	}
	var fields []int64
	for {
		x, err := p.number()
		if err == io.EOF || errors.Is(err, errEndOfLine) {
			break
		}
		if err != nil && len(fields) == 0 {
			return fmt.Errorf("%w: the first line of a graph gives the numbers of vertices and edges", err)
		}
		if err != nil {
			return err
		}
		if fields = append(fields, x); len(fields) > 4 {
			return errors.New("the header has more than four numbers")
		}
	}
	if len(fields) < 2 {
		return errors.New("the header must give the numbers of vertices and edges")
	}
	if err := p.setHeader(fields); err != nil {
		return err
	}
	return p.endLine()
}

func (p *metisReader) setHeader(fields []int64) error {
	p.vertices, p.edges = fields[0], fields[1]
	if p.vertices > math.MaxInt32 {
		return fmt.Errorf("%d vertices; at most %d can be numbered", p.vertices, math.MaxInt32)
	}
	if p.edges > math.MaxInt64/4 {
		return fmt.Errorf("%d edges are more than can be stored", p.edges)
	}
	var format int64
	if len(fields) > 2 {
		format = fields[2]
	}
	if format > 111 || format%10 > 1 || format/10%10 > 1 {
		return fmt.Errorf("format code %d; it consists of three digits 0 or 1", format)
	}
	p.sizes, p.vertexWeights, p.edgeWs = format/100 == 1, format/10%10 == 1, format%10 == 1
	if len(fields) > 3 && fields[3] != 1 {
		return fmt.Errorf("%d weights per vertex; only one is supported", fields[3])
	}
	return nil
}

// vertex reads one vertex line.
func (p *metisReader) vertex(g *graph.Graph) error {
	if p.sizes {
		size, err := p.number()
		if err != nil {
			return p.missing("vertex size", err)
		}
		p.vertexSizes = append(p.vertexSizes, size)
	}
	if p.vertexWeights {
		w, err := p.number()
		if err != nil {
			return p.missing("vertex weight", err)
		}
		g.VertexWeights = append(g.VertexWeights, w)
	}
	self := int64(len(g.Offsets))
	for {
		u, err := p.number()
		if err == io.EOF || errors.Is(err, errEndOfLine) {
			break
		}
		if err != nil {
			return err
		}
		if u < 1 || u > p.vertices {
			return fmt.Errorf("vertex %d has neighbour %d; vertices run from 1 to %d", self, u, p.vertices)
		}
		if u == self {
			return fmt.Errorf("vertex %d is its own neighbour; remove self loops", self)
		}
		if len(g.Neighbours)%admissions == 0 {
			if err := p.admit(g); err != nil {
				return err
			}
		}
		g.Neighbours = append(g.Neighbours, int32(u-1))
		if !p.edgeWs {
			continue
		}
		w, err := p.number()
		if err != nil {
			return p.missing("edge weight", err)
		}
		if w < 1 {
			return fmt.Errorf("the edge from %d to %d has weight %d; edge weights must be positive", self, u, w)
		}
		g.EdgeWeights = append(g.EdgeWeights, w)
	}
	g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	return p.endLine()
}

func (p *metisReader) missing(what string, err error) error {
	if err == io.EOF || errors.Is(err, errEndOfLine) {
		return fmt.Errorf("the line ends where the %s is expected", what)
	}
	return err
}
