//go:build !linux

package processor

// wholeMachine is only known on Linux; elsewhere goroutines run anywhere.
func wholeMachine(int) []int { return nil }

func pin(int) {}
