// Package output writes fields as VTK files and pictures.
package output
