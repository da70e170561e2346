//go:build race

package testall

const raced = true
