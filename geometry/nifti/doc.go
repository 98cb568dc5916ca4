// Package nifti reads segmented images in the format NIfTI, versions 1 and 2 in one file
// (.nii), and makes the smooth surface of what they say is inside. Labels, masks and
// probabilities are taken; an image of intensities, such as a CT series itself, is refused.
// The image is read slice by slice and never held as a whole.
//
// Coordinates are those of the image in the patient, in the unit of the file.
//
// Begin with Read in read.go.
package nifti
