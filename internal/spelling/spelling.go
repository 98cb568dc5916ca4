// Package spelling finds the word that somebody who mistyped one meant.
package spelling

import "strings"

// Nearest returns the known word that is the fewest changed, left out, added or
// exchanged letters away from a word, the first of several. It is empty where
// none is near: more than a third of the letters differ.
func Nearest(word string, known []string) string {
	nearest, least := "", 1+(len([]rune(word))+1)/3
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			nearest, least = k, d
		}
	}
	return nearest
}

// distance is the optimal string alignment distance (Damerau 1964): how many
// letters must be changed, left out, added or exchanged with their neighbour.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			changed := rows[i-1][j-1]
			if s[i-1] != t[j-1] {
				changed++
			}
			rows[i][j] = min(changed, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
