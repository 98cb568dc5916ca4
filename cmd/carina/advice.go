package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"carina/internal/spelling"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// systemAdvice are what the operating system refuses, with what to do.
var systemAdvice = []struct {
	cause error
	words string
}{
	{fs.ErrNotExist, "there is no such file or folder: check its name and the folder that you are in"},
	{syscall.EISDIR, "it is a folder: name a file"},
	{syscall.ENOTDIR, "a part of this path is a file and no folder: check it"},
	{fs.ErrPermission, "that is not permitted: ask its owner for it, or name another place"},
	{syscall.EROFS, "nothing can be written there: name another place"},
	{syscall.ENOSPC, "the disk is full: make room on it, or name another place"},
	{syscall.EDQUOT, "the disk is full for you: remove files of yours, or name another place"},
	{syscall.EFBIG, "it would be larger than files may be: raise the limit, for instance with ulimit -f unlimited, or name another place"},
	{syscall.EMFILE, "too many files are open: raise the limit, for instance with ulimit -n 1024"},
	{syscall.ENFILE, "too many files are open on this machine: try again later"},
	{syscall.ENAMETOOLONG, "the name is too long: choose a shorter one"},
	{syscall.ELOOP, "its links point at each other: check them"},
}

// advised is what an error says, with what to do instead of the operating
// system's words.
func advised(err error) string {
	text := err.Error()
	var failed *fs.PathError
	if !errors.As(err, &failed) {
		return text
	}
	for _, a := range systemAdvice {
		if !errors.Is(failed.Err, a.cause) {
			continue
		}
		before, after, found := strings.Cut(text, failed.Error())
		if !found {
			return text
		}
		if !strings.Contains(before, failed.Path) {
			before += failed.Path + ": "
		}
		return before + a.words + after
	}
	return text
}

// values say what flags of a type take.
var values = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number of at least 0", "float64": "a number",
	"bool": "true or false", "duration": "a time such as 30s", "intSlice": "whole numbers such as 1,2",
}

// mistakenFlag says what a flag takes that was given something else, and names
// the flag of a command that is nearest to one that it has not.
func mistakenFlag(command *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		takes := values[invalid.GetFlag().Value.Type()]
		switch name := invalid.GetFlag().Name; {
		case takes != "" && errors.Is(err, strconv.ErrRange):
			err = fmt.Errorf("--%s %s is out of range: give %s that is nearer to 0", name, invalid.GetValue(), takes)
		case takes != "":
			err = fmt.Errorf("--%s takes %s, not %q", name, takes, invalid.GetValue())
		default: // a type of our own says what it takes
			err = fmt.Errorf("--%s: %w", name, invalid.Unwrap())
		}
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%w (see %s --help)", err, command.CommandPath())
	}
	var names []string
	command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	advice := ""
	if nearest := spelling.Nearest(missing.GetSpecifiedName(), names); nearest != "" {
		advice = ": did you mean --" + nearest + "?"
	}
	return fmt.Errorf("%s has no flag --%s%s (see %[1]s --help)", command.CommandPath(), missing.GetSpecifiedName(), advice)
}

// unknownWord is the word that cobra takes for a command and does not know.
func unknownWord(err error) (word string, is bool) {
	if err == nil {
		return "", false
	}
	quoted, is := strings.CutPrefix(err.Error(), "unknown command ")
	if is {
		quoted, _ = strconv.QuotedPrefix(quoted)
		word, _ = strconv.Unquote(quoted)
	}
	return word, is
}

// unknownCommand names the command below one that is nearest to a word that is
// none.
func unknownCommand(above *cobra.Command, word string) error {
	var names []string
	for _, c := range above.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	advice := ""
	if nearest := spelling.Nearest(word, names); nearest != "" {
		advice = ": did you mean " + nearest + "?"
	}
	below := strings.TrimPrefix(above.CommandPath()+" ", above.Root().Name()+" ")
	return usageError{fmt.Errorf("there is no command %s%s%s (see %s --help)", below, word, advice, above.CommandPath())}
}
