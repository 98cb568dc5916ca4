package metis

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"carina/partition/graph"
	"carina/partition/graphtest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReadMETIS(t *testing.T) {
	path3 := &graph.Graph{Offsets: []int64{0, 1, 3, 4}, Neighbours: []int32{1, 0, 2, 1}}
	with := func(vertex, edge []int64) *graph.Graph {
		return &graph.Graph{Offsets: path3.Offsets, Neighbours: path3.Neighbours, VertexWeights: vertex, EdgeWeights: edge}
	}
	for _, c := range []struct {
		name, text string
		want       *graph.Graph
		err        string
	}{
		{name: "plain", text: "3 2\n2\n1 3\n2\n", want: path3},
		{name: "no newline at the end", text: "3 2\n2\n1 3\n2", want: path3},
		{name: "comments, tabs, returns", text: "% first\n3\t2 0\r\n%between\n2\n1  3 \r\n%\n2\n% last", want: path3},
		{name: "edge weights", text: "3 2 1\n2 7\n1 7 3 9\n2 9\n", want: with(nil, []int64{7, 7, 9, 9})},
		{name: "leading zeros", text: "3 2 001\n2 7\n1 7 3 9\n2 9\n", want: with(nil, []int64{7, 7, 9, 9})},
		{name: "vertex weights", text: "3 2 10\n4 2\n5 1 3\n6 2\n", want: with([]int64{4, 5, 6}, nil)},
		{name: "both", text: "3 2 11 1\n4 2 7\n5 1 7 3 9\n6 2 9\n", want: with([]int64{4, 5, 6}, []int64{7, 7, 9, 9})},
		{name: "sizes", text: "3 2 100\n1 2\n1 1 3\n1 2\n", want: path3},
		{name: "everything", text: "3 2 111\n8 4 2 7\n8 5 1 7 3 9\n8 6 2 9\n", want: with([]int64{4, 5, 6}, []int64{7, 7, 9, 9})},
		{name: "isolated", text: "2 0\n\n\n", want: &graph.Graph{Offsets: []int64{0, 0, 0}}},
		{name: "no vertices", text: "0 0\n", want: &graph.Graph{Offsets: []int64{0}}},
		{name: "nothing", text: "", err: "line 1: the file is empty"},
		{name: "packed", text: "\x1f\x8b\x08\x00", err: "line 1: the file is packed with gzip: unpack it first"},
		{name: "a picture", text: "\x89PNG\r\n", err: "is expected: the first line of a graph gives the numbers of vertices and edges"},
		{name: "a text", text: "% a comment\n\nhello\n", err: "line 3: found 'h' where a number ≥ 0 is expected: the first line of a graph gives"},
		{name: "one number", text: "3\n", err: "line 1: the header must give"},
		{name: "letters", text: "3 2\n2\n1 x\n2\n", err: `line 3: found 'x'`},
		{name: "negative", text: "3 2\n-2\n", err: `line 2: found '-'`},
		{name: "neighbour too large", text: "3 2\n2\n% c\n1 4\n2\n", err: "line 4: vertex 2 has neighbour 4; vertices run from 1 to 3"},
		{name: "neighbour zero", text: "3 2\n2\n1 0\n2\n", err: "line 3: vertex 2 has neighbour 0"},
		{name: "self loop", text: "3 2\n1\n", err: "line 2: vertex 1 is its own neighbour"},
		{name: "truncated", text: "3 2\n2\n1 3\n", err: "line 4: the file ends after 2 of 3 vertices"},
		{name: "surplus line", text: "3 2\n2\n1 3\n2\n1\n", err: "line 5: after the last vertex"},
		{name: "edges miscounted", text: "3 3\n2\n1 3\n2\n", err: "announces 3 edges, the lines hold 4 neighbours"},
		{name: "weight missing", text: "3 2 1\n2\n", err: "line 2: the line ends where the edge weight"},
		{name: "weight zero", text: "3 2 1\n2 0\n", err: "line 2: the edge from 1 to 2 has weight 0"},
		{name: "format", text: "3 2 12\n", err: "line 1: format code 12"},
		{name: "constraints", text: "3 2 10 2\n", err: "line 1: 2 weights per vertex"},
		{name: "huge count", text: "2000000000 2\n2\n", err: "line 3: the file ends after 1 of 2000000000"},
		{name: "too many", text: "3000000000 2\n", err: "at most 2147483647"},
		{name: "overflow", text: "99999999999999999999 2\n", err: "does not fit 64 bits"},
		{name: "one way", text: "3 1\n2\n3\n\n", err: "both directions"},
	} {
		g, err := Read(strings.NewReader(c.text))
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		default:
			if diff := cmp.Diff(c.want, g); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
	}
}

func TestMETISRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t)
		if len(g.EdgeWeights) == 0 {
			g.EdgeWeights, g.Neighbours = nil, nil
		}
		var file bytes.Buffer
		if err := Write(&file, g); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestParts(t *testing.T) {
	var file bytes.Buffer
	parts := []int32{0, 2, 1, 1}
	if err := WriteParts(&file, parts); err != nil {
		t.Fatal(err)
	}
	if want := "0\n2\n1\n1\n"; file.String() != want {
		t.Errorf("wrote %q, want %q", file.String(), want)
	}
	for _, c := range []struct {
		text string
		want string
	}{
		{"0\n2\n1\n1\n", ""},
		{"0\n2\n1\n1", ""},
		{"0\n2\n1\n", "3 parts for 4 vertices"},
		{"0\n2\n1\n1\n1\n", "line 5: more lines than the 4 vertices"},
		{"0\n3\n1\n1\n", "line 2: part 3; parts run from 0 to 2"},
		{"0\n-1\n", "line 2: found '-'"},
		{"0 1\n", "line 1: more numbers"},
	} {
		back, err := ReadParts(strings.NewReader(c.text), 4, 3)
		if c.want == "" {
			if diff := cmp.Diff(parts, back); err != nil || diff != "" {
				t.Errorf("%q: %v %s", c.text, err, diff)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

// referenceGraph reads a graph of the shared collection, or skips the test.
func referenceGraph(t testing.TB, name string) *graph.Graph {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "..", "shared", "graphs", name+".graph"))
	if err != nil {
		t.Skipf("the shared graphs are not here: %v", err)
	}
	defer file.Close()
	g, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestReadreferenceGraphs(t *testing.T) {
	// Sizes as given in the headers of the files.
	for _, c := range []struct {
		name            string
		vertices, edges int
		weighted        bool
	}{
		{"add20", 2395, 7462, false},
		{"airway_a", 5623, 15799, true},
		{"bcsstk33", 8738, 291583, false},
	} {
		g := referenceGraph(t, c.name)
		if g.Vertices() != c.vertices || g.Edges() != c.edges || (g.VertexWeights != nil) != c.weighted {
			t.Errorf("%s: %d vertices, %d edges", c.name, g.Vertices(), g.Edges())
		}
	}
}

func FuzzReadMETIS(f *testing.F) {
	for _, seed := range []string{
		"3 2\n2\n1 3\n2\n", "3 2 011\n4 2 7\n5 1 7 3 9\n6 2 9\n", "2 0\n\n\n", "% c\n0 0", "3 2 111 1\n", "\n\n1 0\n\n",
		"2000000000 1\n", "3 2\n2\n1 3\n", "1 0 100\n5\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := Read(bytes.NewReader(text))
		slowly, slowErr := Read(iotest.OneByteReader(bytes.NewReader(text)))
		if diff := cmp.Diff(g, slowly); diff != "" || fmt.Sprint(err) != fmt.Sprint(slowErr) {
			t.Fatalf("at once and byte by byte: %v, %v, %s", err, slowErr, diff)
		}
		if err != nil {
			return
		}
		if err := g.Validate(); err != nil {
			t.Fatalf("an unsound graph was read: %v", err)
		}
		var file bytes.Buffer
		if err := Write(&file, g); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&file)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(g, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzReadParts(f *testing.F) {
	f.Add([]byte("0\n1\n2\n"))
	f.Add([]byte("0 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		parts, err := ReadParts(bytes.NewReader(text), 3, 3)
		if err != nil {
			return
		}
		for _, p := range parts {
			if p < 0 || p > 2 || len(parts) != 3 {
				t.Fatal(fmt.Sprint(parts))
			}
		}
	})
}

func TestReadFixed(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int32
		err  string
	}{
		{"-1\n2\n -1\n0\n", []int32{-1, 2, -1, 0}, ""},
		{"0\n-1\r\n\n1\n-1", []int32{0, -1, 1, -1}, ""},
		{"0\n-2\n", nil, "line 2: a part below 0"},
		{"-\n", nil, "line 1: a part below 0"},
		{"--1\n", nil, "line 1: a part below 0"},
		{"-1 -1\n", nil, "line 1"},
		{"0\n3\n", nil, "line 2: part 3"},
		{"0\n-1\n", nil, "2 parts for 4 vertices"},
	} {
		fixed, err := ReadFixed(strings.NewReader(c.text), 4, 3)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want %q", c.text, err, c.err)
			}
		} else if diff := cmp.Diff(c.want, fixed); err != nil || diff != "" {
			t.Errorf("%q: %v %s", c.text, err, diff)
		}
	}
}

func FuzzReadFixed(f *testing.F) {
	f.Add([]byte("0\n-1\n2\n"))
	f.Add([]byte("-1 -1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		fixed, err := ReadFixed(bytes.NewReader(text), 3, 3)
		if err != nil {
			return
		}
		for _, p := range fixed {
			if p < -1 || p > 2 || len(fixed) != 3 {
				t.Fatal(fmt.Sprint(fixed))
			}
		}
	})
}

func TestReadSized(t *testing.T) {
	for text, want := range map[string][]int64{
		"3 2\n2\n1 3\n2\n": nil, "3 2 100\n8 2\n0 1 3\n1000 2\n": {8, 0, 1000}, "3 2 111\n8 4 2 7\n9 5 1 7 3 9\n7 6 2 9\n": {8, 9, 7}, "3 2 110\n1 4 2\n2 5 1 3\n3 6 2\n": {1, 2, 3},
		"3 2 101\n5 2 7\n5 1 7 3 9\n5 2 9\n": {5, 5, 5}, "0 0 100\n": nil,
	} {
		g, sizes, err := ReadSized(strings.NewReader(text))
		if err != nil || !slices.Equal(sizes, want) {
			t.Errorf("%q: sizes %v, %v, want %v", text, sizes, err, want)
			continue
		}
		if same, err := Read(strings.NewReader(text)); err != nil || cmp.Diff(g, same) != "" {
			t.Errorf("%q: another graph without sizes: %v", text, err)
		}
	}
}
