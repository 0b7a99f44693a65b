//go:build !darwin

package graph

func standin() bool { return false }
