package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What stands in the folder while a run computes is true before and after it has kept a
// checkpoint.
func TestUnfinishedRunSaysHowToGoOn(t *testing.T) {
	folder := t.TempDir()
	var u unfinished
	u.write(folder, []process{{"here", 1}, {"here", 2}, {"there", 1}})
	data, err := os.ReadFile(filepath.Join(folder, unfinishedName))
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{unfinishedBegin, "here (2 ranks), there (1 rank)", "--restart " + folder, "where there is one in " + filepath.Join(folder, checkpointFolder), "else begin anew"} {
		if !strings.Contains(string(data), words) {
			t.Errorf("says %q, want %q in it", data, words)
		}
	}
	if strings.Contains(string(data), "there is no checkpoint") {
		t.Errorf("says %q of checkpoints that it cannot know of", data)
	}
	if u.remove(); !isUnfinished(filepath.Join(folder, unfinishedName)) {
		t.Error("something else stands there at the end")
	}
}
