//go:build !darwin

package mps

func standin() bool { return false }
