// Package objc is the seam.
package objc
