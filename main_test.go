package carina_test

import (
	"os"
	"testing"

	"carina/output/picture"
)

func TestMain(m *testing.M) {
	picture.Draft = true // nobody looks at them
	os.Exit(m.Run())
}
