package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// checkOpenFiles refuses a limit of open files that the program would exceed by itself.
func checkOpenFiles() error {
	const least = 64
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < least {
		return fmt.Errorf("only %d files may be open at once, and the program needs %d: raise the limit, for instance with ulimit -n 1024", limit.Cur, least)
	}
	return nil
}
