//go:build cuda && cgo

package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// toolkit is the folder of CUDA's own headers.
func toolkit(t *testing.T) string {
	for _, folder := range []string{os.Getenv("CUDA_HOME") + "/include", "/usr/local/cuda/include", "/opt/cuda/include"} {
		if _, err := os.Stat(filepath.Join(folder, "cuda.h")); err == nil {
			return folder
		}
	}
	t.Skip("there is no CUDA toolkit whose headers could be compared")
	return ""
}

// cc compiles a program of C with the headers of a folder and returns what it
// prints.
func cc(t *testing.T, include, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("cc", "-w", "-I", include, "-x", "c", "-o", program, "-")
	build.Stdin = strings.NewReader(source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The numbers, structures and functions that the headers here declare are those of the
// toolkit on this machine.
func TestDeclarationsAreTheToolkits(t *testing.T) {
	folder := toolkit(t)
	own, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range []string{"cuda.h", "nvrtc.h"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(content)
	}
	var print strings.Builder
	for _, m := range regexp.MustCompile(`\b((?:CU|CUDA|NVRTC)_\w+)(?: = | )\d+\b`).FindAllStringSubmatch(text.String(), -1) {
		if strings.HasSuffix(m[1], "_FLAGS_MASK") {
			continue // grows with the versions
		}
		fmt.Fprintf(&print, "printf(\"%s = %%d\\n\", (int)%s);\n", m[1], m[1])
	}
	structure := regexp.MustCompile(`(?s)typedef struct \{\n(.*?)\} (\w+);`)
	for _, m := range structure.FindAllStringSubmatch(text.String(), -1) {
		fmt.Fprintf(&print, "printf(\"%s %%zu\\n\", sizeof(%s));\n", m[2], m[2])
		if strings.Contains(m[1], "[") {
			continue // nothing but bytes
		}
		for line := range strings.Lines(m[1]) {
			_, fields, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "const ")), " ")
			for field := range strings.SplitSeq(strings.Trim(fields, ";"), ",") {
				fmt.Fprintf(&print, "printf(\"%s.%s %%zu\\n\", offsetof(%s, %s));\n", m[2], strings.Trim(field, " *"), m[2], strings.Trim(field, " *"))
			}
		}
	}
	program := "#include <cuda.h>\n#include <nvrtc.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n" + print.String() + "return 0;\n}\n"
	if want, got := cc(t, folder, program), cc(t, own, program); got != want {
		t.Errorf("declared are\n%s\nbut the toolkit has\n%s", got, want)
	}
	// To declare a function again is an error of the compiler where it differs.
	// Version 13 gives these names to other functions.
	cc(t, folder, fmt.Sprintf(`#include <cuda.h>
#include <nvrtc.h>
#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges
#define DRIVER_FUNCTIONS
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) CUresult NAME##SUFFIX PARAMETERS;
#include "%[1]s/functions.h"
#undef FUNCTION
#undef DRIVER_FUNCTIONS
#define COMPILER_FUNCTIONS
#define FUNCTION(NAME, SUFFIX, PARAMETERS, ARGUMENTS) nvrtcResult NAME##SUFFIX PARAMETERS;
#include "%[1]s/functions.h"
int main(void) { return 0; }
`, own))
}
