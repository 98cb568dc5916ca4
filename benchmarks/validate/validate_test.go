package validate

import (
	"context"
	"os"
	"strings"
	"testing"
)

// The cases that take seconds hold their tolerances; VALIDATE=1 computes all.
func TestSuite(t *testing.T) {
	o := Options{Quick: true, Cases: []string{"duct", "taylor-green"}, Folder: t.TempDir(), References: "../../../shared/reference-data"}
	if names, ok := os.LookupEnv("VALIDATE"); ok {
		o.Quick, o.Cases = false, strings.Fields(names)
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.Words())
	if r.Failed > 0 || len(r.Results) == 0 {
		t.Errorf("%d of %d results are outside their tolerance", r.Failed, len(r.Results))
	}
}

func TestUnknownCase(t *testing.T) {
	if _, err := Run(context.Background(), Options{Cases: []string{"tornado"}}); err == nil || !strings.Contains(err.Error(), "tornado") {
		t.Errorf("got error %v", err)
	}
}
