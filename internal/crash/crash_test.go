package crash_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"carina/internal/crash"
)

// TestMain lets the test run itself as a program whose goroutine panics.
func TestMain(m *testing.M) {
	if os.Getenv("CARINA_TEST_PANIC") != "" {
		done := make(chan bool)
		go func() {
			defer crash.Guard()
			deep(8)
		}()
		<-done
	}
	os.Exit(m.Run())
}

func outOfRange(list []int) int { return list[len(list)] }

// deep fails below so many calls.
func deep(calls int) int {
	if calls == 0 {
		return outOfRange(nil)
	}
	return deep(calls-1) + 1
}

func TestPanicInGoroutine(t *testing.T) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "CARINA_TEST_PANIC=1", "GOTRACEBACK=")
	var said strings.Builder
	command.Stderr = &said
	if err := command.Run(); err == nil || command.ProcessState.ExitCode() != crash.Status {
		t.Errorf("ended with %v, want status %d", err, crash.Status)
	}
	for _, want := range []string{"carina: ", "index out of range [0]", "crash_test.go:", "please report"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("says %q, nothing of %q", said.String(), want)
		}
	}
	// Five places, where it happened first: the first lies above the others here.
	places := regexp.MustCompile(`at \w+/crash_test\.go:(\d+)((?: < \w+/crash_test\.go:\d+)*)\)`).FindStringSubmatch(said.String())
	if places == nil || strings.Count(places[2], " < ") != 4 {
		t.Fatalf("says %q, want five places", said.String())
	}
	if last := places[2][strings.LastIndex(places[2], ":")+1:]; len(places[1]) > len(last) || places[1] >= last {
		t.Errorf("says %q, want the innermost place first", said.String())
	}
	if strings.Count(said.String(), "\n") != 1 {
		t.Errorf("says more than a line: %q", said.String())
	}
}

// Every goroutine of the program must be guarded: a panic in one that is not
// ends the program with a dump and the status of wrong usage. Libraries may lie
// in the folder vendor.
func TestEveryGoroutineIsGuarded(t *testing.T) {
	guarded := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); name != ".." && strings.HasPrefix(name, ".") || name == "vendor" {
			return filepath.SkipDir
		}
		guarded += checkFolder(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if guarded < 20 {
		t.Errorf("only %d goroutines were found", guarded)
	}
}

// checkFolder checks the files of a folder and returns how many goroutines
// they start.
func checkFolder(t *testing.T, folder string) int {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	positions := token.NewFileSet()
	functions := map[string]*ast.BlockStmt{}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(positions, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions[f.Name.Name] = f.Body
			}
		}
	}
	guarded := 0
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			body, starts := goroutine(n, functions)
			if !starts {
				return true
			}
			guarded++
			if body == nil || !isGuarded(body) {
				t.Errorf("%s starts a goroutine that does not begin with defer crash.Guard()", positions.Position(n.Pos()))
			}
			return true
		})
	}
	return guarded
}

// goroutine returns the body of the goroutine that a node starts, if it does.
func goroutine(n ast.Node, functions map[string]*ast.BlockStmt) (body *ast.BlockStmt, starts bool) {
	var started ast.Expr
	switch n := n.(type) {
	case *ast.GoStmt:
		started = n.Call.Fun
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != "Go" || len(n.Args) != 1 {
			return nil, false
		}
		started = n.Args[0]
	default:
		return nil, false
	}
	switch started := started.(type) {
	case *ast.FuncLit:
		return started.Body, true
	case *ast.Ident:
		return functions[started.Name], true
	case *ast.SelectorExpr:
		return functions[started.Sel.Name], true
	}
	return nil, true
}

func isGuarded(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	deferred, ok := body.List[0].(*ast.DeferStmt)
	if !ok {
		return false
	}
	selector, ok := deferred.Call.Fun.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Guard"
}
